internal import SeaCore
internal import SeaEngine

extension Database.Bundles {
  /// Which of the bundles that this instance has written into an exchange directory are wanted. One stays if one of the rules wants it; the
  /// newest one always does.
  public struct Retention: Sendable, Hashable {
    /// The last so many.
    public var last = 0
    /// The newest of each of the last so many days that have some, in local time by the times of the files.
    public var days = 0
    /// The same of weeks, which begin on Monday.
    public var weeks = 0
    /// The same of months.
    public var months = 0
    /// The same of years.
    public var years = 0

    /// The newest one alone.
    public init() {}

    func core() throws -> SeaEngine.Retention {
      guard [last, days, weeks, months, years].allSatisfy({ $0 >= 0 }) else {
        throw SeaError(.usage, "a rule keeps no bundle at least")
      }
      var rules = SeaEngine.Retention()
      (rules.last, rules.daily, rules.weekly, rules.monthly, rules.yearly) = (last, days, weeks, months, years)
      return rules
    }
  }

  /// Writes what an exchange directory lacks: what the bundles there hold together, and what all other instances have that have left word there,
  /// is left out, unless the options say where to begin. A database that is only read does not remember that it was here: `exchanges()`
  /// does not tell of it.
  /// - Parameters:
  ///   - directory: a folder, of which the last component may be missing, or where one lies elsewhere. It is no container.
  ///   - options: what goes along, and how it is packed. A bundle there is never replaced.
  ///   - rules: which older bundles of this instance stay. What no rule wants goes, unless the rest does not bring somebody who has nothing as
  ///     far; nil if all stay.
  ///   - progress: told how far it has come.
  /// - Throws: `unreachable` if what it would lie in is not there, or if it was used before and is missing or empty now, `exists` if it is a container, `usage` if a rule is negative, `no-space`, and what
  ///   the system could not do or does not allow, as in a folder of a database.
  @discardableResult
  public func export(
    into directory: String, _ options: ExportOptions = ExportOptions(), keeping rules: Retention? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExchangeExport {
    let retention = try rules?.core()
    let remembers = !database.isReadOnly
    return try await database.working(progress, isLooking: true) { engine in
      var writing = try ExchangeWriting(engine, directory, options, retention, remembers: remembers)
      return try writing.run()
    }
  }

  /// What `export(into:)` would do; nothing is written.
  public func preview(
    into directory: String, _ options: ExportOptions = ExportOptions(), keeping rules: Retention? = nil
  ) async throws -> ExchangePreview {
    let retention = try rules?.core()
    return try await database.working(isLooking: true) { engine in
      var writing = try ExchangeWriting(engine, directory, options, retention, remembers: false)
      return try writing.preview()
    }
  }

  /// Takes in every bundle of an exchange directory that has something new, in an order that fits: each of them whole, or not at all. Then
  /// others see there what this instance has.
  /// - Parameters:
  ///   - directory: a folder, or where one lies elsewhere.
  ///   - withAssets: whether contents are taken in that they bring.
  ///   - merges: whether records are merged that were changed at different places.
  ///   - progress: told how far it has come.
  /// - Returns: what was taken in, and what was not, and why.
  /// - Throws: `incompatible` if no bundle there is of this database, `unreachable` if there is no such folder, or no bundle in it.
  @discardableResult
  public func `import`(
    allIn directory: String, withAssets: Bool = true, merges: Bool = true,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExchangeImport {
    try await database.moving(progress) { engine in
      var reading = try ExchangeReading(engine, directory)
      return try reading.run(assets: withAssets ? .all : .none, merges: merges)
    }
  }

  /// What the bundles of an exchange directory say of themselves, by their names; nothing of them is taken in. One is complete if the others
  /// there bring what it goes on from, too. Those that cannot be read, and those of other databases, are left out.
  /// - Throws: `incompatible` if no bundle there is of this database, `unreachable` if there is no such folder, or no bundle in it.
  public func info(allIn directory: String) async throws -> [String: BundleInfo] {
    try await database.reading { try ExchangeReading($0, directory, isLooking: true).infos() }
  }

  /// The exchange directories that this instance has used last; the last one comes first.
  /// - Parameter probing: whether it is looked into those that are folders; else what is remembered is told.
  public func exchanges(probing: Bool = false) async throws -> [ExchangeDirectory] {
    try await database.reading { engine in
      try engine.atOneState { try engine.bundles.exchanges.statuses(probe: probing).map { ExchangeDirectory($0) } }
    }
  }
}

extension ExchangePlace {
  /// - Throws: `usage` if nothing reaches the location.
  init(reaching location: String, _ engine: Engine) throws {
    if ExchangePlace.path(of: location) == nil { _ = try Containers.at(location, engine.folder.settings.helpers) }
    try self.init(location, for: engine.folder)
  }
}

extension SeaError {
  static func nothing(at path: String) -> SeaError {
    SeaError(.unreachable, "there is nothing at '\(path)'", ["path": path])
  }
}
