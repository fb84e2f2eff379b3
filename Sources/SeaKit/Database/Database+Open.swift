internal import SeaCore
internal import SeaEngine
internal import SeaSystem

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
