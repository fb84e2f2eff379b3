internal import SeaCore
internal import SeaEngine
internal import struct SeaContainer.BundleManifest

/// A description of an exported bundle.
public struct ExportedBundle: Sendable, Hashable {
  /// The id of the bundle: the SHA-256 of its manifest, as 64 hexadecimal digits.
  public let digest: String
  /// The total size of the bundle's files in bytes.
  public let size: Int64
  /// The names of the bundle's files.
  public let files: [String]
  /// The number of blocks.
  public let blocks: Int
  /// The number of asset files.
  public let assets: Int
  /// Whether a new instance can be created from this bundle alone.
  public let isFull: Bool

  init(_ exported: Exported, _ plan: ExportPlan) {
    (digest, size, files) = (exported.digest.description, exported.size, exported.files)
    (blocks, assets, isFull) = (Int(plan.manifest.blocks), plan.assetCount, plan.isFull)
  }
}

/// The result of importing a bundle.
public struct ImportedBundle: Sendable, Hashable {
  /// The id of the bundle: the SHA-256 of its manifest, as 64 hexadecimal digits.
  public let digest: String
  /// The number of new blocks.
  public let blocks: Int
  /// The number of changed records.
  public let records: Int
  /// The number of new asset files.
  public let assets: Int
  /// The ids of the merged records.
  public let merged: [String]
  /// The ids of the records that are in conflict because of the import and were not merged.
  public let conflicts: [String]

  init(_ bundle: BundleImport, _ result: BundleImport.Result, merged: [String], conflicts: [String]) {
    digest = result.digest.description
    (blocks, records, assets) = (result.exchange.pulled, result.exchange.records, result.assets)
    (self.merged, self.conflicts) = (merged, conflicts)
  }
}

/// A description of a bundle, taken from its manifest.
public struct BundleInfo: Sendable, Hashable {
  /// The instance that wrote the bundle.
  public let from: Instance
  /// The number of blocks.
  public let blocks: Int
  /// The number of asset files.
  public let assets: Int
  /// Whether this database has the earlier blocks that the bundle requires. If false, the bundle cannot be imported
  /// yet.
  public let isComplete: Bool
  /// Whether this database already has all blocks of the bundle. The content of some assets may still be missing.
  public let isKnown: Bool

  init(_ bundle: BundleImport, from: Instance, isComplete: Bool, isKnown: Bool) {
    self.from = from
    (blocks, assets) = (Int(bundle.manifest.blocks), Int(bundle.manifest.assets))
    (self.isComplete, self.isKnown) = (isComplete, isKnown)
  }
}
