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

// What takes one call.

extension Database {
  /// The records of a query.
  public func fetch<Element: Sendable>(_ query: Query<Element>) async throws -> [Element] {
    try await read { try $0.fetch(query) }
  }

  /// The first record of a query; nil if there is none.
  public func first<Element: Sendable>(_ query: Query<Element>) async throws -> Element? {
    try await read { try $0.first(query) }
  }

  /// The record with this id as a type; nil if there is none, or it is of another type.
  public func fetch<Wanted: SeaRecord>(_ type: Wanted.Type = Wanted.self, id: String) async throws -> Wanted? {
    try await read { try $0.fetch(type, id: id) }
  }

  /// The record with this id; nil if there is none.
  public func record(_ id: String) async throws -> Record? { try await read { try $0.record(id) } }

  /// How many records a query means.
  public func count<Element>(_ query: Query<Element>) async throws -> Int { try await read { try $0.count(query) } }

  /// Saves one typed record.
  @discardableResult
  public func save(_ record: some SeaRecord) async throws -> Revision {
    try await write("save") { try $0.save(record) }
  }

  /// Saves what was set and unset in one record.
  @discardableResult
  public func save(_ record: Record) async throws -> Revision { try await write("save") { try $0.save(record) } }

  /// Deletes one record.
  /// - Throws: `not-found` if there is none.
  public func delete(_ id: String) async throws { try await write("delete") { try $0.delete(id) } }
}

extension Database {
  /// How a database is opened.
  public struct Options: Sendable {
    /// Where the password of a sealed database comes from whose keys are not kept on this device; called when something is to be sealed
    /// or opened, on a thread that may wait. Nil if there is none.
    public var password: (@Sendable () throws -> String?)?
    /// The key of recovery, which opens a sealed database that is cloned in the place of a password; nil if there is none.
    public var recovery: RecoveryKey?
    /// Seconds that a write waits for another process that writes; nil for ever.
    public var lockWait: Double? = 10
    /// What other processes see while they wait for this one.
    public var programName = "SeaKit"
    /// What makes containers of the program's own, by the scheme of their location: `containers["drive"]` for `drive:boats`. Each is told the whole
    /// location. One may be made more than once, and several be in use at a time; what it throws is told as what a container throws. A
    /// scheme is two to 32 lower-case letters, digits, `+`, `.` and `-`, with a letter in front.
    public var containers: [String: @Sendable (_ location: String) async throws -> any Container] = [:]

    /// Whether it is only read: what would change anything throws `usage`, and nothing is made where there is no database. Others may write
    /// to it all the same.
    public var isReadOnly = false

    /// As most programs need it.
    public init() {}

    /// - Throws: `usage` if the database is only to be read.
    func requireWriting() throws {
      if isReadOnly { throw SeaError(.usage, "the database was opened for reading alone") }
    }

    /// Opens the database at a path. What its instances share counts among its settings.
    func engine(
      at path: String, isWriting: Bool, _ cancellation: Cancellation, _ change: (inout Settings) -> Void = { _ in }
    ) throws -> Engine {
      let shared = SharedSource()
      var settings = settings(of: path, isWriting: isWriting, cancellation, shared)
      change(&settings)
      let engine = try Engine(path: path, settings)
      shared.engine = engine
      return engine
    }

    /// - Parameters:
    ///   - path: of a database that is there, whose settings count; nil for those of the user alone.
    ///   - shared: where those that its instances share come from.
    func settings(
      of path: String?, isWriting: Bool, _ cancellation: Cancellation? = nil, _ shared: SharedSource? = nil
    ) -> Settings {
      var settings = isWriting ? Settings.forWriting(lockWait: lockWait, command: programName) : Settings()
      if let password { settings.password = { _ in try password().map { Array($0.utf8) } } }
      settings.recovery = recovery?.identity
      if let cancellation { settings.checkStop = { try cancellation.check() } }
      if isWriting { settings.notes = CopyGuard.folder(ThisProcess.environment) }
      settings.follow {
        var sources = ConfigSources(variable: ThisProcess.environment, database: path)
        sources.shared = { group in try shared?.engine.map { try $0.sharedSettings.settings(of: group) } ?? [] }
        return try Config(sources)
      }
      settings.helpers = Containers.helpers(
        find: Options.program, variable: ThisProcess.environment, isHidden: SecretVariables.contains,
        complains: { _, _ in })
      settings.helpers.reach(containers, until: { cancellation?.isCancelled ?? false })
      return settings
    }

    /// The program that reaches a kind of container.
    private static func program(_ name: String) -> String? {
      for list in ["SEA_EXEC_PATH", "PATH"].compactMap({ ThisProcess.environment($0) }) {
        for folder in list.split(separator: ":") where Path.isExecutable("\(folder)/\(name)") {
          return "\(folder)/\(name)"
        }
      }
      return nil
    }
  }

  /// Opens the database in a folder, and makes it there if it is told what kind.
  /// - Parameters:
  ///   - options: how it is opened.
  ///   - folder: where `.sea` lies, or that itself.
  ///   - contentType: what kind of data it holds, in reversed domain form, if a database is to be made where there is none. What is there
  ///     already has to be of that kind.
  ///   - name: what a new instance is called, for people.
  /// - Throws: `no-database` if there is none and none is to be made; `incompatible` if it is of another kind; `unsafe-directory` if it
  ///   belongs to somebody else, or lies in a container, where others could have put it.
  public static func open(
    _ folder: String, creating contentType: String? = nil, name: String = "SeaKit", _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result { cancellation in
      if let path = try there(folder) { return try open(there: path, wanting: contentType, Creation(), options) }
      guard let contentType, !options.isReadOnly else {
        throw SeaError(.noDatabase, "there is no database in '\(folder)'", ["path": folder])
      }
      var creation = Creation()
      (creation.contentType, creation.name) = (contentType, name)
      return try make(in: folder, creation, options, cancellation)
    }
  }

  /// The `.sea` that a program names, or the folder that it lies in; nil if there is no database.
  /// - Throws: `unsafe-directory` if others have chosen what is in it.
  private static func there(_ folder: String) throws -> String? {
    try Location.trusting(Location.Rules(), ThisProcess.environment) { rules in
      if Location.isDatabase(folder) { return try Location.use(folder, rules) }
      return try Location.here(folder, rules).flatMap { Location.isDatabase($0) ? $0 : nil }
    }
  }

  /// - Parameters:
  ///   - contentType: what it has to hold; nil for whatever it does.
  ///   - creation: what was to be made, if anything was.
  private static func open(
    there path: String, wanting contentType: String?, _ creation: Creation, _ options: Options
  ) throws -> Database {
    if let contentType {
      let there = try Engine(path: path)
      defer { there.close() }
      // Whoever asks for them relies on them.
      if try creation.isSealed && !there.isSealed() {
        throw SeaError(.incompatible, "the database at '\(path)' is not sealed", ["path": path])
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

  /// What a new database is.
  public struct NewDatabase: Sendable {
    /// What kind of data it holds, in reversed domain form.
    public var contentType: String
    /// What its first instance is called, for people.
    public var name: String
    /// Whether its blocks are sealed: who has neither a key nor the password of the options reads nothing.
    public var isSealed = false
    /// Whether it has members: only what instances write that were authorised counts, the first of them this one.
    public var hasMembers = false
    /// In a database with members the key of recovery, which may let in and shut out when no device of an admin is left; nil for none. It
    /// cannot be added later.
    public var recovery: RecoveryKey?

    /// A plain database without members.
    public init(contentType: String, name: String) { (self.contentType, self.name) = (contentType, name) }
  }

  /// Makes a database in a folder, or finds the one that is there.
  /// - Throws: `incompatible` if what is there is of another kind, or not sealed or without members where these are wanted; `usage` if it is
  ///   to have a key of recovery and no members; and nothing is left behind if it cannot be made.
  public static func create(
    in folder: String, _ new: NewDatabase, _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result { cancellation in
      guard new.hasMembers || new.recovery == nil else {
        throw SeaError(.usage, "a key of recovery is for databases with members")
      }
      var creation = Creation()
      (creation.contentType, creation.name) = (new.contentType, new.name)
      (creation.isSealed, creation.hasMembers) = (new.isSealed, new.hasMembers)
      creation.recovery = new.recovery?.identity
      if options.isReadOnly, let path = try there(folder) {
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
      return try open(there: there(folder) ?? made.path, wanting: creation.contentType, creation, options)
    }
    return try Database(path: made.path, options)
  }

  /// Makes a new instance of the database that a container holds, which is attached as `origin`.
  /// - Parameters:
  ///   - options: how it is opened.
  ///   - container: where it lies: a folder, or what a helper reaches.
  ///   - folder: where `.sea` is to be.
  ///   - name: what the instance is called, for people.
  /// - Throws: an error, and nothing is left behind, if the password opens nothing, a database is there already, or nothing of the
  ///   container verifies. One that is cancelled may leave what has come, with which the next one goes on.
  public static func clone(
    _ container: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result { cancellation in
      let settings = options.settings(of: nil, isWriting: true, cancellation)
      let cloned = try Engine.clone(container, to: folder, name: name, settings).database
      let path = cloned.path
      cloned.close()
      return try Database(path: path, options)
    }
  }

  /// A database that nobody else sees and that is gone when it is not used any more: for tests, previews and drafts. Its files lie in
  /// memory where the system has a place for that, and are like those of every other database.
  /// - Parameters:
  ///   - contentType: what kind of data it holds, in reversed domain form.
  ///   - options: how it is opened.
  ///   - name: what the instance is called, for people.
  public static func inMemory(
    _ contentType: String = "org.example.data", name: String = "memory", _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result { cancellation in
      let folder = try TemporaryFolder(inMemory: "SeaKit")
      var creation = Creation()
      (creation.contentType, creation.name) = (contentType, name)
      let made = try Engine.create(
        in: folder.path(of: "database"), creation, options.settings(of: nil, isWriting: true, cancellation))
      return try Database(path: made.path, options, folder: folder)
    }
  }
}
