internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A connection to the database that belongs to one thread, and the work that is done on it, one after another.
///
/// Everything in the engine belongs to the thread that uses it. Here that is the thread of the lane: the engine is made there, used there
/// and let go there, and nothing of it leaves. That is why this may be shared (`@unchecked`).
final class EngineLane: @unchecked Sendable {
  private let lane: Lane
  private let open: @Sendable (Cancellation) throws -> Engine
  private let cancellation = Cancellation()
  /// Only the lane's thread touches it.
  private var engine: Engine?
  /// Which database was opened first.
  private var databaseID: UUID?

  /// - Parameter open: makes the engine, on the thread of the lane, when it is first needed.
  init(_ open: @escaping @Sendable (Cancellation) throws -> Engine) throws {
    lane = try Lane.made()
    self.open = open
  }

  deinit {
    // What is used last lets go of it, wherever that runs: the thread of the lane closes it.
    let last = LastUse(engine)
    lane.run { last.end() }
  }

  /// How much waits here.
  var count: Int { lane.count }

  /// Runs `body` on the thread of the lane, behind what was given before. The thread that calls is free meanwhile.
  /// - Parameter report: told how far long work has come, if the engine was opened so.
  /// - Throws: `CancellationError` if the task is cancelled: at once while it waits for its turn, then where `body` looks.
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

  /// The database that lies there now. A backup may have been put in the place of what was opened; what was written into a file without a
  /// name would be lost.
  /// - Throws: `otherDatabase` if that is another one.
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

  /// Lets go of the connection; what comes later opens it anew.
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
  /// One that has a thread.
  static func made() throws -> Lane {
    do { return try Lane() } catch { throw SeaError(error) }
  }

  /// What `body` comes to on the thread, behind what was given before. The thread that calls is free meanwhile.
  /// - Throws: `SeaError` of what the layers below have found, `CancellationError` if the task is cancelled: at once while it waits for its turn,
  ///   then where `body` looks; and all else as it is.
  func result<Result: Sendable>(
    of body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    try await call { flag in
      let cancellation = Cancellation()
      cancellation.flag = flag
      try cancellation.check()
      do { return try body(cancellation) } catch {
        // What was stopped says what it could not do then.
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
        // Cancelled before it waited.
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

/// A call that waits for its turn on a lane: whoever takes its continuation resumes it, and nobody else.
private final class LaneCall<Result: Sendable>: Sendable {
  typealias Waiting = CheckedContinuation<Result, any Error>
  private let state = Guarded<(waiting: Waiting?, isCancelled: Bool)>((nil, false))

  /// - Returns: false if it was cancelled before.
  func wait(_ continuation: Waiting) -> Bool {
    state.with {
      guard !$0.isCancelled else { return false }
      $0.waiting = continuation
      return true
    }
  }

  /// Its turn has come; nil if it was cancelled.
  func begin() -> Waiting? { take { _ in } }

  /// - Returns: nil if its turn has come: then the work itself looks whether it is to stop.
  func cancel() -> Waiting? { take { $0 = true } }

  private func take(_ note: (inout Bool) -> Void) -> Waiting? {
    state.with { state in
      note(&state.isCancelled)
      defer { state.waiting = nil }
      return state.waiting
    }
  }
}

/// The database of the engine, which is not that of this library.
typealias Engine = SeaEngine.Database

/// Where settings come from that all instances share: the database that is opened with them.
final class SharedSource {
  weak var engine: Engine?
}

extension Engine {
  /// What is known of a record, also of a deleted one.
  func knownRow(_ id: String) throws -> RecordRow { try records.find(id, literal: true) }
}

/// Carries an engine to its own thread, where nobody else uses it any more.
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

/// What the work on a lane asks whether it is to stop, and tells how far it has come. It is used on the thread of the lane alone.
final class Cancellation: @unchecked Sendable {
  fileprivate(set) var flag: CancellationFlag?
  fileprivate(set) var report: (@Sendable (Work) -> Void)?

  var isCancelled: Bool { flag?.isCancelled == true }

  /// - Throws: `CancellationError`.
  func check() throws { if isCancelled { throw CancellationError() } }
}
