import SeaKit
import Synchronization

/// Syncs in the background. Only one runs at a time.
final class Jobs: Sendable {
  struct Job: Sendable {
    let key: String
    /// The name of a container; nil for all automatic ones.
    let name: String?
    let isPreview: Bool
    let start = ContinuousClock.now
    var progress: Progress?
    var outcome: Result<SyncReport, any Error>?
    var duration: Duration?
    var isRunning: Bool { outcome == nil }
  }

  private struct State {
    var jobs: [String: Job] = [:]
    var order: [String] = []
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private static let most = 20

  func find(_ key: String) -> Job? { state.withLock { $0.jobs[key] } }

  var running: Job? {
    state.withLock { state in state.order.last.flatMap { state.jobs[$0] }.flatMap { $0.isRunning ? $0 : nil } }
  }

  /// Starts a sync.
  /// - Returns: its key, or that of the sync that still runs.
  func start(_ database: Database, _ name: String?, isPreview: Bool) -> String {
    let key = String(Secret.new().prefix(16))
    return state.withLock { state in
      if let last = state.order.last, state.jobs[last]?.isRunning == true { return last }
      state.jobs[key] = Job(key: key, name: name, isPreview: isPreview)
      state.order.append(key)
      if state.order.count > Jobs.most { state.jobs[state.order.removeFirst()] = nil }
      state.task = Task { await self.run(key, database, name, isPreview: isPreview) }
      return key
    }
  }

  /// Ends the sync at a safe point. Transferred blocks are kept.
  func stop() { state.withLock { $0.task }?.cancel() }

  private func run(_ key: String, _ database: Database, _ name: String?, isPreview: Bool) async {
    let outcome: Result<SyncReport, any Error>
    do {
      let report: SyncReport
      switch (isPreview, name) {
      case (true, _): report = try await database.preview(syncing: name.map { [$0] } ?? [])
      case (false, let name?): report = try await database.sync(name) { self.note($0, key) }
      case (false, nil): report = try await database.sync { self.note($0, key) }
      }
      outcome = .success(report)
    } catch { outcome = .failure(error) }
    state.withLock { state in
      guard let job = state.jobs[key] else { return }
      state.jobs[key]?.duration = ContinuousClock.now - job.start
      state.jobs[key]?.outcome = outcome
    }
  }

  private func note(_ progress: Progress, _ key: String) { state.withLock { $0.jobs[key]?.progress = progress } }
}
