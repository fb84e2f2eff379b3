internal import SeaCore
internal import SeaEngine
internal import SeaSystem
internal import enum SeaContainer.BundleCompression
internal import struct SeaContainer.BundleManifest
internal import enum SeaContainer.BundleSource

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
