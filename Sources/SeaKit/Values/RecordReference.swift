/// That a record refers to another one, by its id. The other one need not be there.
public struct RecordReference: Sendable, Hashable, Codable {
  /// The id of the record that is meant.
  public var id: String
  /// What it is meant as, which says nothing of what it is.
  public var kind: String?

  /// To the record with this id.
  public init(_ id: String, as kind: String? = nil) {
    self.id = id
    self.kind = kind
  }
}

/// Content outside of records: a photograph, a document. The record says which it is; the bytes are on this device or can be fetched.
public struct Asset: Sendable, Hashable, Codable {
  /// `INSTANCE/NUMBER`, or `INSTANCE/FIRST-LAST`.
  public let place: String
  /// What kind of content it is, as `image/jpeg`.
  public let mimeType: String
  /// How many bytes it has.
  public let size: Int64
  /// SHA-256 of the content, as 64 hexadecimal digits.
  public let sha256: String

  init(place: String, mimeType: String, size: Int64, sha256: String) {
    self.place = place
    self.mimeType = mimeType
    self.size = size
    self.sha256 = sha256
  }
}
