internal import SeaCore

/// The value of a property of a record.
///
/// The kinds of values are described in sea-record(5). Values are exact: decimals keep all of their digits, and dates
/// keep their milliseconds. Two values are equal if their stored bytes are equal, so 1.50 and 1.5 are different
/// decimals.
public indirect enum Value: Sendable, Hashable {
  /// Null, as an element of an array or dictionary. A property is never null; it is absent instead.
  case null
  /// A boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer outside of the range of `Int64`.
  case bigInteger(BigInteger)
  /// A double. A double without a fraction is stored and read as an integer.
  case double(Double)
  /// A decimal number that keeps all of its digits.
  case decimal(ExactDecimal)
  /// A string.
  case string(String)
  /// A point in time with millisecond precision.
  case date(Timestamp)
  /// A calendar day, without a time and a time zone.
  case day(Day)
  /// Binary data. For large content such as a photograph, use an asset.
  case data([UInt8])
  /// An array.
  case array([Value])
  /// A dictionary.
  case dictionary([String: Value])
  /// A reference to a record, which need not exist.
  case reference(RecordReference)
  /// A reference to content that is stored outside of the record.
  case asset(Asset)
  /// A counter, which adds up the increments of all instances.
  case counter(Int128)
  /// A set whose elements several instances can add and remove independently. The elements are in no particular order.
  case set([Value])
  /// A value with a label, such as an office telephone number.
  case labeled(Value, label: String)

  /// The value without its label.
  public var unlabeled: Value {
    if case .labeled(let value, _) = self { return value }
    return self
  }

  /// The label; nil if there is none.
  public var label: String? {
    if case .labeled(_, let label) = self { return label }
    return nil
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates a dictionary. If a key is repeated, its last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension Value {
  init(stored: SeaCore.Value) {
    self =
      switch stored {
      case .null: .null
      case .bool(let value): .bool(value)
      case .integer(let value): .integer(value)
      case .bigInteger(let value): .bigInteger(BigInteger(value))
      case .double(let value): .double(value)
      case .decimal(let value): .decimal(ExactDecimal(value))
      case .string(let value): .string(value)
      case .date(let value): .date(Timestamp(milliseconds: value))
      case .day(let value): .day(Day(daysSince1970: value))
      case .data(let value): .data(value)
      case .array(let values): .array(values.map { Value(stored: $0) })
      case .packed: Value(stored: stored.unpacked)
      case .dictionary(let members): .dictionary(Value.members(members))
      case .reference(let id, let kind): .reference(RecordReference(id, as: kind))
      case .asset(let asset): .asset(Asset(asset))
      case .counter(let counter): .counter(counter.value)
      case .counterDraft(let value): .counter(value)
      case .set(let set): .set(set.elements.map { Value(stored: $0) })
      case .setDraft(let values): .set(values.map { Value(stored: $0) })
      case .labeled(let value, let label): .labeled(Value(stored: value), label: label)
      }
  }

  static func members(_ members: Members) -> [String: Value] {
    var all: [String: Value] = [:]
    all.reserveCapacity(members.count)
    for (key, value) in members.entries { all[key] = Value(stored: value) }
    return all
  }

  /// The maximum depth of nested values.
  static let mostDepth = 200

  /// The value to store. Counters and sets become drafts, which contain the desired content.
  var stored: SeaCore.Value { stored(0) }

  private func stored(_ depth: Int) -> SeaCore.Value {
    // Deeper recursion would use too much stack. A value this deep is rejected later.
    if depth > Value.mostDepth { return .null }
    return switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .bigInteger(let value): SeaCore.Value(value.core)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value.core)
    case .string(let value): .string(value)
    case .date(let value): .date(value.milliseconds)
    case .day(let value): .day(value.daysSince1970)
    case .data(let value): .data(value)
    case .array(let values): .array(values.map { $0.stored(depth + 1) })
    case .dictionary(let members): .dictionary(Members(members.map { ($0, $1.stored(depth + 1)) }))
    case .reference(let reference): .reference(id: reference.id, kind: reference.kind)
    case .asset(let asset): asset.core.map { .asset($0) } ?? .null
    case .counter(let value): .counterDraft(value)
    case .set(let values): .setDraft(values.map { $0.stored(depth + 1) })
    case .labeled(let value, let label): .labeled(value.stored(depth + 1), label)
    }
  }
}

extension Asset {
  init(_ asset: AssetReference) {
    self.init(place: asset.place, mimeType: asset.mime, size: asset.size, digest: asset.digest.description)
  }

  /// The reference to store; nil if the digest is invalid, as can happen with a decoded asset.
  var core: AssetReference? {
    Digest(hex: digest).map { AssetReference(place: place, mime: mimeType, size: size, digest: $0) }
  }
}
