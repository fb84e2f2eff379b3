import SeaKit
import Synchronization

/// Checks and verifications, which take long. A page starts them and shows their progress. Their results are kept until
/// they are started again.
final class Checkups: Sendable {
  enum Outcome: Sendable {
    case checks([DoctorCheck])
    case verified(VerificationReport)
    case failed(String)
  }

  struct Job: Sendable {
    let started: Timestamp
    let begin = ContinuousClock.now
    var progress: Progress?
    var outcome: Outcome?
    var took: Duration?
    fileprivate var task: Task<Void, Never>?

    var isRunning: Bool { outcome == nil }
  }

  private let jobs = Mutex<[String: Job]>([:])

  subscript(_ name: String) -> Job? { jobs.withLock { $0[name] } }

  var isRunning: Bool { jobs.withLock { $0.values.contains(where: \.isRunning) } }

  /// Starts work, unless it is running already.
  func start(
    _ name: String, _ body: @escaping @Sendable (@escaping @Sendable (Progress) -> Void) async throws -> Outcome
  ) {
    jobs.withLock { jobs in
      if let job = jobs[name], job.isRunning { return }
      jobs[name] = Job(started: .now)
      jobs[name]?.task = Task { [self] in
        let outcome: Outcome
        do {
          outcome = try await body { progress in self.change(name) { $0.progress = progress } }
        } catch is CancellationError {
          outcome = .failed("It was stopped.")
        } catch {
          outcome = .failed((error as? SeaError)?.message.sentence ?? "\(error)")
        }
        change(name) { ($0.outcome, $0.took, $0.task) = (outcome, ContinuousClock.now - $0.begin, nil) }
      }
    }
  }

  func stop(_ name: String) { jobs.withLock { $0[name]?.task }?.cancel() }

  func stop() {
    for task in jobs.withLock({ $0.values.compactMap(\.task) }) { task.cancel() }
  }

  private func change(_ name: String, _ body: (inout Job) -> Void) {
    jobs.withLock { jobs in
      guard var job = jobs[name] else { return }
      body(&job)
      jobs[name] = job
    }
  }
}
