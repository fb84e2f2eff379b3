internal import SeaCore

/// The value of a property of a record.
///
/// Values are exact: decimals keep their digits, integers their size, dates their milliseconds. They are the values of
/// sea-record(5). Two of them are equal if their stored bytes are equal: 1.50 and 1.5 are different decimals.
public indirect enum Value: Sendable, Hashable {
  /// Null; a property of a record is absent instead.
  case null
  /// A boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer outside of the range of `Int64`.
  case bigInteger(BigInteger)
  /// A double. One without a fraction is stored as an integer, and read as one.
  case double(Double)
  /// A decimal number that keeps all its digits.
  case decimal(ExactDecimal)
  /// A text.
  case string(String)
  /// A point in time, in milliseconds.
  case date(Timestamp)
  /// Bytes; use an asset for many of them, such as a photograph.
  case data([UInt8])
  /// An array.
  case array([Value])
  /// A dictionary.
  case dictionary([String: Value])
  /// A reference to another record, which need not exist.
  case reference(RecordReference)
  /// Content that is kept outside of the record.
  case asset(Asset)
  /// A counter, which adds up the increments of all instances.
  case counter(Int128)
  /// A set to which instances add and remove elements independently, in no particular order.
  case set([Value])
  /// A value with a label, such as a telephone number of the office.
  case labelled(Value, label: String)

  /// The value without its label.
  public var unlabelled: Value {
    if case .labelled(let value, _) = self { return value }
    return self
  }

  /// The label; nil if there is none.
  public var label: String? {
    if case .labelled(_, let label) = self { return label }
    return nil
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Null.
  public init(nilLiteral: ()) { self = .null }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// A dictionary. For a repeated key, the last value applies.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

// Conversion between the values of programs and stored values.

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
      case .labelled(let value, let label): .labelled(Value(stored: value), label: label)
      }
  }

  static func members(_ members: Members) -> [String: Value] {
    var all: [String: Value] = [:]
    all.reserveCapacity(members.count)
    for (key, value) in members.entries { all[key] = Value(stored: value) }
    return all
  }

  /// Deeper values are refused, whatever their content.
  static let mostDepth = 200

  /// The value to store. Counters and sets are drafts, which say how they should be.
  var stored: SeaCore.Value { stored(0) }

  private func stored(_ depth: Int) -> SeaCore.Value {
    // Going deeper would take too much stack; a value this deep is refused anyway.
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
    case .data(let value): .data(value)
    case .array(let values): .array(values.map { $0.stored(depth + 1) })
    case .dictionary(let members): .dictionary(Members(members.map { ($0, $1.stored(depth + 1)) }))
    case .reference(let reference): .reference(id: reference.id, kind: reference.kind)
    case .asset(let asset): asset.core.map { .asset($0) } ?? .null
    case .counter(let value): .counterDraft(value)
    case .set(let values): .setDraft(values.map { $0.stored(depth + 1) })
    case .labelled(let value, let label): .labelled(value.stored(depth + 1), label)
    }
  }
}

extension Asset {
  init(_ asset: AssetReference) {
    self.init(place: asset.place, mimeType: asset.mime, size: asset.size, sha256: asset.sha256.description)
  }

  /// Returns nil if the digest is invalid, because the program made up the asset.
  var core: AssetReference? {
    Digest(hex: sha256).map { AssetReference(place: place, mime: mimeType, size: size, sha256: $0) }
  }
}
