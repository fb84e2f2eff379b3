internal import SeaCore

/// A type that can be stored as the value of a property.
///
/// Values of a conforming type can be properties of typed records, and you can read and set them on a `Record`. The
/// module `SeaKitFoundation` makes Foundation types conform.
public protocol ValueConvertible: Sendable {
  /// Converts a value; returns nil if it is of another kind.
  init?(_ value: Value)
  var value: Value { get }
}

extension Value: ValueConvertible {
  /// Creates a copy of a value.
  public init?(_ value: Value) { self = value }
  /// The value itself.
  public var value: Value { self }
}

extension Bool: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .bool(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .bool(self) }
}

extension String: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .string(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .string(self) }
}

extension ValueConvertible where Self: FixedWidthInteger {
  /// Converts an integer, a counter, or a double without a fraction; returns nil if it is out of range.
  public init?(_ value: Value) {
    switch value.unlabeled {
    case .integer(let read): self.init(exactly: read)
    case .counter(let read): self.init(exactly: read)
    case .double(let read): self.init(exactly: read)
    case .bigInteger(let read): self.init(read.description)
    default: return nil
    }
  }
  /// The stored value.
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
  /// Converts a double, or an integer that a double can represent exactly; returns nil for any other value.
  public init?(_ value: Value) {
    switch value.unlabeled {
    case .double(let read): self = read
    case .integer(let read): self.init(exactly: read)
    default: return nil
    }
  }
  /// The stored value.
  public var value: Value { .double(self) }
}

extension Float: ValueConvertible {
  /// Converts a double or an integer that a float can represent exactly; returns nil for any other value.
  public init?(_ value: Value) {
    guard let read = Double(value) else { return nil }
    self.init(exactly: read)
  }
  /// The stored value.
  public var value: Value { .double(Double(self)) }
}

extension BigInteger: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    switch value.unlabeled {
    case .bigInteger(let read): self = read
    case .integer(let read): self.init(Int128(read))
    default: return nil
    }
  }
  /// The stored value.
  public var value: Value { core.int64.map { .integer($0) } ?? .bigInteger(self) }
}

extension ExactDecimal: ValueConvertible {
  /// Converts a decimal or an integer; returns nil for any other value.
  public init?(_ value: Value) {
    switch value.unlabeled {
    case .decimal(let read): self = read
    case .integer(let read): self.init("\(read)")
    default: return nil
    }
  }
  /// The stored value.
  public var value: Value { .decimal(self) }
}

extension Timestamp: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .date(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .date(self) }
}

extension Day: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .day(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .day(self) }
}

extension RecordReference: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .reference(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .reference(self) }
}

extension Asset: ValueConvertible {
  /// Converts a value; returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .asset(let read) = value.unlabeled else { return nil }
    self = read
  }
  /// The stored value.
  public var value: Value { .asset(self) }
}

extension Array: ValueConvertible where Element: ValueConvertible {
  /// Converts an array or a set if all of its elements can be converted. `[UInt8]` also converts data.
  public init?(_ value: Value) {
    switch value.unlabeled {
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
  /// The stored value.
  public var value: Value {
    // Any empty array can be cast to `[UInt8]`, so check the element type first.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .data(bytes) }
    return .array(map(\.value))
  }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
  /// Converts a dictionary if all of its values can be converted.
  public init?(_ value: SeaKit.Value) {
    guard case .dictionary(let members) = value.unlabeled else { return nil }
    self.init(minimumCapacity: members.count)
    for (key, value) in members {
      guard let element = Value(value) else { return nil }
      self[key] = element
    }
  }
  /// The stored value.
  public var value: SeaKit.Value { .dictionary(mapValues(\.value)) }
}
