/// A reference to a record of a type that your program defines.
public struct Reference<Target: SeaRecord>: Sendable, Hashable, Codable {
  /// The id of the referenced record.
  public var id: String

  /// Creates a reference to the record with this id.
  public init(_ id: String) { self.id = id }
  /// Creates a reference to a record.
  public init(_ target: Target) { id = target.id }

  /// Encodes the id as a string. In a record, it is stored as a reference.
  public func encode(to encoder: any Encoder) throws { try encodeText(id, to: encoder) }
  /// Decodes the id.
  public init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
}

extension Reference: ValueConvertible {
  /// Converts a value, or returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .reference(let read) = value.unlabeled else { return nil }
    self.init(read.id)
  }
  /// The reference as a value.
  public var value: Value { .reference(RecordReference(id)) }
}
