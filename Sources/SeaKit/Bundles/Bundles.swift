internal import SeaCore
internal import SeaEngine
internal import SeaSystem
internal import enum SeaContainer.BundleCompression
internal import enum SeaContainer.BundleSource
internal import struct SeaContainer.BundleManifest

extension Database {
  /// Export and import of bundles.
  public var bundles: Bundles { Bundles(database: self) }

  /// Operations on bundles, available as `database.bundles`. A bundle is a file that carries a whole database, or only
  /// its new blocks, to a place without access to a container.
  public struct Bundles: Sendable { let database: Database }
}

extension Database.Bundles {
  /// The point from which an export begins.
  public enum Start: Sendable, Hashable {
    /// Exports everything, so that a new instance can be created from the bundle.
    case everything
    /// Exports the blocks that arrived on this device after this time, according to this device's clock.
    case time(Timestamp)
    /// Exports the blocks that the instance with this id is not known to have.
    case instance(String)
    /// Exports the blocks that come after the blocks of the bundle at this path.
    case bundle(String)

    func core(_ engine: Engine) throws -> ExportStart {
      switch self {
      case .everything: return .everything
      case .time(let time): return .time(time.milliseconds)
      case .instance(let text):
        guard let id = UUID(text) else { throw SeaError(.usage, "invalid instance id '\(text)'") }
        return .instance(id)
      case .bundle(let path):
        return .heads(try BundleProbe.heads(of: path, named: Path.name(path), temporary: engine.path))
      }
    }
  }

  /// The compression of a bundle.
  public enum Compression: String, Sendable, CaseIterable, Codable {
    /// The compression method. `none` stores the content uncompressed.
    case none, gzip, xz, zstd
  }

  /// The options of an export.
  public struct ExportOptions: Sendable {
    /// The point from which the export begins. If nil, everything is exported or, in an exchange directory, everything
    /// that is new there.
    public var start: Start?
    /// Whether to include the content of assets if it is on this device.
    public var withAssets = true
    /// Whether to write a backup for `Database.restore`, which includes settings and hooks but no keys.
    public var isBackup = false
    /// The compression. Compression does not reduce the size of encrypted content.
    public var compression = Compression.zstd
    /// Whether to overwrite an existing file. Bundles in an exchange directory are never overwritten.
    public var replacesFile = false
    /// Whether to read the bundle back from the storage device before giving the file its final name.
    public var verifies = false
    /// Whether to start over if an exchange directory that was used before is now missing or empty. If false, the
    /// export throws `unreachable`, because the drive may not be mounted.
    public var beginsDirectory = false
    /// The maximum size of each file in bytes, at least 1; nil to write a single file.
    public var volumeSize: Int64?

    /// Creates options that export the whole database as a single file.
    public init() {}
  }

  /// Exports a bundle to a file. The file appears under its name only after all of it is safely on disk.
  /// - Parameters:
  /// - path: the path of the file, which must be outside the folder of any database or container.
  ///   - options: the content and the compression.
  /// - Throws: `usage` if the volume size is below 1, `exists` if the file exists and must not be overwritten,
  ///   `no-space`, and system errors.
  @discardableResult
  public func export(
    to path: String, _ options: ExportOptions = ExportOptions(),
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExportedBundle {
    guard options.volumeSize ?? 1 > 0 else { throw SeaError(.usage, "a volume needs at least one byte") }
    return try await database.working(progress, opensReadOnly: true) { engine in
      // Check first, because packing takes a long time.
      if !options.replacesFile, try Path.statusFollowing(path) != nil {
        throw SeaError(.exists, "'\(path)' already exists", ["path": path])
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

  /// Imports a whole bundle, or nothing if any part of it is invalid.
  /// - Parameters:
  /// - path: the path of the bundle, or of any volume if the bundle is split.
  ///   - withAssets: whether to import the content of assets.
  /// - merges: whether to merge records whose changes do not conflict.
  /// - Throws: `base-missing` if this database lacks blocks that the bundle requires, `incompatible` if the file is not
  ///   a bundle or belongs to another database, `corrupt` or `truncated` if the bundle is damaged.
  @discardableResult
  public func `import`(
    from path: String, withAssets: Bool = true, merges: Bool = true,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ImportedBundle {
    try await database.transferring(progress) { engine in
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

  /// Returns a description of a bundle without importing or fully reading it.
  /// - Throws: `incompatible` if the file is not a bundle or belongs to another database, `corrupt` if it is damaged.
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
  /// Rules that select which of this instance's bundles to keep. A bundle is kept if any rule selects it, and the
  /// newest bundle is always kept.
  public struct Retention: Sendable, Hashable {
    /// How many of the newest bundles to keep.
    public var last = 0
    /// The number of days (in local time) for each of which the newest bundle is kept. Days without bundles do not
    /// count.
    public var days = 0
    /// The number of weeks for each of which the newest bundle is kept. Weeks begin on Monday.
    public var weeks = 0
    /// The number of months for each of which the newest bundle is kept.
    public var months = 0
    /// The number of years for each of which the newest bundle is kept.
    public var years = 0

    /// Creates rules that keep only the newest bundle.
    public init() {}

    func core() throws -> SeaEngine.Retention {
      guard [last, days, weeks, months, years].allSatisfy({ $0 >= 0 }) else {
        throw SeaError(.usage, "a retention rule cannot have a negative number")
      }
      var rules = SeaEngine.Retention()
      (rules.last, rules.daily, rules.weekly, rules.monthly, rules.yearly) = (last, days, weeks, months, years)
      return rules
    }
  }

  /// Exports everything that is new for an exchange directory. Its bundles, and the heads files that other instances
  /// have left there, say what is known; the options may give another start. A read-only database does not remember the
  /// directory, so `exchanges()` does not return it.
  /// - Parameters:
  ///   - directory: a folder, whose last component may be missing, or a remote location. It must not be a container.
  ///   - options: the content and the compression; existing bundles are never replaced.
  ///   - rules: the rules for older bundles of this instance; nil keeps all. A bundle that no rule keeps is deleted,
  ///     unless a new instance could then not be restored as completely.
  ///   - progress: receives the progress.
  /// - Throws: `unreachable` if the parent folder is missing, or the directory was used before and is missing or empty
  ///   now; `exists` if it is a container; `usage` if a rule is negative; `no-space`, and errors of the system.
  @discardableResult
  public func export(
    into directory: String, _ options: ExportOptions = ExportOptions(), keeping rules: Retention? = nil,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExchangeExport {
    let retention = try rules?.core()
    let remembers = !database.isReadOnly
    return try await database.working(progress, opensReadOnly: true) { engine in
      var writing = try ExchangeExporter(engine, directory, options, retention, remembers: remembers)
      return try writing.run()
    }
  }

  /// Returns what `export(into:)` would do, without writing anything.
  public func preview(
    exportingInto directory: String, _ options: ExportOptions = ExportOptions(), keeping rules: Retention? = nil
  ) async throws -> ExchangePreview {
    let retention = try rules?.core()
    return try await database.working(opensReadOnly: true) { engine in
      var writing = try ExchangeExporter(engine, directory, options, retention, remembers: false)
      return try writing.preview()
    }
  }

  /// Imports all bundles of an exchange directory with new content, in a suitable order: each completely or not at all.
  /// Then it writes the heads file of this instance there.
  /// - Parameters:
  ///   - directory: a folder or a remote location.
  ///   - withAssets: whether to import contents of assets.
  ///   - merges: whether to merge records that were changed in different properties.
  ///   - progress: receives the progress.
  /// - Returns: the imported bundles, and the errors of the others.
  /// - Throws: `incompatible` if no bundle belongs to this database, `unreachable` if there is no folder or bundle.
  @discardableResult
  public func `import`(
    allIn directory: String, withAssets: Bool = true, merges: Bool = true,
    progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> ExchangeImport {
    try await database.transferring(progress) { engine in
      var reading = try ExchangeImporter(engine, directory)
      return try reading.run(assets: withAssets ? .all : .none, merges: merges)
    }
  }

  /// Returns descriptions of the bundles in an exchange directory, keyed by name. A bundle also counts as complete if
  /// other bundles in the directory provide the earlier blocks. Unreadable bundles and bundles of other databases are
  /// omitted.
  /// - Throws: `incompatible` if no bundle belongs to this database, `unreachable` if there are no bundles.
  public func info(allIn directory: String) async throws -> [String: BundleInfo] {
    try await database.reading { try ExchangeImporter($0, directory, isLooking: true).infos() }
  }

  /// Returns the exchange directories that this instance has used, most recently used first.
  /// - Parameter probing: whether to check local directories now. If false, their last known state is returned.
  public func exchanges(probing: Bool = false) async throws -> [ExchangeDirectory] {
    try await database.reading { engine in
      try engine.atOneState { try engine.bundles.exchanges.statuses(probe: probing).map { ExchangeDirectory($0) } }
    }
  }
}

extension BundleDirectory {
  /// - Throws: `usage` if there is no helper for the location.
  init(reaching location: String, _ engine: Engine) throws {
    if BundleDirectory.path(of: location) == nil { _ = try Containers.at(location, engine.folder.settings.helpers) }
    try self.init(location, for: engine.folder)
  }
}

extension SeaError {
  static func nothing(at path: String) -> SeaError {
    SeaError(.unreachable, "'\(path)' does not exist", ["path": path])
  }
}

struct ExchangeImporter {
  private let engine: Engine
  private let place: BundleDirectory
  private var open: [(bundle: BundleImport, path: String)] = []
  private var result = ExchangeImport()

  /// - Parameter isLooking: whether to only describe the bundles. If true, remote bundles are not downloaded.
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
        // One drive may carry bundles of several databases.
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
        let imported = try bundle.run(assets: filter)
        conflicts.add(imported.exchange)
        result.bundles.append(ExchangeImport.Bundle(bundle.name, imported))
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    for (bundle, _) in open {
      do {
        // A damaged bundle may claim to require blocks that never existed, so verify the bundle first.
        try bundle.check()
        throw TransferError.baseMissing(name: bundle.name, try bundle.missing())
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    result.merged = try engine.bundles.followUp(merges: merges).map(\.id)
    try engine.conflicts.forEach(among: conflicts.conflicts) {
      result.conflicts.append($0.id)
      return true
    }
    try place.recordUse(of: engine.bundles, writing: nil)
    return result
  }
}

struct ExchangeExporter {
  private static let mostAttempts = 100

  private let engine: Engine
  private let directory: String
  private let options: Database.Bundles.ExportOptions
  private let retention: SeaEngine.Retention?
  private let start: ExportStart?
  private let remembers: Bool
  private var unreadable: [String: SeaError] = [:]

  init(
    _ engine: Engine, _ directory: String, _ options: Database.Bundles.ExportOptions,
    _ retention: SeaEngine.Retention?, remembers: Bool
  ) throws {
    guard options.volumeSize ?? 1 > 0 else { throw SeaError(.usage, "a volume needs at least one byte") }
    (self.engine, self.directory, self.options, self.retention) = (engine, directory, options, retention)
    self.remembers = remembers
    start = try options.start?.core(engine) ?? (options.isBackup ? .everything : nil)
  }

  /// Runs the export. If another process takes the bundle name first, tries again with another name.
  mutating func run() throws -> ExchangeExport {
    for _ in 1..<ExchangeExporter.mostAttempts {
      do { return try once() } catch TransferError.bundle(_, .system(let error)) where error.isExisting {}
    }
    return try once()
  }

  private mutating func once() throws -> ExchangeExport {
    let place = try bundleDirectory(making: true)!
    let (survey, plan) = try survey(at: place)
    var written: ExportedBundle?
    if plan.isNews { written = try write(plan, to: place) }
    try place.recordUse(of: engine.bundles, writing: plan, remembers: remembers)
    var left = RetentionPlan()
    if let retention {
      left = try engine.bundles.retention.run(
        retention, at: place, survey, adding: plan.isNews ? plan : nil, offset: ThisProcess.localOffset,
        complains: { unreadable[$0] = SeaError(known: TransferError.bundle(name: $0, $1)) })
    }
    return ExchangeExport(
      bundle: written, removed: left.removed.names, kept: left.needed.names, unreadable: unreadable)
  }

  /// - Parameter making: whether to create a missing folder if its parent exists. If false, the function returns nil
  ///   instead.
  private func bundleDirectory(making: Bool) throws -> BundleDirectory? {
    if let path = BundleDirectory.path(of: directory) {
      try Location.checkWritable(Path.join(path, "bundle"), of: engine.folder)
    } else {
      _ = try Containers.at(directory, engine.folder.settings.helpers)
    }
    return try BundleDirectory.toWrite(
      directory, for: engine.bundles, isNew: options.beginsDirectory, isDry: !making)
  }

  private mutating func survey(at place: BundleDirectory) throws -> (ExchangeSurvey, ExportPlan) {
    let survey = try engine.bundles.survey(place)
    for (name, error) in survey.unreadable {
      unreadable[name] = SeaError(known: TransferError.bundle(name: name, error))
    }
    if let retention, engine.bundles.retention.lacksTimes(retention, in: survey) {
      throw SeaError(
        .refused, "'\(directory)' does not report when files were written; only the rule for the last bundles works",
        ["path": directory])
    }
    return (survey, try plan(in: survey))
  }

  private func plan(in survey: ExchangeSurvey) throws -> ExportPlan {
    try survey.plan(
      for: engine.bundles, from: start, assets: options.withAssets ? .all : .none, backup: options.isBackup)
  }

  private var compression: BundleCompression { BundleCompression(rawValue: options.compression.rawValue) ?? .zstd }

  private func name(_ plan: ExportPlan, avoiding others: [String]) throws -> String {
    BundleName.next(
      contentType: plan.manifest.contentType, label: try engine.name(), isFull: plan.isFull, compression,
      avoiding: others)
  }

  private func write(_ plan: ExportPlan, to place: BundleDirectory) throws -> ExportedBundle {
    let name = try name(plan, avoiding: place.usedNames())
    let exported = try place.write(
      plan, named: name, compression, volumeSize: options.volumeSize, verifies: options.verifies, of: engine.bundles)
    return ExportedBundle(exported, plan)
  }

  mutating func preview() throws -> ExchangePreview {
    let place = try bundleDirectory(making: false)
    let none = ExchangeSurvey()
    let (survey, plan) = if let place { try survey(at: place) } else { (none, try plan(in: none)) }
    let name = plan.isNews ? try name(plan, avoiding: place?.usedNames() ?? []) : nil
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
