internal import SeaCore

/// What a property of a record can be.
///
/// Values are exact: a decimal keeps its digits, an integer its size, a date its millisecond. They are those of sea-record(5), and
/// two of them are equal if they are stored as the same bytes: 1.50 and 1.5 are different decimals.
public indirect enum Value: Sendable, Hashable {
  /// Nothing; a property of a record is not there instead.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// An integer outside of `Int64`.
  case bigInteger(BigInteger)
  /// One without a fraction is stored as the integer, and is one when it is read.
  case double(Double)
  /// A decimal number with all its digits.
  case decimal(ExactDecimal)
  /// A text.
  case string(String)
  /// A moment, to the millisecond.
  case date(Timestamp)
  /// Bytes; many of them, as a photograph, are better an asset.
  case data([UInt8])
  /// Values in their order.
  case array([Value])
  /// Values by names.
  case dictionary([String: Value])
  /// Another record, which need not be there.
  case reference(RecordReference)
  /// Content that is kept outside of the record.
  case asset(Asset)
  /// A count that adds up what all instances have counted.
  case counter(Int128)
  /// Elements that instances add and remove independently. Their order says nothing.
  case set([Value])
  /// A value and what it is about, as a telephone number that is one of the office.
  case labelled(Value, label: String)

  /// What the value says, whatever it is about.
  public var unlabelled: Value {
    if case .labelled(let value, _) = self { return value }
    return self
  }

  /// What the value is about.
  public var label: String? {
    if case .labelled(_, let label) = self { return label }
    return nil
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `nil` is null.
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
  /// Of keys that are given twice the last one counts.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

// Between what programs see and what is stored.

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

  /// So deep a value is refused, whatever is in it.
  static let mostDepth = 200

  /// What is written; a counter and a set as drafts, which say how they are to be from now on.
  var stored: SeaCore.Value { stored(0) }

  private func stored(_ depth: Int) -> SeaCore.Value {
    // What is within is not looked into: it takes room on the stack.
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

  /// Nil of one that somebody has made up whose digest is none.
  var core: AssetReference? {
    Digest(hex: sha256).map { AssetReference(place: place, mime: mimeType, size: size, sha256: $0) }
  }
}
