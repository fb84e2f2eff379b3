internal import SeaCore
internal import SeaEngine

/// A record's reference to an asset.
public struct AssetUse: Sendable, Hashable {
  /// The id of the record.
  public let record: String
  /// The property that contains the reference, as a JSON Pointer (RFC 6901); nil if only earlier revisions refer to the
  /// asset.
  public let path: String?
  /// The asset that the record refers to.
  public let asset: Asset
  /// Whether the content of the asset is on this device.
  public let isHere: Bool

  init(_ use: SeaEngine.AssetUse, isHere: Bool) {
    (record, path) = (use.record.id, use.path?.pointer)
    asset = Asset(row: use.asset)
    self.isHere = isHere
  }
}

/// Where the content of an asset is stored.
public struct AssetWhereabouts: Sendable, Hashable {
  /// Whether the content is on this device.
  public let isHere: Bool
  /// The names of the containers that have the content.
  public let containers: [String]
  /// The names of the containers that could not be checked because they are unavailable.
  public let unreachable: [String]
}

/// The result of removing an asset's content from this device.
public struct DroppedAsset: Sendable, Hashable {
  /// The asset that was to be removed from this device.
  public let asset: Asset
  /// Whether the content was removed. If false, it was kept because too few containers have an intact copy.
  public let isDropped: Bool
  /// The size of the asset's files on this device, in bytes.
  public let bytes: Int64
  /// The names of the containers whose copy was read and found intact.
  public let copies: [String]

  init(_ drop: AssetDrop) {
    asset = Asset(row: drop.asset)
    (isDropped, bytes, copies) = (drop.isDropped, drop.bytes, drop.copies)
  }
}

extension Asset {
  init(row: AssetRow) {
    self.init(
      AssetReference(place: row.extent.description, mime: row.mime, size: row.size, digest: row.digest))
  }
}
