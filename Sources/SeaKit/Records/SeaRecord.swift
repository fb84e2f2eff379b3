internal import SeaCore

/// A record of your own type: any `Codable` struct or class with a record type and an id.
///
///     struct Bird: SeaRecord {
///       static let recordType = "bird"
///       var id = RecordID.new()
///       var name: String
///       var seen: Counter = 0
///     }
///
/// The properties of the record are those that `Codable` encodes, with the names of the `CodingKeys`. The key `id` is
/// the id of the record, which is not stored as a property. The key `_rev` receives the revision that was read, which a
/// save can require (`WriteTransaction.Check.revision`). A property name has 1 to 1,024 bytes, contains no control
/// characters, and does not begin with `_` or `$`. Saving keeps stored properties that the type does not have,
/// including those in nested structs. Saving a nil optional removes its property.
///
/// `Bool`, integers, `Double`, `String`, arrays, dictionaries and structs are stored as they are, and `[UInt8]` is
/// stored as data. `Timestamp`, `Day`, `ExactDecimal`, `BigInteger`, `Reference`, `Asset`, `Counter`, `MergeSet`,
/// `Labeled` and every `ValueConvertible` are stored as the values that they represent, and an enum is stored as its
/// raw value. A property whose type is a `SeaRecord` is stored inside the record, like any struct. To refer to a record of
/// its own, use `Reference`.
public protocol SeaRecord: Codable, Sendable {
  /// The record type: 1 to 255 bytes without white space or control characters, not beginning with `-` or `_`.
  static var recordType: String { get }
  /// The id of the record, which follows the same rules as a record type. The id must not change, and an invalid id
  /// cannot be saved.
  var id: String { get }
  /// A record with the values of properties that a stored record lacks, because another version of the type or another
  /// program wrote it; nil by default. A missing optional is nil and a missing ``Counter`` or ``MergeSet`` is empty,
  /// whatever this record says.
  static var defaults: Self? { get }
  /// Converts a stored value that does not fit the property, for example because the property was a number in an
  /// earlier version of the type.
  /// - Returns: a value that fits; nil if there is none, which is the default.
  static func convert(_ value: Value, of property: String) -> Value?
}

extension SeaRecord {
  /// Nil.
  public static var defaults: Self? { nil }
  /// Nil.
  public static func convert(_ value: Value, of property: String) -> Value? { nil }
}

/// Record ids: 1 to 255 bytes without white space or control characters, not beginning with `-` or `_`.
public enum RecordID {
  /// Returns a unique id: a UUID of version 4 (RFC 9562).
  public static func new() -> String {
    var generator = SystemRandomNumberGenerator()
    return withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) {
      UUID(version: 4, from: $0.baseAddress!).description
    }
  }
}

/// The id of a revision of a record, in the form `DEPTH-HEX`.
public struct Revision: Sendable, Hashable, Codable, LosslessStringConvertible {
  let core: RevisionID

  init(_ core: RevisionID) { self.core = core }

  /// Parses a complete revision id; returns nil for any other string.
  public init?(_ description: String) {
    guard let core = RevisionID(description) else { return nil }
    self.core = core
  }

  /// The id: the depth, a hyphen and 64 hexadecimal digits.
  public var description: String { core.description }
  /// The number of revisions from the record's first revision, which has depth 1, to this one.
  public var depth: Int { Int(core.depth) }

  /// Encodes the id as a string.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the id from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
