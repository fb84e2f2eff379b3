internal import SeaCore
internal import SeaEngine

/// Where a record names an asset.
public struct AssetUse: Sendable, Hashable {
  /// Which record it is.
  public let record: String
  /// The property that has it, as a JSON Pointer (RFC 6901); nil if only earlier revisions do.
  public let path: String?
  /// The asset.
  public let asset: Asset
  /// Whether its content is on this device.
  public let isHere: Bool

  init(_ use: SeaEngine.AssetUse, isHere: Bool) {
    (record, path) = (use.record.id, use.path?.pointer)
    asset = Asset(row: use.asset)
    self.isHere = isHere
  }
}

/// Where the content of an asset is.
public struct AssetWhereabouts: Sendable, Hashable {
  /// Whether it is on this device.
  public let isHere: Bool
  /// The names of the containers that have it.
  public let containers: [String]
  /// The names of those that cannot be looked into now.
  public let unreachable: [String]
}

/// What became of an asset that was to be dropped.
public struct DroppedAsset: Sendable, Hashable {
  /// The asset.
  public let asset: Asset
  /// Whether it is gone from this device; else too few containers have a good copy.
  public let isDropped: Bool
  /// How many bytes its files had here.
  public let bytes: Int64
  /// The names of the containers whose copy was read and is good.
  public let copies: [String]

  init(_ drop: AssetDrop) {
    asset = Asset(row: drop.asset)
    (isDropped, bytes, copies) = (drop.isDropped, drop.bytes, drop.copies)
  }
}

extension Asset {
  init(row: AssetRow) {
    self.init(
      AssetReference(place: row.extent.description, mime: row.mime, size: row.size, sha256: row.digest))
  }
}
