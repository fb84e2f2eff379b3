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
