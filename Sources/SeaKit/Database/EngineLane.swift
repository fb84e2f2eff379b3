internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A connection to the database that belongs to one thread, and the work that runs on it in order.
///
/// The engine belongs to the thread of the lane: it is opened, used and closed there, and never leaves it. Therefore
/// the lane may be shared between tasks (`@unchecked`).
final class EngineLane: @unchecked Sendable {
  private let lane: Lane
  private let open: @Sendable (Cancellation) throws -> Engine
  private let cancellation = Cancellation()
  /// Only the lane's thread uses it.
  private var engine: Engine?
  /// The id of the database that was opened first.
  private var databaseID: UUID?

  /// - Parameter open: makes the engine, on the thread of the lane, when it is first needed.
  init(_ open: @escaping @Sendable (Cancellation) throws -> Engine) throws {
    lane = try Lane.made()
    self.open = open
  }

  deinit {
    // The last reference can go away on any thread, so the thread of the lane closes the engine.
    let last = LastUse(engine)
    lane.run { last.end() }
  }

  /// The number of calls that wait here.
  var count: Int { lane.count }

  /// Runs `body` on the thread of the lane, after the calls that came earlier. The calling thread is free meanwhile.
  /// - Parameter report: receives the progress of long work, if the engine was opened to report it.
  /// - Throws: `CancellationError` if the task is cancelled: immediately while waiting, later where `body` checks.
  func run<Result: Sendable>(
    report: (@Sendable (Work) -> Void)? = nil, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try await lane.call { [self] flag in try here(flag, report, body) }
  }

  private func here<Result>(
    _ flag: CancellationFlag, _ report: (@Sendable (Work) -> Void)?, _ body: (Engine) throws -> Result
  ) throws -> Result {
    if flag.isCancelled { throw CancellationError() }
    (cancellation.flag, cancellation.report) = (flag, report)
    defer { (cancellation.flag, cancellation.report) = (nil, nil) }
    return try body(current())
  }

  /// The engine of the database that is now at the path: if a backup has replaced the folder, this opens it again.
  /// - Throws: `otherDatabase` if the database at the path has another id.
  private func current() throws -> Engine {
    if let engine, engine.isOpen {
      if !engine.hasMoved { return engine }
      engine.close()
    }
    engine = nil
    let opened = try open(cancellation)
    if let databaseID, databaseID != opened.databaseID {
      defer { opened.close() }
      throw KitError.otherDatabase(path: opened.path, have: opened.databaseID, want: databaseID)
    }
    (engine, databaseID) = (opened, opened.databaseID)
    return opened
  }

  /// Closes the connection; a later call opens it again.
  func close() async {
    await withCheckedContinuation { continuation in
      lane.run { [self] in
        engine?.close()
        engine = nil
        continuation.resume()
      }
    }
  }
}

extension Lane {
  /// Returns a lane with its own thread.
  static func made() throws -> Lane {
    do { return try Lane() } catch { throw SeaError(error) }
  }

  /// Runs `body` on the thread of the lane, after the calls that came earlier. The calling thread is free meanwhile.
  /// - Throws: `SeaError` for faults of the layers below; `CancellationError` if the task is cancelled (immediately
  ///   while the call waits, later where `body` checks); any other error unchanged.
  func result<Result: Sendable>(
    of body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    try await call { flag in
      let cancellation = Cancellation()
      cancellation.flag = flag
      try cancellation.check()
      do { return try body(cancellation) } catch {
        // Cancelled work may fail with any error, so cancellation takes precedence.
        try cancellation.check()
        throw error
      }
    }
  }

  fileprivate func call<Result: Sendable>(
    _ body: @escaping @Sendable (CancellationFlag) throws -> Result
  ) async throws -> Result {
    let flag = CancellationFlag()
    let call = LaneCall<Result>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // The task was cancelled before the call waited.
        guard call.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
        run {
          guard let continuation = call.begin() else { return }
          continuation.resume(with: Swift.Result { try Lane.telling { try body(flag) } })
        }
      }
    } onCancel: {
      flag.cancel()
      call.cancel()?.resume(throwing: CancellationError())
    }
  }

  private static func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw SeaError.of(error) }
  }
}

/// A call that waits for its turn on a lane. The side that takes its continuation is the only one that resumes it.
private final class LaneCall<Result: Sendable>: Sendable {
  typealias Waiting = CheckedContinuation<Result, any Error>
  private let state = Guarded<(waiting: Waiting?, isCancelled: Bool)>((nil, false))

  /// - Returns: false if the call was already cancelled.
  func wait(_ continuation: Waiting) -> Bool {
    state.with {
      guard !$0.isCancelled else { return false }
      $0.waiting = continuation
      return true
    }
  }

  /// Begins the call; returns nil if it was cancelled.
  func begin() -> Waiting? { take { _ in } }

  /// - Returns: nil if the call has begun: then the work itself checks for cancellation.
  func cancel() -> Waiting? { take { $0 = true } }

  private func take(_ note: (inout Bool) -> Void) -> Waiting? {
    state.with { state in
      note(&state.isCancelled)
      defer { state.waiting = nil }
      return state.waiting
    }
  }
}

/// The database of the engine, not the `Database` of this library.
typealias Engine = SeaEngine.Database

/// The opened database, from which the settings come that all instances share.
final class SharedSource {
  weak var engine: Engine?
}

extension Engine {
  /// Returns the row of a record, including a deleted one.
  func knownRow(_ id: String) throws -> RecordRow { try records.find(id, literal: true) }
}

/// Carries an engine to its own thread, after its last other use.
private struct LastUse: @unchecked Sendable {
  private let engine: Engine?
  init(_ engine: Engine?) { self.engine = engine }
  func end() { engine?.close() }
}

/// Whether a task was cancelled.
final class CancellationFlag: Sendable {
  private let state = Guarded(false)
  var isCancelled: Bool { state.with { $0 } }
  func cancel() { state.with { $0 = true } }
}

/// Lets the work on a lane check for cancellation and report progress. Only the thread of the lane uses it.
final class Cancellation: @unchecked Sendable {
  fileprivate(set) var flag: CancellationFlag?
  fileprivate(set) var report: (@Sendable (Work) -> Void)?

  var isCancelled: Bool { flag?.isCancelled == true }

  /// - Throws: `CancellationError` if the task was cancelled.
  func check() throws { if isCancelled { throw CancellationError() } }
}
