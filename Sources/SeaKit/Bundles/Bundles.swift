internal import SeaCore
internal import SeaEngine
internal import SeaSystem
internal import enum SeaContainer.BundleCompression
internal import enum SeaContainer.BundleSource
internal import struct SeaContainer.BundleManifest

extension Database {
  /// The database, or what is new of it, as a file.
  public var bundles: Bundles { Bundles(database: self) }

  /// Files that carry a database, or what is new of it, to where no container is reached: `database.bundles`.
  public struct Bundles: Sendable { let database: Database }
}

extension Database.Bundles {
  /// Where an export begins.
  public enum Start: Sendable, Hashable {
    /// With the first block of everybody: whoever has nothing can begin with it.
    case everything
    /// Behind what had arrived here until then, by the clock of this device.
    case time(Timestamp)
    /// Behind what an instance, by its id, is known to have seen.
    case instance(String)
    /// Behind what whoever has taken in a bundle has, by its path.
    case bundle(String)

    func core(_ engine: Engine) throws -> ExportStart {
      switch self {
      case .everything: return .everything
      case .time(let time): return .time(time.milliseconds)
      case .instance(let text):
        guard let id = UUID(text) else { throw SeaError(.usage, "'\(text)' is no id of an instance") }
        return .instance(id)
      case .bundle(let path):
        return .heads(try BundleProbe.heads(of: path, named: Path.name(path), temporary: engine.path))
      }
    }
  }

  /// How a bundle is packed.
  public enum Compression: String, Sendable, CaseIterable, Codable {
    /// As the content is, or smaller.
    case none, gzip, xz, zstd
  }

  /// What an export does.
  public struct ExportOptions: Sendable {
    /// Where it begins; nil for the beginning, or in an exchange directory behind what the bundles and instances there have.
    public var start: Start?
    /// Whether the contents of assets go along that are on this device.
    public var withAssets = true
    /// Whether the settings of this database and its hooks go along, and never a key: a backup, of which `Database.restore` makes the
    /// database again.
    public var isBackup = false
    /// How it is packed; what is sealed gets no smaller.
    public var compression = Compression.zstd
    /// Whether a file of that name may go; in an exchange directory none does.
    public var replacesFile = false
    /// Whether what was written is read back from the medium before it gets its name.
    public var verifies = false
    /// Whether an exchange directory is begun even if it was used before and is missing or empty now, as where a drive is not plugged in.
    public var beginsDirectory = false
    /// Whether it is cut into files of at most so many bytes, 1 at least; nil for one file.
    public var volumeSize: Int64?

    /// All of the database as one file.
    public init() {}
  }

  /// Writes a bundle as a file. It has its name when all of it is on the medium, and before that nothing is there.
  /// - Parameters:
  ///   - options: what goes along, and how it is packed.
  ///   - path: the file.
  ///   - progress: told how far it has come.
  /// - Throws: `usage` if the volumes have no bytes, `exists` if there is such a file and it may not go, `no-space`, and what the
  ///   system could not do or does not allow, as in a folder of a database.
  @discardableResult
  public func export(
    to path: String, _ options: ExportOptions = ExportOptions(),
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExportedBundle {
    guard options.volumeSize ?? 1 > 0 else { throw SeaError(.usage, "a volume has one byte at least") }
    return try await database.working(progress, isLooking: true) { engine in
      // It is not packed for nothing.
      if !options.replacesFile, try Path.statusFollowing(path) != nil {
        throw SeaError(.exists, "there is a file at '\(path)' already", ["path": path])
      }
      try Location.checkWritable(path, of: engine.folder)
      let plan = try engine.atOneState {
        let behind = try engine.bundles.frontier(of: options.start?.core(engine) ?? .everything)
        return try engine.bundles.plan(
          behind: behind, assets: options.withAssets ? .all : .none, backup: options.isBackup)
      }
      let exported = try engine.bundles.export(
        plan, BundleCompression(rawValue: options.compression.rawValue) ?? .zstd, to: path,
        volumeSize: options.volumeSize, replace: options.replacesFile, verifies: options.verifies)
      return ExportedBundle(exported, plan)
    }
  }

  /// Takes in a bundle: all of it, or nothing if anything of it is not as it should be. What merges without a clash is merged.
  /// - Parameters:
  ///   - path: the file; of several volumes any of them.
  ///   - withAssets: whether contents are taken in that it brings.
  ///   - merges: whether records are merged that were changed at different places.
  ///   - progress: told how far it has come.
  /// - Throws: `base-missing` if it goes on from what is not here, `incompatible` if it is no bundle or one of another database, `corrupt` or
  ///   `truncated` if it is damaged.
  @discardableResult
  public func `import`(
    from path: String, withAssets: Bool = true, merges: Bool = true,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ImportedBundle {
    try await database.moving(progress) { engine in
      let source = BundleSource.file(path: path)
      let bundle = try BundleImport(source, named: path, in: engine.bundles)
      try engine.bundles.enter(through: [source])
      let result = try bundle.run(assets: withAssets ? .all : .none)
      let merged = try engine.bundles.followUp(merges: merges)
      var open: [String] = []
      try engine.conflicts.forEach(among: result.exchange.conflicts) {
        open.append($0.id)
        return true
      }
      return ImportedBundle(bundle, result, merged: merged.map(\.id), conflicts: open)
    }
  }

  /// What a bundle says of itself; nothing of it is taken in, and it is not read to its end.
  /// - Throws: `incompatible` if it is no bundle or one of another database, `corrupt` if it is damaged.
  public func info(of path: String) async throws -> BundleInfo {
    try await database.reading { engine in
      let bundle = try BundleImport(.file(path: path), named: path, in: engine.bundles)
      return BundleInfo(
        bundle, from: try Instances(engine)[bundle.manifest.from], isComplete: try bundle.missing().isEmpty,
        isKnown: try bundle.isKnown())
    }
  }
}

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

extension BundleDirectory {
  /// - Throws: `usage` if nothing reaches the location.
  init(reaching location: String, _ engine: Engine) throws {
    if BundleDirectory.path(of: location) == nil { _ = try Containers.at(location, engine.folder.settings.helpers) }
    try self.init(location, for: engine.folder)
  }
}

extension SeaError {
  static func nothing(at path: String) -> SeaError {
    SeaError(.unreachable, "there is nothing at '\(path)'", ["path": path])
  }
}

/// An import of an exchange directory.
struct ExchangeReading {
  private let engine: Engine
  private let place: BundleDirectory
  private var open: [(bundle: BundleImport, path: String)] = []
  private var result = ExchangeImport()

  /// - Parameter isLooking: whether nothing is taken in: what lies elsewhere stays there.
  init(_ engine: Engine, _ directory: String, isLooking: Bool = false) throws {
    self.engine = engine
    if let path = BundleDirectory.path(of: directory), try Path.statusFollowing(path) == nil {
      throw SeaError.nothing(at: path)
    }
    place = try BundleDirectory(reaching: directory, engine)
    let bundles = try place.bundles()
    guard !bundles.isEmpty else { throw TransferError.noBundles(path: directory) }
    var others: TransferError?
    for bundle in bundles {
      do {
        open.append((try place.opened(bundle, in: engine.bundles, isLooking ? nil : .all), bundle.path))
      } catch let error as TransferError {
        // A stick may carry those of several databases.
        if case .mismatch = error { others = error } else { fail(bundle.name, error) }
      }
    }
    if let others, open.isEmpty, result.failures.isEmpty { throw others }
  }

  func infos() throws -> [String: BundleInfo] {
    let instances = try Instances(engine)
    var infos: [String: BundleInfo] = [:]
    for (bundle, _) in open {
      let lacking = try bundle.missing().filter { base in
        !open.contains { $0.bundle !== bundle && $0.bundle.brought.contains { base.isCovered(by: $0) } }
      }
      infos[bundle.name] = BundleInfo(
        bundle, from: instances[bundle.manifest.from], isComplete: lacking.isEmpty,
        isKnown: try lacking.isEmpty && bundle.isKnown())
    }
    return infos
  }

  private mutating func fail(_ name: String, _ error: any Error) { result.failures[name] = SeaError(known: error) }

  mutating func run(assets filter: AssetFilter, merges: Bool) throws -> ExchangeImport {
    try engine.bundles.enter(through: open.map { .file(path: $0.path) })
    var conflicts = SyncResult()
    while let at = try open.firstIndex(where: { try $0.bundle.missing().isEmpty }) {
      try engine.settings.checkStop()
      let bundle = open.remove(at: at).bundle
      do {
        if try bundle.isKnown(filter) {
          result.known += 1
          continue
        }
        let taken = try bundle.run(assets: filter)
        conflicts.add(taken.exchange)
        result.bundles.append(ExchangeImport.Bundle(bundle.name, taken))
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    for (bundle, _) in open {
      do {
        // A damaged one may claim anything.
        try bundle.check()
        throw TransferError.baseMissing(name: bundle.name, try bundle.missing())
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    result.merged = try engine.bundles.followUp(merges: merges).map(\.id)
    try engine.conflicts.forEach(among: conflicts.conflicts) {
      result.conflicts.append($0.id)
      return true
    }
    try place.leaveWord(of: engine.bundles, writing: nil)
    return result
  }
}

/// An export into an exchange directory.
struct ExchangeWriting {
  private static let mostAttempts = 100

  private let engine: Engine
  private let directory: String
  private let options: Database.Bundles.ExportOptions
  private let retention: SeaEngine.Retention?
  private let start: ExportStart?
  /// Nothing is noted in a database that is only read.
  private let remembers: Bool
  private var unreadable: [String: SeaError] = [:]

  init(
    _ engine: Engine, _ directory: String, _ options: Database.Bundles.ExportOptions,
    _ retention: SeaEngine.Retention?, remembers: Bool
  ) throws {
    guard options.volumeSize ?? 1 > 0 else { throw SeaError(.usage, "a volume has one byte at least") }
    (self.engine, self.directory, self.options, self.retention) = (engine, directory, options, retention)
    self.remembers = remembers
    start = try options.start?.core(engine) ?? (options.isBackup ? .everything : nil)
  }

  /// Where another export was faster with the name, what it wrote is looked at too.
  mutating func run() throws -> ExchangeExport {
    for _ in 1..<ExchangeWriting.mostAttempts {
      do { return try once() } catch TransferError.bundle(_, .system(let error)) where error.isExisting {}
    }
    return try once()
  }

  private mutating func once() throws -> ExchangeExport {
    let place = try place(making: true)!
    let (survey, plan) = try look(at: place)
    var written: ExportedBundle?
    if plan.isNews { written = try write(plan, to: place) }
    try place.leaveWord(of: engine.bundles, writing: plan, remembers: remembers)
    var left = RetentionPlan()
    if let retention {
      left = try engine.bundles.retention.run(
        retention, at: place, survey, adding: plan.isNews ? plan : nil, offset: ThisProcess.localOffset,
        complains: { unreadable[$0] = SeaError(known: TransferError.bundle(name: $0, $1)) })
    }
    return ExchangeExport(
      bundle: written, removed: left.removed.names, kept: left.needed.names, unreadable: unreadable)
  }

  /// - Parameter making: whether the folder is made if only that is missing.
  /// - Returns: nil if the folder is missing and is not to be made.
  private func place(making: Bool) throws -> BundleDirectory? {
    if let path = BundleDirectory.path(of: directory) {
      // A folder of a database is no place for bundles.
      try Location.checkWritable(Path.join(path, "bundle"), of: engine.folder)
    } else {
      _ = try Containers.at(directory, engine.folder.settings.helpers)
    }
    return try BundleDirectory.toWrite(
      directory, for: engine.bundles, isNew: options.beginsDirectory, isDry: !making)
  }

  private mutating func look(at place: BundleDirectory) throws -> (ExchangeSurvey, ExportPlan) {
    let survey = try engine.bundles.survey(place)
    for (name, error) in survey.unreadable {
      unreadable[name] = SeaError(known: TransferError.bundle(name: name, error))
    }
    if let retention, engine.bundles.retention.lacksTimes(retention, in: survey) {
      throw SeaError(
        .refused, "'\(directory)' does not tell when its files were written: only the rule of the last ones goes there",
        ["path": directory])
    }
    return (survey, try plan(in: survey))
  }

  private func plan(in survey: ExchangeSurvey) throws -> ExportPlan {
    try survey.plan(
      for: engine.bundles, from: start, assets: options.withAssets ? .all : .none, backup: options.isBackup)
  }

  private var compression: BundleCompression { BundleCompression(rawValue: options.compression.rawValue) ?? .zstd }

  private func name(_ plan: ExportPlan, taken: [String]) throws -> String {
    BundleName.next(
      contentType: plan.manifest.contentType, label: try engine.name(), isFull: plan.isFull, compression, taken: taken)
  }

  private func write(_ plan: ExportPlan, to place: BundleDirectory) throws -> ExportedBundle {
    let name = try name(plan, taken: place.taken())
    let exported = try place.write(
      plan, named: name, compression, volumeSize: options.volumeSize, verifies: options.verifies, of: engine.bundles)
    return ExportedBundle(exported, plan)
  }

  mutating func preview() throws -> ExchangePreview {
    let place = try place(making: false)
    let none = ExchangeSurvey()
    let (survey, plan) = if let place { try look(at: place) } else { (none, try plan(in: none)) }
    let name = plan.isNews ? try name(plan, taken: place?.taken() ?? []) : nil
    var left = RetentionPlan()
    if let retention {
      left = try engine.atOneState {
        try engine.bundles.retention.plan(
          retention, in: survey, adding: plan.isNews ? plan : nil, offset: ThisProcess.localOffset)
      }
    }
    return ExchangePreview(plan, name: name, left, unreadable)
  }
}
