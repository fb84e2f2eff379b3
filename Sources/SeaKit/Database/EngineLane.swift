internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A connection to the database, and the thread on which its work runs in order.
///
/// The engine is opened, used and closed only on the thread of the lane. Therefore tasks can share the lane
/// (`@unchecked`).
final class EngineLane: @unchecked Sendable {
  private let lane: Lane
  private let open: @Sendable (Cancellation) throws -> Engine
  private let cancellation = Cancellation()
  private var engine: Engine?
  /// The id of the database that was opened first.
  private var databaseID: UUID?

  init(_ open: @escaping @Sendable (Cancellation) throws -> Engine) throws {
    lane = try Lane.made()
    self.open = open
  }

  deinit {
    // The last reference can be released on any thread, but the thread of the lane must close the engine.
    let last = LastUse(engine)
    lane.run { last.end() }
  }

  var count: Int { lane.count }

  /// Runs `body` on the thread of the lane, after earlier calls. The calling thread is not blocked.
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

  /// Returns the engine of the database at the path. If a restored backup has replaced the folder, the engine is opened
  /// again.
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
  static func made() throws -> Lane {
    do { return try Lane() } catch { throw SeaError(error) }
  }

  /// Runs `body` on the thread of the lane, after earlier calls. The calling thread is not blocked.
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

/// A call that waits for its turn on a lane. Only the thread that removes the continuation from `state` resumes it.
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

  func begin() -> Waiting? { take { _ in } }

  /// - Returns: nil if the call has begun. In that case, the work itself checks for cancellation.
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

/// The source of the settings that all instances share: the opened database.
final class SharedSource {
  weak var engine: Engine?
}

extension Engine {
  /// Returns the row of a record, including a deleted one.
  func knownRow(_ id: String) throws -> RecordRow { try records.find(id, literal: true) }
}

/// Passes an engine to the thread that closes it, after its last use.
private struct LastUse: @unchecked Sendable {
  private let engine: Engine?
  init(_ engine: Engine?) { self.engine = engine }
  func end() { engine?.close() }
}

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

  func check() throws { if isCancelled { throw CancellationError() } }
}
