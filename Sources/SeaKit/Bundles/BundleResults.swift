internal import SeaCore
internal import SeaEngine
internal import struct SeaContainer.BundleManifest

/// What was written.
public struct ExportedBundle: Sendable, Hashable {
  /// Which bundle it is: SHA-256 of its manifest, as 64 hexadecimal digits.
  public let digest: String
  /// Bytes of all its files.
  public let size: Int64
  /// The names of its files.
  public let files: [String]
  /// How many blocks it has.
  public let blocks: Int
  /// How many files of assets it has.
  public let assets: Int
  /// Whether whoever has nothing can begin with it.
  public let isFull: Bool

  init(_ exported: Exported, _ plan: ExportPlan) {
    (digest, size, files) = (exported.digest.description, exported.size, exported.files)
    (blocks, assets, isFull) = (Int(plan.manifest.blocks), plan.assetCount, plan.isFull)
  }
}

/// What was taken in.
public struct ImportedBundle: Sendable, Hashable {
  /// Which bundle it is: SHA-256 of its manifest, as 64 hexadecimal digits.
  public let digest: String
  /// How many blocks were new.
  public let blocks: Int
  /// How many records say something else since.
  public let records: Int
  /// How many files of assets were new.
  public let assets: Int
  /// The records that were merged.
  public let merged: [String]
  /// The records that came into conflict and are still.
  public let conflicts: [String]

  init(_ bundle: BundleImport, _ result: BundleImport.Result, merged: [String], conflicts: [String]) {
    digest = result.digest.description
    (blocks, records, assets) = (result.exchange.pulled, result.exchange.records, result.assets)
    (self.merged, self.conflicts) = (merged, conflicts)
  }
}

/// What a bundle says of itself.
public struct BundleInfo: Sendable, Hashable {
  /// Who wrote it.
  public let from: Instance
  /// How many blocks it has.
  public let blocks: Int
  /// How many files of assets it has.
  public let assets: Int
  /// Whether all is here that it goes on from: else it cannot be taken in yet.
  public let isComplete: Bool
  /// Whether all that it brings is here already, but perhaps for contents of assets.
  public let isKnown: Bool

  init(_ bundle: BundleImport, from: Instance, isComplete: Bool, isKnown: Bool) {
    self.from = from
    (blocks, assets) = (Int(bundle.manifest.blocks), Int(bundle.manifest.assets))
    (self.isComplete, self.isKnown) = (isComplete, isKnown)
  }
}
