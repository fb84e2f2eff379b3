/// A reference to a record of a type that the program knows.
public struct Reference<Target: SeaRecord>: Sendable, Hashable, Codable {
  /// The id of the record that is meant.
  public var id: String

  /// To the record with this id.
  public init(_ id: String) { self.id = id }
  /// To this record.
  public init(_ target: Target) { id = target.id }

  /// As the id; in a record as a reference.
  public func encode(to encoder: any Encoder) throws { try encodeText(id, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
}

extension Reference: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .reference(let read) = value.unlabelled else { return nil }
    self.init(read.id)
  }
  /// How it is stored.
  public var value: Value { .reference(RecordReference(id)) }
}
