internal import SeaCore

/// A type that stands for one value of a property.
///
/// A type of your own that conforms to it is stored as that value where it is a property of a typed record, and can be read and set
/// on a `Record`. Types of Foundation conform to it in `SeaKitFoundation`.
public protocol ValueConvertible: Sendable {
  /// Nil of a value that is none of these.
  init?(_ value: Value)
  var value: Value { get }
}

extension Value: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) { self = value }
  /// How it is stored.
  public var value: Value { self }
}

extension Bool: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .bool(let read) = value.unlabelled else { return nil }
    self = read
  }
  /// How it is stored.
  public var value: Value { .bool(self) }
}

extension String: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .string(let read) = value.unlabelled else { return nil }
    self = read
  }
  /// How it is stored.
  public var value: Value { .string(self) }
}

/// Whole numbers convert exactly, or not at all: a counter is a whole number, too, and so is a double that has no fraction.
extension ValueConvertible where Self: FixedWidthInteger {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    switch value.unlabelled {
    case .integer(let read): self.init(exactly: read)
    case .counter(let read): self.init(exactly: read)
    case .double(let read): self.init(exactly: read)
    case .bigInteger(let read): self.init(read.description)
    default: return nil
    }
  }
  /// How it is stored.
  public var value: Value {
    if let small = Int64(exactly: self) { return .integer(small) }
    return BigInteger("\(self)").map { .bigInteger($0) } ?? .null
  }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension Int128: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}
extension UInt128: ValueConvertible {}

extension Double: ValueConvertible {
  /// Also of an integer that it can say exactly.
  public init?(_ value: Value) {
    switch value.unlabelled {
    case .double(let read): self = read
    case .integer(let read): self.init(exactly: read)
    default: return nil
    }
  }
  /// How it is stored.
  public var value: Value { .double(self) }
}

extension Float: ValueConvertible {
  /// Also of an integer or double that it can say exactly.
  public init?(_ value: Value) {
    guard let read = Double(value) else { return nil }
    self.init(exactly: read)
  }
  /// How it is stored.
  public var value: Value { .double(Double(self)) }
}

extension BigInteger: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    switch value.unlabelled {
    case .bigInteger(let read): self = read
    case .integer(let read): self.init(Int128(read))
    default: return nil
    }
  }
  /// How it is stored.
  public var value: Value { core.int64.map { .integer($0) } ?? .bigInteger(self) }
}

extension ExactDecimal: ValueConvertible {
  /// Also of an integer.
  public init?(_ value: Value) {
    switch value.unlabelled {
    case .decimal(let read): self = read
    case .integer(let read): self.init("\(read)")
    default: return nil
    }
  }
  /// How it is stored.
  public var value: Value { .decimal(self) }
}

extension Timestamp: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .date(let read) = value.unlabelled else { return nil }
    self = read
  }
  /// How it is stored.
  public var value: Value { .date(self) }
}

extension RecordReference: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .reference(let read) = value.unlabelled else { return nil }
    self = read
  }
  /// How it is stored.
  public var value: Value { .reference(self) }
}

extension Asset: ValueConvertible {
  /// Nil of a value of another kind.
  public init?(_ value: Value) {
    guard case .asset(let read) = value.unlabelled else { return nil }
    self = read
  }
  /// How it is stored.
  public var value: Value { .asset(self) }
}

extension Array: ValueConvertible where Element: ValueConvertible {
  /// Of an array or a set all of whose elements convert. Bytes are data.
  public init?(_ value: Value) {
    switch value.unlabelled {
    case .data(let bytes):
      guard Element.self == UInt8.self, let read = bytes as? [Element] else { return nil }
      self = read
    case .array(let values), .set(let values):
      var read: [Element] = []
      for value in values {
        guard let element = Element(value) else { return nil }
        read.append(element)
      }
      self = read
    default: return nil
    }
  }
  /// How it is stored.
  public var value: Value {
    // An empty array of anything is one of bytes, too.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .data(bytes) }
    return .array(map(\.value))
  }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
  /// Of a dictionary all of whose values convert.
  public init?(_ value: SeaKit.Value) {
    guard case .dictionary(let members) = value.unlabelled else { return nil }
    self.init(minimumCapacity: members.count)
    for (key, value) in members {
      guard let element = Value(value) else { return nil }
      self[key] = element
    }
  }
  /// How it is stored.
  public var value: SeaKit.Value { .dictionary(mapValues(\.value)) }
}
