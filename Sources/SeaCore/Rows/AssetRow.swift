/// An asset that some revision names.
package struct AssetRow: Sendable, Hashable {
  /// Rises with every asset that becomes known; another one once the projection was built anew.
  package var key: Int64
  package var extent: AssetExtent
  /// Bytes of content.
  package var size: Int64
  /// SHA-256 of the content.
  package var digest: Digest
  /// Of several kinds that it is given under, the first as text.
  package var mime: String

  package init(key: Int64, extent: AssetExtent, size: Int64, digest: Digest, mime: String) {
    self.key = key
    self.extent = extent
    self.size = size
    self.digest = digest
    self.mime = mime
  }

  package var reference: AssetReference {
    AssetReference(place: extent.description, mime: mime, size: size, sha256: digest)
  }
}

/// What was found when a file that is here was read.
package struct StoredAsset: Sendable, Equatable {
  /// Greater than that of every file that was here before.
  package var sequence: Int64
  package var place: AssetPlace
  /// Of the file, which in a sealed database is not the content.
  package var size: Int64
  package var digest: Digest

  package init(sequence: Int64, place: AssetPlace, size: Int64, digest: Digest) {
    self.sequence = sequence
    self.place = place
    self.size = size
    self.digest = digest
  }
}

/// A record of which some revision names an asset.
package struct AssetHolder: Sendable, Equatable {
  package var record: Int64
  package var id: String
  package var type: String?
  package var isDeleted: Bool

  package init(record: Int64, id: String, type: String?, isDeleted: Bool) {
    self.record = record
    self.id = id
    self.type = type
    self.isDeleted = isDeleted
  }
}
