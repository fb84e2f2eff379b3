/// A reference to a record by its id. The referenced record need not exist.
public struct RecordReference: Sendable, Hashable, Codable {
  /// The id of the referenced record.
  public var id: String
  /// The kind of reference, chosen by the program. This is not the type of the record.
  public var kind: String?

  /// Creates a reference to the record with this id.
  public init(_ id: String, as kind: String? = nil) {
    self.id = id
    self.kind = kind
  }
}

/// A reference to content that is stored outside of records, such as a photograph. The content is either on this device
/// or can be fetched from a container.
public struct Asset: Sendable, Hashable, Codable {
  /// The location of the content: `INSTANCE/INDEX`, or `INSTANCE/FIRST-LAST` if it is stored in several files.
  public let place: String
  /// The MIME type, such as `image/jpeg`.
  public let mimeType: String
  /// The size in bytes.
  public let size: Int64
  /// The digest of the content, as 64 hexadecimal digits: its SHA-256, or the digest of its pieces if it is larger than
  /// 16 MiB.
  public let digest: String

  init(place: String, mimeType: String, size: Int64, digest: String) {
    self.place = place
    self.mimeType = mimeType
    self.size = size
    self.digest = digest
  }
}
