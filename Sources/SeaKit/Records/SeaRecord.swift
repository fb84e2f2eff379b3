internal import SeaCore

/// A record as a type of the program's: any `Codable` struct or class that says which type of record it is, and which record.
///
///     struct Bird: SeaRecord {
///       static let recordType = "bird"
///       var id = RecordID.new()
///       var name: String
///       var seen: Counter = 0
///     }
///
/// Its properties are those that `Codable` writes, by the names of its `CodingKeys`. The property with the key `id` is the id of the
/// record and not stored beside it; a property with the key `_rev` is given the revision that was read,
/// which a save can hold on to (`WriteTransaction.Check.revision`). The name of a property has 1 to 1,024 bytes without control characters,
/// and neither `_` nor `$` as the first. What else the record has, which the
/// type does not know, stays as it is when it is saved, in dictionaries within it, too. An optional that is nil takes its property away.
///
/// How values are stored: `Bool`, whole numbers, `Double`, `String`, arrays, dictionaries and structs as what they are; `[UInt8]` as data;
/// `Timestamp`, `ExactDecimal`, `BigInteger`, `Reference`, `Asset`, `Counter`, `MergeSet`, `Labelled` and every `ValueConvertible` as
/// the values that they stand for; an enum with a raw value as that.
public protocol SeaRecord: Codable, Sendable {
  /// The type of these records: 1 to 255 bytes without white space and control characters, and neither `-` nor `_` as the first.
  static var recordType: String { get }
  /// Which record it is, the same for ever: of the same form as a type. What has another one cannot be saved.
  var id: String { get }
}

/// Ids of records: 1 to 255 bytes without white space and control characters, and neither `-` nor `_` as the first.
public enum RecordID {
  /// One that no other record has: a UUID of version 4 (RFC 9562).
  public static func new() -> String {
    var generator = SystemRandomNumberGenerator()
    return withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) {
      UUID(version: 4, from: $0.baseAddress!).description
    }
  }
}

/// A revision of a record: `DEPTH-HEX`.
public struct Revision: Sendable, Hashable, Codable, LosslessStringConvertible {
  let core: RevisionID

  init(_ core: RevisionID) { self.core = core }

  /// - Parameter description: all its digits. Nil of anything else.
  public init?(_ description: String) {
    guard let core = RevisionID(description) else { return nil }
    self.core = core
  }

  /// The depth, from 1 for a record that was made, and 64 hexadecimal digits.
  public var description: String { core.description }
  /// How many revisions lead to it, itself included.
  public var depth: Int { Int(core.depth) }

  /// As text.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// The other way.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
