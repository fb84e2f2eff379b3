internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A connection to the database, and the thread on which its work runs in order.
///
/// The engine is opened, used and closed only on the lane's thread, so tasks can safely share the lane (`@unchecked`).
final class EngineLane: @unchecked Sendable {
  private let lane: SerialThread
  private let open: @Sendable (Cancellation) throws -> Engine
  private let cancellation = Cancellation()
  private var engine: Engine?
  /// The callers whose writes are committed but not yet on the disk.
  private var waitingForFlush: [(_ failure: (any Error)?) -> Void] = []
  /// The count of new identities when the engine was opened.
  private var renewals = 0
  private let identity: DatabaseIdentity
  private let log: Log

  init(_ identity: DatabaseIdentity, _ log: Log, _ open: @escaping @Sendable (Cancellation) throws -> Engine) throws {
    lane = try SerialThread.made()
    (self.identity, self.log) = (identity, log)
    self.open = open
  }

  deinit {
    // The last reference can be released on any thread, but the engine must be closed on the lane's thread.
    let last = LastUse(engine)
    lane.run { last.end() }
  }

  /// Runs `body` on the lane's thread, after earlier calls, without blocking the calling thread.
  /// - Parameter report: receives the progress of long work, if the engine was opened to report it.
  /// - Throws: `CancellationError` if the task is cancelled. A waiting call throws immediately, a running call when
  ///   `body` checks for cancellation.
  func run<Result: Sendable>(
    report: (@Sendable (Work) -> Void)? = nil, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try await lane.call { [self] flag, end in end(SerialThread.result { try here(flag, report, body) }) }
  }

  /// Runs a short write like `run`. Calls that wait for the lane at the same time share one flush to the disk, which they
  /// all await: a flush takes as long as many writes.
  func runSharingFlush<Result: Sendable>(
    _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try await lane.call { [self] flag, end in
      guard lane.count > 1 else { return end(SerialThread.result { try here(flag, nil, body) }) }
      let outcome = SerialThread.result {
        try here(flag, nil) { engine in try engine.author.unflushed { try body(engine) } }
      }
      guard case .success = outcome else { return end(outcome) }
      waitingForFlush.append { failure in end(failure.map { .failure($0) } ?? outcome) }
      // The calls that wait already come before the flush.
      if waitingForFlush.count == 1 { lane.run { [self] in flush() } }
    }
  }

  private func flush() {
    let waiting = waitingForFlush
    if waiting.isEmpty { return }
    waitingForFlush = []
    var failure: (any Error)? = SeaError(.bug, "the connection was closed before its writes were flushed")
    if let engine {
      do {
        try engine.author.flush()
        failure = nil
      } catch { failure = SeaError.of(error) }
    }
    for end in waiting { end(failure) }
  }

  private func here<Result>(
    _ flag: CancellationFlag, _ report: (@Sendable (Work) -> Void)?, _ body: (Engine) throws -> Result
  ) throws -> Result {
    if flag.isCancelled { throw CancellationError() }
    (cancellation.flag, cancellation.report) = (flag, report)
    defer { (cancellation.flag, cancellation.report) = (nil, nil) }
    return try Trace.heard(by: log.listener) { try body(current()) }
  }

  /// Returns the engine of the database at the path. If the folder was replaced or the instance has a new identity, reopens
  /// the engine.
  /// - Throws: `otherDatabase` if the database at the path has a different id.
  private func current() throws -> Engine {
    if let engine, engine.isOpen {
      if renewals == identity.renewals, !engine.hasMoved { return engine }
      flush()
      engine.close()
    }
    engine = nil
    renewals = identity.renewals
    let opened = try open(cancellation)
    do { try identity.check(opened) } catch {
      opened.close()
      throw error
    }
    opened.author.whenRenewed = { [identity, log] renewal in
      identity.noteRenewal()
      log.warn(of: renewal)
    }
    engine = opened
    return opened
  }

  func close() async {
    await withCheckedContinuation { continuation in
      lane.run { [self] in
        flush()
        engine?.close()
        engine = nil
        continuation.resume()
      }
    }
  }
}

/// The id of the database that all lanes of a `Database` object open.
final class DatabaseIdentity: Sendable {
  /// The first id is the expected one. While the database is being replaced, there is a second one.
  private let ids = Guarded<[UUID]>([])
  private let renewalCount = Guarded(0)

  /// How often the instance has taken a new identity. Connections that were opened before know only the old one.
  var renewals: Int { renewalCount.with { $0 } }

  func noteRenewal() { renewalCount.with { $0 += 1 } }

  func check(_ opened: Engine) throws {
    try ids.with { ids in
      if ids.isEmpty { ids = [opened.databaseID] }
      guard ids.contains(opened.databaseID) else {
        throw KitError.otherDatabase(path: opened.path, have: opened.databaseID, want: ids[0])
      }
    }
  }

  /// Runs `body`, which replaces the database by one with this id.
  func becoming(_ new: UUID, _ body: () throws -> Void) throws {
    ids.with { $0.append(new) }
    do {
      try body()
      ids.with { $0 = [new] }
    } catch {
      ids.with { _ = $0.popLast() }
      throw error
    }
  }
}

extension SerialThread {
  static func made() throws -> SerialThread {
    do { return try SerialThread() } catch { throw SeaError(error) }
  }

  /// Runs `body` on the lane's thread, after earlier calls, without blocking the calling thread.
  /// - Throws: `SeaError` for errors from lower layers, `CancellationError` if the task is cancelled (a waiting call
  ///   throws immediately, a running call when `body` checks), and any other error unchanged.
  /// - Parameter log: receives the trace of the work.
  func result<Result: Sendable>(
    _ log: Log = Log(nil), of body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    try await call { flag, end in
      let cancellation = Cancellation()
      cancellation.flag = flag
      end(
        SerialThread.result {
          try cancellation.check()
          do { return try Trace.heard(by: log.listener) { try body(cancellation) } } catch {
            // Cancelled work can fail with any error, so check for cancellation first.
            try cancellation.check()
            throw error
          }
        })
    }
  }

  /// - Parameter body: runs on the thread, and passes the result to its second parameter, now or later.
  fileprivate func call<Result: Sendable>(
    _ body:
      @escaping @Sendable (
        CancellationFlag, _ end: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
      ) -> Void
  ) async throws -> Result {
    let flag = CancellationFlag()
    let call = LaneCall<Result>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard call.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
        run {
          guard let continuation = call.begin() else { return }
          body(flag) { continuation.resume(with: $0) }
        }
      }
    } onCancel: {
      flag.cancel()
      call.cancel()?.resume(throwing: CancellationError())
    }
  }

  fileprivate static func result<Result>(_ body: () throws -> Result) -> Swift.Result<Result, any Error> {
    do { return .success(try body()) } catch { return .failure(SeaError.of(error)) }
  }
}

/// A call that waits for its turn on a lane. Only the thread that removes the continuation from `state` resumes it.
private final class LaneCall<Result: Sendable>: Sendable {
  typealias Waiting = CheckedContinuation<Result, any Error>
  private let state = Guarded<(waiting: Waiting?, isCancelled: Bool)>((nil, false))

  func wait(_ continuation: Waiting) -> Bool {
    state.with {
      guard !$0.isCancelled else { return false }
      $0.waiting = continuation
      return true
    }
  }

  func begin() -> Waiting? { removeContinuation { _ in } }

  /// - Returns: nil if the call has already begun. In that case, the work itself checks for cancellation.
  func cancel() -> Waiting? { removeContinuation { $0 = true } }

  private func removeContinuation(_ note: (inout Bool) -> Void) -> Waiting? {
    state.with { state in
      note(&state.isCancelled)
      defer { state.waiting = nil }
      return state.waiting
    }
  }
}

/// The engine's database type, as opposed to this library's `Database`.
typealias Engine = SeaEngine.Database

extension Engine {
  /// Returns the row of a record, even if the record is deleted.
  func knownRow(_ id: String) throws -> RecordRow { try records.find(id, literal: true) }
}

/// Hands over an engine, after its last use, to the thread that closes it.
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

/// Lets the work on a lane check for cancellation and report progress. Only the lane's thread uses this object.
final class Cancellation: @unchecked Sendable {
  fileprivate(set) var flag: CancellationFlag?
  fileprivate(set) var report: (@Sendable (Work) -> Void)?

  var isCancelled: Bool { flag?.isCancelled == true }

  func check() throws { if isCancelled { throw CancellationError() } }
}
