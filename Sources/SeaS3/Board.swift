import SeaContainer
import SeaSystem

/// The requests in progress. Requests for different files run concurrently, but all answers are sent in order.
final class Board: Sendable {
  final class Job {
    /// The file that the request is for; nil for a request that excludes all others.
    let path: String?
    let weight: Int
    fileprivate let work: ((S3Client) throws(WireRefusal) -> [UInt8]?)?
    fileprivate var isBegun = false
    fileprivate var isDone = false
    fileprivate var pieces: [[UInt8]] = []
    /// Whether announced bytes are being sent, which must not be interrupted by other output.
    fileprivate var isInBytes = false

    fileprivate init(_ path: String?, _ weight: Int, _ work: ((S3Client) throws(WireRefusal) -> [UInt8]?)?) {
      (self.path, self.weight, self.work) = (path, weight, work)
    }
  }

  private struct State {
    var jobs: [Job] = []
    /// The parts of the work in `alone` that other threads can do.
    var parts: [(S3Client) -> Void] = []
    var weight = 0
    var isEnding = false
    /// Whether the client no longer accepts output.
    var isDeaf = false
  }

  static let mostJobs = 256
  static let mostWeight = 64 << 20
  /// The interval in nanoseconds at which the client is told that work continues.
  private static let patience: Int64 = 10_000_000_000
  private static let mostPieces = 1 << 22

  private let state = Monitor(State())

  // MARK: Adding

  /// Adds a request for one file, after waiting if too many requests are in progress.
  /// - Parameter work: returns the bytes to send after `ok`, if any.
  func add(_ path: String, weight: Int, _ work: @escaping (S3Client) throws(WireRefusal) -> [UInt8]?) {
    let job = Job(path, weight, work)
    state.wait { state -> Void? in
      let hasRoom =
        state.jobs.count < Board.mostJobs
        && (state.jobs.isEmpty || state.weight + weight <= Board.mostWeight)
      guard hasRoom || state.isDeaf else { return nil }
      state.jobs.append(job)
      state.weight += weight
      return ()
    }
  }

  /// Adds an answer, which will be sent after all earlier answers.
  func add(_ answer: Wire.Answer) {
    let job = Job("", 0, nil)
    job.pieces = [Board.line(answer)]
    job.isDone = true
    state.with { $0.jobs.append(job) }
  }

  /// Runs `body` after all earlier requests, while no other request is running.
  func alone(_ body: (Speaker) throws -> Void) rethrows {
    state.wait { $0.jobs.isEmpty || $0.isDeaf ? () : nil }
    let job = Job(nil, 0, nil)
    job.isBegun = true
    state.with { $0.jobs.append(job) }
    defer { state.with { _ in job.isDone = true } }
    try body(Speaker(self, job))
  }

  /// Lets another thread do part of the work in `alone`.
  func share(_ part: @escaping (S3Client) -> Void) { state.with { $0.parts.append(part) } }

  struct Speaker {
    private let board: Board
    private let job: Job

    fileprivate init(_ board: Board, _ job: Job) { (self.board, self.job) = (board, job) }

    func say(_ answer: Wire.Answer) {
      var isInBytes = false
      if case .ok(let count?) = answer, count > 0 { isInBytes = true }
      send(Board.line(answer), isInBytes)
    }

    func send(_ bytes: [UInt8]) { send(bytes, job.isInBytes) }

    private func send(_ bytes: [UInt8], _ isInBytes: Bool) {
      board.state.wait { state -> Void? in
        guard state.isDeaf || job.pieces.reduce(0, { $0 + $1.count }) < Board.mostPieces else { return nil }
        job.pieces.append(bytes)
        job.isInBytes = isInBytes
        return ()
      }
    }
  }

  /// Waits until all requests have been answered, then ends the workers.
  func end() {
    state.wait { $0.jobs.isEmpty || $0.isDeaf ? () : nil }
    state.with { $0.isEnding = true }
  }

  /// Ends the output, because announced bytes cannot be sent.
  func hangUp() { state.with { $0.isDeaf = true } }

  var isDeaf: Bool { state.with { $0.isDeaf } }

  private static func line(_ answer: Wire.Answer) -> [UInt8] { Array((answer.line + "\n").utf8) }

  // MARK: Working

  func work(_ client: S3Client) {
    while true {
      enum Found { case part((S3Client) -> Void), job(Job), end }
      let found = state.wait { state -> Found? in
        if !state.parts.isEmpty { return .part(state.parts.removeFirst()) }
        if let job = Board.next(state.jobs) {
          job.isBegun = true
          return .job(job)
        }
        return state.isEnding || state.isDeaf ? .end : nil
      }
      switch found {
      case .part(let part): part(client)
      case .job(let job):
        let pieces = Board.run(job, client)
        state.with { _ in (job.pieces, job.isDone) = (pieces, true) }
      case .end, nil: return
      }
    }
  }

  /// Returns the first request that has no unfinished earlier request for the same file.
  private static func next(_ jobs: [Job]) -> Job? {
    var busy: Set<String> = []
    for job in jobs where !job.isDone {
      guard let path = job.path else { return nil }
      if !busy.insert(path).inserted || job.isBegun { continue }
      return job
    }
    return nil
  }

  private static func run(_ job: Job, _ client: S3Client) -> [[UInt8]] {
    do throws(WireRefusal) {
      guard let bytes = try job.work?(client) else { return [line(.ok(nil))] }
      return [line(.ok(Int64(bytes.count))), bytes]
    } catch {
      return [line(error.answer)]
    }
  }

  // MARK: Answering

  func answer(_ write: ([UInt8]) throws(SystemError) -> Void) {
    while true {
      // The result is nil if there was no output within `patience`.
      let said = state.wait(nanoseconds: Board.patience) { state -> [[UInt8]]? in
        var pieces: [[UInt8]] = []
        while let job = state.jobs.first {
          pieces += job.pieces
          job.pieces = []
          guard job.isDone else { break }
          state.weight -= job.weight
          state.jobs.removeFirst()
        }
        return pieces.isEmpty && !state.isEnding ? nil : pieces
      }
      if said?.isEmpty ?? false { return }
      let waits = state.with { $0.jobs.first.map { !$0.isInBytes } ?? false }
      var bytes = said == nil && waits ? Board.line(.wait) : []
      for piece in said ?? [] { if bytes.isEmpty { bytes = piece } else { bytes.append(contentsOf: piece) } }
      if bytes.isEmpty { continue }
      do throws(SystemError) { try write(bytes) } catch {
        state.with { $0.isDeaf = true }
        return
      }
    }
  }
}
