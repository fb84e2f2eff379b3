package struct AssetRow: Sendable, Hashable {
  /// A number that increases with every new asset. `sea reindex` changes the numbers.
  package var key: Int64
  package var extent: AssetExtent
  package var size: Int64
  /// See `AssetReference.digest`.
  package var digest: Digest
  /// The MIME type. If revisions specify different types, this is the first one in alphabetical order.
  package var mime: String

  package init(key: Int64, extent: AssetExtent, size: Int64, digest: Digest, mime: String) {
    self.key = key
    self.extent = extent
    self.size = size
    self.digest = digest
    self.mime = mime
  }

  /// The place of the list of pieces; nil if the content has none.
  package var list: AssetPlace? { extent.list(ofSize: size) }

  /// The first file with content.
  package var firstContent: AssetPlace {
    AssetPlace(instance: extent.instance, index: extent.firstContent(ofSize: size))
  }

  /// The files with content, which follow the list of pieces.
  package var contentPlaces: some Sequence<AssetPlace> {
    (extent.firstContent(ofSize: size)...extent.last).lazy.map { [instance = extent.instance] in
      AssetPlace(instance: instance, index: $0)
    }
  }

  package var reference: AssetReference {
    AssetReference(place: extent.description, mime: mime, size: size, digest: digest)
  }
}

package struct StoredAsset: Sendable, Equatable {
  /// A number that is greater than the sequence numbers of all earlier files.
  package var sequence: Int64
  package var place: AssetPlace
  /// The size of the file. In an encrypted database, the content is smaller.
  package var size: Int64
  package var digest: Digest

  package init(sequence: Int64, place: AssetPlace, size: Int64, digest: Digest) {
    self.sequence = sequence
    self.place = place
    self.size = size
    self.digest = digest
  }
}

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
