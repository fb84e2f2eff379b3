internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A database of records on this device.
///
///     let database = try await Database.open("/home/ann/birds", creating: "org.example.birds")
///     try await database.write { try $0.save(Bird(name: "wren")) }
///     let birds = try await database.fetch(Bird.all.order(by: "name"))
///
/// It may be used from any task. Reads run beside each other on connections of their own, each on one state; writes run one after another, and
/// also after those of other processes. Neither keeps a thread of Swift's pool waiting. Several values on one folder, in one process or in
/// several, know nothing of each other and see what the others have written.
public final class Database: Sendable {
  /// The folder `.sea`.
  public let path: String
  private let writer: EngineLane
  let readers: Readers
  /// For long work with content, which keeps nobody else who writes waiting for all of its time.
  private let movers: Readers
  let bell: Bell
  /// What is gone with this, of a database in memory.
  private let folder: Guarded<TemporaryFolder?>
  private let options: Options

  var isReadOnly: Bool { options.isReadOnly }

  init(path: String, _ options: Options, folder: TemporaryFolder? = nil) throws {
    self.path = path
    self.folder = Guarded(folder)
    self.options = options
    writer = try EngineLane { try options.engine(at: path, isWriting: true, $0) }
    bell = Bell(path)
    readers = Readers { try options.engine(at: path, isWriting: false, $0) }
    movers = Readers { cancellation in
      try options.engine(at: path, isWriting: true, cancellation) {
        $0.report = { cancellation.report?($0) }
      }
    }
  }

  /// Lets go of all connections, when what was begun is done. Nothing that was acknowledged depends on it; whatever is called later opens it
  /// anew.
  public func close() async {
    await writer.close()
    await readers.close()
    await movers.close()
  }

  // MARK: - Transactions

  /// Runs `body` on one state of the database, whatever is written meanwhile, on a thread of its own.
  /// - Parameter body: reads, and hands out what is needed; the transaction ends with it.
  /// - Returns: what `body` returns.
  /// - Throws: `SeaError`, what `body` throws, and `CancellationError` if the task is cancelled.
  @discardableResult
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (ReadTransaction) throws -> Result
  ) async throws -> Result {
    try await readers.run { engine in
      try engine.atOneState {
        let transaction = ReadTransaction(engine)
        defer { transaction.end() }
        return try body(transaction)
      }
    }
  }

  /// Runs `body` while nobody else writes: all that it writes is durable, as one block, when this returns, or nothing was written.
  ///
  /// It is not run again by itself, and there is no transaction within one: what belongs together belongs into one closure.
  /// - Parameters:
  ///   - label: what stands in the history as the word for it: 1,024 bytes at most.
  ///   - body: reads and writes; the transaction ends with it.
  /// - Returns: what `body` returns.
  /// - Throws: `SeaError`, what `body` throws, and `CancellationError` if the task was cancelled before everything was written. What a call
  ///   within `body` throws is a `SeaError`, too; who catches it goes on as if that call had not been.
  @discardableResult
  public func write<Result: Sendable>(
    _ label: String? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await writing { engine in
      var result: Result?
      var saving: Saving?
      do {
        _ = try engine.records.transaction(label: label ?? "write", dryRun: false) { open in
          let transaction = WriteTransaction(engine, open)
          saving = transaction.saving
          defer { transaction.end() }
          result = try body(transaction)
          try transaction.check()
          return true
        }
        saving?.end(as: .done)
      } catch {
        saving?.end(as: .undone)
        throw error
      }
      return result!
    }
  }

  /// What changes more than records: one after another with the writes. Nobody is asked for a password while others wait.
  /// - Parameter recovery: in whose name it is done, and with whose keys; nil for this instance.
  /// - Throws: `unauthorised` if the key of recovery is that of another database.
  func writing<Result: Sendable>(
    by recovery: RecoveryKey? = nil, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try options.requireWriting()
    defer { bell.ring() }
    return try await writer.run { engine in
      guard let identity = recovery?.identity else {
        try engine.keychain.prepare()
        return try body(engine)
      }
      guard engine.folder.proof?.recovery == identity.key else { throw KitError.notRecovery }
      return try engine.author.act(as: identity, named: "recovery") { try body(engine) }
    }
  }

  /// What `look` finds, as soon as it finds anything: it is asked at once, and again whenever something was written. Nil if the task was
  /// cancelled.
  func found<Result: Sendable>(_ look: @escaping @Sendable (Engine) throws -> Result?) async throws -> Result? {
    while !Task.isCancelled {
      // What is written while it looks is seen by looking once more.
      let count = try bell.count()
      do {
        if let found = try await reading(look) { return found }
      } catch is CancellationError {
        return nil
      }
      await bell.wait(after: count)
    }
    return nil
  }

  /// What takes its time, and lets others write meanwhile: on a connection and a thread of its own.
  /// - Parameter isLooking: whether nothing is to change.
  func working<Result: Sendable>(
    _ progress: (@Sendable (Progress) -> Void)? = nil, isLooking: Bool = false,
    _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    if !isLooking { try options.requireWriting() }
    let (path, options) = (path, options)
    let lane = try EngineLane { cancellation in
      try options.engine(at: path, isWriting: !options.isReadOnly, cancellation) { settings in
        settings.allowance = Allowance(
          seconds: nil, bytes: nil, throttle: nil, stops: { cancellation.isCancelled })
        settings.report = Progress.report(progress)
      }
    }
    defer { bell.ring() }
    return try await lane.run { engine in
      let result = try body(engine)
      // What was done stays; the rest was left because it was asked to.
      try engine.settings.checkStop()
      return result
    }
  }

  /// What moves content, beside the writes: it waits for the lock where it takes it.
  /// - Parameter progress: told how far it has come.
  func moving<Result: Sendable>(
    _ progress: (@Sendable (Progress) -> Void)?, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try options.requireWriting()
    defer { bell.ring() }
    return try await movers.run(report: Progress.report(progress), body)
  }

  func reading<Result: Sendable>(_ body: @escaping @Sendable (Engine) throws -> Result) async throws -> Result {
    try await readers.run(body)
  }
}

/// Connections of one kind, as many as are used at once, up to a number.
final class Readers: Sendable {
  private let open: @Sendable (Cancellation) throws -> Engine
  private let lanes = Guarded<[EngineLane]>([])
  private static let most = 8

  init(_ open: @escaping @Sendable (Cancellation) throws -> Engine) { self.open = open }

  func run<Result: Sendable>(
    report: (@Sendable (Work) -> Void)? = nil, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try await lane().run(report: report, body)
  }

  /// A connection that nobody else has.
  func fresh() throws -> EngineLane { try EngineLane(open) }

  /// One that has nothing to do, or the one with the least.
  private func lane() throws -> EngineLane {
    try lanes.with { lanes in
      var best: (lane: EngineLane, count: Int)?
      for lane in lanes where best == nil || best!.count > 0 {
        let count = lane.count
        if best == nil || count < best!.count { best = (lane, count) }
      }
      if let best, best.count == 0 || lanes.count == Readers.most { return best.lane }
      let new = try EngineLane(open)
      lanes.append(new)
      return new
    }
  }

  func close() async { for lane in lanes.with({ $0 }) { await lane.close() } }
}
