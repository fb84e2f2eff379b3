/// An asset that a revision refers to.
package struct AssetRow: Sendable, Hashable {
  /// Increases with every new asset. Rebuilding the projection changes it.
  package var key: Int64
  package var extent: AssetExtent
  /// The size of the content in bytes.
  package var size: Int64
  /// SHA-256 of the content.
  package var digest: Digest
  /// The first MIME type in text order, if revisions name several.
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

/// The facts about a local file from the time it was read.
package struct StoredAsset: Sendable, Equatable {
  /// Greater than the sequences of all earlier files.
  package var sequence: Int64
  package var place: AssetPlace
  /// The size of the file, which differs from the content in an encrypted database.
  package var size: Int64
  package var digest: Digest

  package init(sequence: Int64, place: AssetPlace, size: Int64, digest: Digest) {
    self.sequence = sequence
    self.place = place
    self.size = size
    self.digest = digest
  }
}

/// A record with a revision that refers to an asset.
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
