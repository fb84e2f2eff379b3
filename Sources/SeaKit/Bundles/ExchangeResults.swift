internal import SeaCore
internal import SeaEngine
internal import struct SeaContainer.BundleManifest

/// The result of an export into an exchange directory.
public struct ExchangeExport: Sendable {
  /// The exported bundle; nil if there was nothing new.
  public let bundle: ExportedBundle?
  /// The names of the deleted bundles of this instance, oldest first.
  public let removed: [String]
  /// The names of the bundles that were kept only because they contain something that no other bundle contains.
  public let kept: [String]
  /// The errors of unreadable bundles, keyed by bundle name. The content of these bundles was exported again.
  public let unreadable: [String: SeaError]
}

/// A preview of an export into an exchange directory.
public struct ExchangePreview: Sendable {
  /// The name of the new bundle; nil if there is nothing new.
  public let name: String?
  /// The number of blocks that would be exported.
  public let blocks: Int
  /// The number of record changes in the blocks that this instance can read.
  public let changes: Int
  /// The number of asset files that would be exported.
  public let assets: Int
  /// Whether a new instance could be created from the bundle alone.
  public let isFull: Bool
  /// The names of the bundles of this instance that would be deleted, oldest first.
  public let removed: [String]
  /// The names of the bundles that would be kept only because they contain something that no other bundle contains.
  public let kept: [String]
  /// The errors of unreadable bundles, keyed by bundle name.
  public let unreadable: [String: SeaError]

  init(_ plan: ExportPlan, name: String?, _ retention: RetentionPlan, _ unreadable: [String: SeaError]) {
    self.name = name
    let isNews = name != nil
    (blocks, changes) = isNews ? (Int(plan.manifest.blocks), plan.changes) : (0, 0)
    (assets, isFull) = isNews ? (plan.assetCount, plan.isFull) : (0, false)
    (removed, kept) = (retention.removed.names, retention.needed.names)
    self.unreadable = unreadable
  }
}

extension [SurveyedBundle] {
  var names: [String] { map(\.bundle.name) }
}

/// The result of an import from an exchange directory.
public struct ExchangeImport: Sendable {
  /// The result of importing one bundle.
  public struct Bundle: Sendable, Hashable {
    /// The name of the bundle.
    public let name: String
    /// The id of the bundle: the SHA-256 of its manifest, as 64 hexadecimal digits.
    public let digest: String
    /// The number of new blocks.
    public let blocks: Int
    /// The number of changed records.
    public let records: Int
    /// The number of new asset files.
    public let assets: Int

    init(_ name: String, _ result: BundleImport.Result) {
      (self.name, digest) = (name, result.digest.description)
      (blocks, records, assets) = (result.exchange.pulled, result.exchange.records, result.assets)
    }
  }

  /// The imported bundles, in the order in which they were imported.
  public internal(set) var bundles: [Bundle] = []
  /// The number of bundles that were skipped because this database already has their blocks.
  public internal(set) var known = 0
  /// The errors of bundles that were not imported, keyed by bundle name. The error is `base-missing` if earlier blocks
  /// are missing.
  public internal(set) var failures: [String: SeaError] = [:]
  /// The ids of the merged records.
  public internal(set) var merged: [String] = []
  /// The ids of the records that are in conflict because of the import and were not merged.
  public internal(set) var conflicts: [String] = []
  /// Whether this database now has everything that the directory contains.
  public var isComplete: Bool { failures.isEmpty }

  init() {}
}

/// An exchange directory that this instance has used.
public struct ExchangeDirectory: Sendable, Hashable {
  /// The state of the directory.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// The directory was not checked.
    case known
    /// The directory exists.
    case ok
    /// The directory is unavailable, for example because a USB drive is not plugged in.
    case unavailable
    /// The directory cannot be read.
    case failed
  }

  /// The path, or the location of a remote directory.
  public let location: String
  /// The state of the directory.
  public let state: State
  /// The time at which this instance last used the directory.
  public let lastUse: Timestamp
  /// The number of blocks to export. If the directory was not checked, only this instance's blocks count.
  public let blocksToExport: Int
  /// The number of asset files that earlier exports left out and the next export will include.
  public let assetsToExport: Int
  /// The number of bundles with new content; nil if the directory was not checked.
  public let bundlesToImport: Int?

  init(_ status: ExchangeStatus) {
    (location, lastUse) = (status.path, Timestamp(milliseconds: status.time))
    state = State(rawValue: status.state.rawValue) ?? .failed
    (blocksToExport, assetsToExport, bundlesToImport) = (status.toExport, status.assetsToExport, status.new)
  }
}

/// The result of restoring a backup.
public struct RestoredBackup: Sendable {
  /// A new instance of the database, with the content of the backup.
  public let database: Database
  /// The number of restored settings.
  public let settings: Int
  /// The settings that were not restored because they can run a program.
  public let omittedSettings: [String]
  /// The hooks that were restored under other names. These hooks do not run until you rename them.
  public let disabledHooks: [String]
  /// The errors of the bundles that could not be imported from the directory.
  public let failures: [SeaError]
}
