internal import SeaCore

/// A record as a type of the program: any `Codable` struct or class that has a record type and an id.
///
///     struct Bird: SeaRecord {
///       static let recordType = "bird"
///       var id = RecordID.new()
///       var name: String
///       var seen: Counter = 0
///     }
///
/// Its properties are those that `Codable` encodes, by the names of its `CodingKeys`. The key `id` is the id of the
/// record and not stored as a property. The key `_rev` receives the revision that was read, which a save can require
/// (`WriteTransaction.Check.revision`). The name of a property has 1 to 1,024 bytes, no control characters, and does
/// not begin with `_` or `$`. A save keeps stored properties that the type does not know, also in nested dictionaries.
/// An optional that is nil removes its property.
///
/// `Bool`, integers, `Double`, `String`, arrays, dictionaries and structs are stored as such, and `[UInt8]` as data.
/// `Timestamp`, `ExactDecimal`, `BigInteger`, `Reference`, `Asset`, `Counter`, `MergeSet`, `Labelled` and every
/// `ValueConvertible` are stored as the values that they represent, an enum as its raw value.
public protocol SeaRecord: Codable, Sendable {
  /// The type of these records: 1 to 255 bytes, no white space or control characters, not beginning with `-` or `_`.
  static var recordType: String { get }
  /// The id of the record, in the same form as a type. It never changes; a record with an invalid id cannot be saved.
  var id: String { get }
}

/// Ids of records: 1 to 255 bytes, without white space and control characters; they do not begin with `-` or `_`.
public enum RecordID {
  /// Returns a unique id: a UUID of version 4 (RFC 9562).
  public static func new() -> String {
    var generator = SystemRandomNumberGenerator()
    return withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) {
      UUID(version: 4, from: $0.baseAddress!).description
    }
  }
}

/// The id of a revision of a record: `DEPTH-HEX`.
public struct Revision: Sendable, Hashable, Codable, LosslessStringConvertible {
  let core: RevisionID

  init(_ core: RevisionID) { self.core = core }

  /// - Parameter description: the complete id. Returns nil for anything else.
  public init?(_ description: String) {
    guard let core = RevisionID(description) else { return nil }
    self.core = core
  }

  /// The depth, which is 1 for the first revision, and 64 hexadecimal digits.
  public var description: String { core.description }
  /// The number of revisions from the first one to this one.
  public var depth: Int { Int(core.depth) }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the text.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
