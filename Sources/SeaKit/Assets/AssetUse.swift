internal import SeaCore
internal import SeaEngine

/// A reference to an asset in a record.
public struct AssetUse: Sendable, Hashable {
  /// The id of the record.
  public let record: String
  /// The property with the reference, as a JSON Pointer (RFC 6901); nil if only earlier revisions have it.
  public let path: String?
  /// The asset.
  public let asset: Asset
  /// Whether the content is on this device.
  public let isHere: Bool

  init(_ use: SeaEngine.AssetUse, isHere: Bool) {
    (record, path) = (use.record.id, use.path?.pointer)
    asset = Asset(row: use.asset)
    self.isHere = isHere
  }
}

/// The places that have the content of an asset.
public struct AssetWhereabouts: Sendable, Hashable {
  /// Whether the content is on this device.
  public let isHere: Bool
  /// The names of the containers that have it.
  public let containers: [String]
  /// The names of the containers that are unavailable now.
  public let unreachable: [String]
}

/// The result of dropping an asset.
public struct DroppedAsset: Sendable, Hashable {
  /// The asset.
  public let asset: Asset
  /// Whether its content was removed from this device; otherwise too few containers have a good copy.
  public let isDropped: Bool
  /// The size of its files on this device in bytes.
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
