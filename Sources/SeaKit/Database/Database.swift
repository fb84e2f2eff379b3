internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// A database of records on this device.
///
///     let database = try await Database.open("/home/ann/birds", creating: "org.example.birds")
///     try await database.write { try $0.save(Bird(name: "wren")) }
///     let birds = try await database.fetch(Bird.all.order(by: "name"))
///
/// You can use a `Database` from any task. Reads run in parallel, and each sees a single state of the database. Writes
/// run one after another, and also wait for writes by other processes. Reads and writes never block a thread of Swift's
/// cooperative pool. Several `Database` objects, in one or more processes, can open the same folder, and each sees what
/// the others write.
public final class Database: Sendable {
  /// The path of the folder `.sea`.
  public let path: String
  let identity = DatabaseIdentity()
  let writer: EngineLane
  let readers: ConnectionPool
  /// Connections for long content transfers, which hold the write lock only when necessary.
  private let transferConnections: ConnectionPool
  let writeNotifier: WriteNotifier
  /// The folder of an in-memory database, which is deleted with this object.
  let folder: Guarded<TemporaryFolder?>
  let options: Options
  let log: Log

  var isReadOnly: Bool { options.isReadOnly }

  init(path: String, _ options: Options, folder: TemporaryFolder? = nil) throws {
    self.path = path
    self.folder = Guarded(folder)
    self.options = options
    let log = Log(options.log)
    self.log = log
    writer = try EngineLane(identity, log) { try options.engine(at: path, isWriting: true, $0) }
    writeNotifier = WriteNotifier(path)
    readers = ConnectionPool(identity, log) { try options.engine(at: path, isWriting: false, $0) }
    transferConnections = ConnectionPool(identity, log) { cancellation in
      try options.engine(at: path, isWriting: true, cancellation) {
        $0.report = { cancellation.report?($0) }
      }
    }
  }

  /// Waits for running calls to end, then closes all connections. Completed writes are durable even without this call,
  /// and later calls reopen the connections.
  public func close() async {
    await writer.close()
    await readers.close()
    await transferConnections.close()
  }

  // MARK: - Transactions

  /// Runs `body` in a read transaction, which sees a single state of the database, on a thread of the database.
  /// - Parameter body: reads and returns the results. The transaction is valid only within this closure.
  /// - Throws: `SeaError`, errors of `body`, and `CancellationError` if the task is cancelled.
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

  /// Runs `body` in a write transaction. All writes become durable together; if `body` throws, nothing is written.
  ///
  /// Other writers wait in the meantime. Transactions of several tasks that wait at the same time become durable with
  /// one flush to the disk; each still has a separate block. `body` is called exactly once. Transactions cannot be
  /// nested, so make all related changes in one closure.
  /// - Parameters:
  ///   - label: the message of the transaction in the history, at most 1,024 bytes.
  ///   - body: reads and writes. The transaction is valid only within this closure.
  /// - Throws: `SeaError`, errors of `body`, and `CancellationError` if the task was cancelled before everything was
  ///   written. If a call within `body` throws and `body` catches the error, that call had no effect.
  @discardableResult
  public func write<Result: Sendable>(
    _ label: String? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await writing(sharesFlush: true) { engine in
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

  /// Runs work that changes more than records; writes wait for it, and it waits for writes. If a password is needed, it
  /// is requested before the write lock is acquired.
  /// - Parameters:
  ///   - recovery: the recovery key to sign with; nil to sign as this instance.
  ///   - sharesFlush: whether writes that wait at the same time share one flush to the disk.
  /// - Throws: `unauthorized` if the recovery key belongs to another database.
  func writing<Result: Sendable>(
    by recovery: RecoveryKey? = nil, sharesFlush: Bool = false, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try options.requireWriting()
    defer { writeNotifier.ring() }
    if sharesFlush {
      return try await writer.runSharingFlush { engine in
        try engine.keychain.prepare()
        return try body(engine)
      }
    }
    return try await writer.run { engine in
      guard let identity = recovery?.identity else {
        try engine.keychain.prepare()
        return try body(engine)
      }
      guard engine.folder.proof?.recovery == identity.key else { throw KitError.notRecovery }
      return try engine.author.act(as: identity, named: "recovery") { try body(engine) }
    }
  }

  /// Calls `find` immediately and then after each write, until `find` returns a result. Returns nil if cancelled.
  func firstResult<Result: Sendable>(_ find: @escaping @Sendable (Engine) throws -> Result?) async throws -> Result? {
    while !Task.isCancelled {
      // Read the count first, so that `find` is called again if a write happens in the meantime.
      let count = try writeNotifier.count()
      do {
        if let found = try await reading(find) { return found }
      } catch is CancellationError {
        return nil
      }
      await writeNotifier.wait(after: count)
    }
    return nil
  }

  /// Returns a connection and a thread for long work. As long as it lives, so do its connections to containers.
  func workLane() throws -> EngineLane {
    try EngineLane(identity, log) { [path, options] cancellation in
      try options.engine(at: path, isWriting: !options.isReadOnly, cancellation) { settings in
        settings.allowance = Allowance(
          seconds: nil, bytes: nil, throttle: nil, stops: { cancellation.isCancelled })
        settings.report = { cancellation.report?($0) }
      }
    }
  }

  /// Runs long work on a separate connection and thread, in parallel with writes.
  /// - Parameters:
  ///   - opensReadOnly: whether the work only reads.
  ///   - lane: the connection; nil for one that ends with the work.
  func working<Result: Sendable>(
    _ progress: (@Sendable (Progress) -> Void)? = nil, opensReadOnly: Bool = false, on lane: EngineLane? = nil,
    _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    if !opensReadOnly { try options.requireWriting() }
    defer { writeNotifier.ring() }
    return try await (lane ?? workLane()).run(report: Progress.report(progress)) { engine in
      let result = try body(engine)
      // If cancelled, `body` returns early. Its changes are kept, but this call throws.
      try engine.settings.checkStop()
      return result
    }
  }

  /// Runs work that transfers content, in parallel with writes. The work holds the write lock only when necessary.
  func transferring<Result: Sendable>(
    _ progress: (@Sendable (Progress) -> Void)?, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    try options.requireWriting()
    defer { writeNotifier.ring() }
    return try await transferConnections.run(report: Progress.report(progress), body)
  }

  func reading<Result: Sendable>(_ body: @escaping @Sendable (Engine) throws -> Result) async throws -> Result {
    try await readers.run(body)
  }
}

/// A pool of connections of one kind, which are opened on demand.
final class ConnectionPool: Sendable {
  private let identity: DatabaseIdentity
  private let log: Log
  private let open: @Sendable (Cancellation) throws -> Engine
  /// The lanes, each with the number of its calls.
  private let lanes = Guarded<[(lane: EngineLane, count: Int)]>([])
  /// Each connection uses up to 48 MB for its caches.
  private static let most = 4

  init(_ identity: DatabaseIdentity, _ log: Log, _ open: @escaping @Sendable (Cancellation) throws -> Engine) {
    (self.identity, self.log, self.open) = (identity, log, open)
  }

  func run<Result: Sendable>(
    report: (@Sendable (Work) -> Void)? = nil, _ body: @escaping @Sendable (Engine) throws -> Result
  ) async throws -> Result {
    let (index, lane) = try nextLane()
    // The lane counts a call until its thread goes on, which can be after the next call of the same task.
    defer { lanes.with { $0[index].count -= 1 } }
    return try await lane.run(report: report, body)
  }

  func newConnection() throws -> EngineLane { try EngineLane(identity, log, open) }

  /// Returns an idle lane if possible. Otherwise, returns a new lane or, once the maximum is reached, the least busy
  /// lane.
  private func nextLane() throws -> (index: Int, lane: EngineLane) {
    try lanes.with { lanes in
      var best = lanes.indices.min { lanes[$0].count < lanes[$1].count } ?? lanes.count
      if lanes.count < ConnectionPool.most, best == lanes.count || lanes[best].count > 0 {
        lanes.append((try newConnection(), 0))
        best = lanes.count - 1
      }
      lanes[best].count += 1
      return (best, lanes[best].lane)
    }
  }

  func close() async { for (lane, _) in lanes.with({ $0 }) { await lane.close() } }
}

// Transactions that consist of a single call.

extension Database {
  /// Returns the records of a query.
  public func fetch<Element: Sendable>(_ query: Query<Element>) async throws -> [Element] {
    try await read { try $0.fetch(query) }
  }

  /// Returns the first record of a query; nil if there is none.
  public func first<Element: Sendable>(_ query: Query<Element>) async throws -> Element? {
    try await read { try $0.first(query) }
  }

  /// Returns the record with this id, decoded as a type; nil if there is none, or if its type is different.
  public func fetch<Wanted: SeaRecord>(_ type: Wanted.Type = Wanted.self, id: String) async throws -> Wanted? {
    try await read { try $0.fetch(type, id: id) }
  }

  /// Returns the record with this id; nil if there is none.
  public func record(_ id: String) async throws -> Record? { try await read { try $0.record(id) } }

  /// Returns the number of records that a query selects.
  public func count<Element>(_ query: Query<Element>) async throws -> Int { try await read { try $0.count(query) } }

  /// Saves one typed record.
  @discardableResult
  public func save(_ record: some SeaRecord) async throws -> Revision {
    try await write("save") { try $0.save(record) }
  }

  /// Saves the changes that were made to one record.
  @discardableResult
  public func save(_ record: Record) async throws -> Revision { try await write("save") { try $0.save(record) } }

  /// Deletes one record.
  /// - Throws: `not-found` if there is no such record.
  public func delete(_ id: String) async throws { try await write("delete") { try $0.delete(id) } }
}

extension Database {
  /// The options for opening a database.
  public struct Options: Sendable {
    /// A closure that returns the password of an encrypted database whose keys are not stored on this device. The
    /// closure is called when blocks are encrypted or decrypted, on a thread that is allowed to block. Nil if there is
    /// no password.
    public var password: (@Sendable () throws -> String?)?
    /// The recovery key, which replaces the password when an encrypted database is cloned; nil if there is none.
    public var recovery: RecoveryKey?
    /// The number of seconds that a write waits for another process to finish writing; nil for no limit.
    public var lockWait: Double? = 10
    /// The program name that other processes display while they wait for this process.
    public var programName = "SeaKit"
    /// Factories for custom containers, by the scheme of the location: `containers["drive"]` serves `drive:boats`. A
    /// factory receives the whole location, and its errors are reported like those of a container. A factory can be
    /// called repeatedly, and several of its containers can be in use at the same time. A scheme has 2 to 32 lowercase
    /// letters, digits, `+`, `.` and `-`, and begins with a letter.
    public var containers: [String: @Sendable (_ location: String) async throws -> any Container] = [:]

    /// A closure that receives log messages, on any thread; it must return quickly and must not wait for this library.
    /// Nil for no log. If several `Database` objects are open, each calls only its own closure.
    public var log: (@Sendable (LogMessage) -> Void)?

    /// Whether the database is opened read-only. If true, every change throws `usage`, and no database is created.
    public var isReadOnly = false

    /// Creates the default options.
    public init() {}

    func requireWriting() throws {
      if isReadOnly { throw SeaError(.usage, "the database was opened read-only") }
    }

    /// Opens the engine of the database at a path, and loads the settings that all instances share.
    func engine(
      at path: String, isWriting: Bool, _ cancellation: Cancellation, _ change: (inout Settings) -> Void = { _ in }
    ) throws -> Engine {
      var settings = settings(of: path, isWriting: isWriting, cancellation)
      change(&settings)
      return try Engine(path: path, settings)
    }

    /// - Parameter path: the path of an existing database, whose settings apply; nil to use only the user's settings.
    func settings(of path: String?, isWriting: Bool, _ cancellation: Cancellation? = nil) -> Settings {
      var settings = isWriting ? Settings.forWriting(lockWait: lockWait, command: programName) : Settings()
      if let password { settings.password = { _ in try password().map { Array($0.utf8) } } }
      settings.recovery = recovery?.identity
      if let cancellation { settings.checkStop = { try cancellation.check() } }
      if isWriting { settings.notes = CopyGuard.folder(ThisProcess.environment) }
      settings.follow { try Config(ConfigSources(variable: ThisProcess.environment, database: path)) }
      settings.helpers = Containers.helpers(
        find: Options.program, variable: ThisProcess.environment, isHidden: SecretVariables.contains,
        complains: { [log] place, line in Log(log).warn(line, ["place": place]) })
      settings.helpers.reach(containers, until: { cancellation?.isCancelled ?? false })
      return settings
    }

    private static func program(_ name: String) -> String? {
      for list in ["SEA_EXEC_PATH", "PATH"].compactMap({ ThisProcess.environment($0) }) {
        for folder in list.split(separator: ":") where Path.isExecutable("\(folder)/\(name)") {
          return "\(folder)/\(name)"
        }
      }
      return nil
    }
  }

  /// Opens the database in a folder, or creates it if a content type is given.
  /// - Parameters:
  ///   - options: how the database is opened.
  ///   - folder: the folder that contains `.sea`, or `.sea` itself.
  ///   - contentType: the content type, in reversed domain form; an existing database must have the same one.
  ///   - name: the name of a new instance, for people.
  /// - Throws: `no-database` if there is none and no content type; `incompatible` if the content type differs;
  ///   `unsafe-directory` if it belongs to another user, or is inside a container, where others could have put it.
  public static func open(
    _ folder: String, creating contentType: String? = nil, name: String = "SeaKit", _ options: Options = Options()
  ) async throws -> Database {
    try await SerialThread.made().result(Log(options.log)) { cancellation in
      if let path = try existingDatabase(folder) {
        return try open(there: path, wanting: contentType, Creation(), options)
      }
      guard let contentType, !options.isReadOnly else {
        throw SeaError(.noDatabase, "no database found in '\(folder)'", ["path": folder])
      }
      var creation = Creation()
      (creation.contentType, creation.name) = (contentType, name)
      return try make(in: folder, creation, options, cancellation)
    }
  }

  /// Returns the path of `.sea`, given either that path or its parent folder; nil if there is no database.
  /// - Throws: `unsafe-directory` if the database may have been planted by others.
  private static func existingDatabase(_ folder: String) throws -> String? {
    try Location.trusting(Location.Rules(), ThisProcess.environment) { rules in
      if Location.isDatabase(folder) { return try Location.use(folder, rules) }
      return try Location.here(folder, rules).flatMap { Location.isDatabase($0) ? $0 : nil }
    }
  }

  /// - Parameter contentType: the required content type; nil for any.
  private static func open(
    there path: String, wanting contentType: String?, _ creation: Creation, _ options: Options
  ) throws -> Database {
    if let contentType {
      let there = try Engine(path: path)
      defer { there.close() }
      // The caller relies on the properties that it requested.
      if try creation.isSealed && !there.isSealed() {
        throw SeaError(.incompatible, "the database at '\(path)' is not encrypted", ["path": path])
      }
      if creation.hasMembers && !there.hasMembers {
        throw SeaError(.incompatible, "the database at '\(path)' has no members", ["path": path])
      }
      let have = try there.contentType()
      guard UTF8Text.equal(have, contentType) else {
        throw KitError.otherContentType(path: path, have: have, want: contentType)
      }
    }
    return try Database(path: path, options)
  }

  /// The properties of a new database.
  public struct NewDatabase: Sendable {
    /// The content type, in reverse domain notation.
    public var contentType: String
    /// The display name of the first instance.
    public var name: String
    /// Whether blocks are encrypted. If true, reading requires a stored key or the password from the options.
    public var isSealed = false
    /// Whether only changes made by authorized instances are valid. Initially, only this instance is authorized.
    public var hasMembers = false
    /// The recovery key of a database with members, which can authorize and revoke instances without an admin device;
    /// nil for none. A recovery key cannot be added later.
    public var recovery: RecoveryKey?

    /// Creates the properties of an unencrypted database without members.
    public init(contentType: String, name: String) { (self.contentType, self.name) = (contentType, name) }
  }

  /// Creates a database in a folder, or opens the existing database. If creating the database fails, nothing is left in
  /// the folder.
  /// - Throws: `incompatible` if the existing database has a different content type, or lacks the requested encryption
  ///   or members; `usage` if a recovery key is given without members.
  public static func create(
    in folder: String, _ new: NewDatabase, _ options: Options = Options()
  ) async throws -> Database {
    try await SerialThread.made().result(Log(options.log)) { cancellation in
      guard new.hasMembers || new.recovery == nil else {
        throw SeaError(.usage, "a recovery key requires a database with members")
      }
      var creation = Creation()
      (creation.contentType, creation.name) = (new.contentType, new.name)
      (creation.isSealed, creation.hasMembers) = (new.isSealed, new.hasMembers)
      creation.recovery = new.recovery?.identity
      if options.isReadOnly, let path = try existingDatabase(folder) {
        return try open(there: path, wanting: new.contentType, creation, options)
      }
      try options.requireWriting()
      return try make(in: folder, creation, options, cancellation)
    }
  }

  private static func make(
    in folder: String, _ creation: Creation, _ options: Options, _ cancellation: Cancellation
  ) throws -> Database {
    let made = try Engine.create(in: folder, creation, options.settings(of: nil, isWriting: true, cancellation))
    guard made.created else {
      return try open(there: existingDatabase(folder) ?? made.path, wanting: creation.contentType, creation, options)
    }
    return try Database(path: made.path, options)
  }

  /// Creates a new instance of the database in a container, and attaches the container as `origin`. If cloning fails,
  /// nothing is left in the folder. If cloning is cancelled, the content received so far may be left, and the next
  /// clone continues from there.
  /// - Parameters:
  ///   - container: the location of the container: a folder, or a location that a helper supports.
  ///   - folder: the folder in which `.sea` is created.
  ///   - name: the display name of the new instance.
  ///   - options: the options for opening the database.
  /// - Throws: an error if the password is wrong, a database already exists, or the container has no valid content.
  public static func clone(
    _ container: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> Database {
    try await SerialThread.made().result(Log(options.log)) { cancellation in
      let settings = options.settings(of: nil, isWriting: true, cancellation)
      let cloned = try Engine.clone(container, to: folder, name: name, settings).database
      let path = cloned.path
      cloned.close()
      return try Database(path: path, options)
    }
  }

  /// Creates a temporary database that no other process sees, for tests, previews and drafts. Its files are in memory
  /// if the system supports that, and are deleted with the last reference to the database. Unless the options define
  /// the scheme `memory`, this scheme leads to a new ``MemoryContainer``.
  /// - Parameters:
  ///   - contentType: the content type, in reverse domain notation.
  ///   - name: the display name of the instance.
  ///   - options: the options for opening the database.
  public static func inMemory(
    _ contentType: String = "org.example.data", name: String = "memory", _ options: Options = Options()
  ) async throws -> Database {
    var options = options
    if options.containers["memory"] == nil {
      let shared = MemoryContainer()
      options.containers["memory"] = { _ in shared }
    }
    return try await SerialThread.made().result(Log(options.log)) { [options] cancellation in
      let folder = try TemporaryFolder(inMemory: "SeaKit")
      var creation = Creation()
      (creation.contentType, creation.name) = (contentType, name)
      let made = try Engine.create(
        in: folder.path(of: "database"), creation, options.settings(of: nil, isWriting: true, cancellation))
      return try Database(path: made.path, options, folder: folder)
    }
  }
}
