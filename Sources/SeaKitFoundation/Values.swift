public import Foundation
public import SeaKit

// These Foundation types can be used in typed records, or on `Record` as `record["name", as: Date.self]`.

extension Date: ValueConvertible {
  /// Converts a date; returns nil for a value of another kind.
  public init?(_ value: Value) {
    guard let moment = Timestamp(value) else { return nil }
    self.init(moment)
  }
  /// The date, rounded to milliseconds and clamped to the years 0001 to 9999.
  public var value: Value { .date(Timestamp(self)) }

  /// Creates a date from a timestamp.
  public init(_ moment: Timestamp) { self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1000) }
}

extension Timestamp {
  /// Creates a timestamp from a date, rounded to milliseconds and clamped to the years 0001 to 9999.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(
      milliseconds: milliseconds >= 0x1p63 ? .max : milliseconds > -0x1p63 ? Int64(milliseconds) : .min)
  }
}

extension Data: ValueConvertible {
  /// Converts data; returns nil for a value of another kind.
  public init?(_ value: Value) {
    guard case .data(let bytes) = value.unlabelled else { return nil }
    self.init(bytes)
  }
  /// The stored data. For large content such as a photograph, use an asset.
  public var value: Value { .data([UInt8](self)) }
}

extension URL: ValueConvertible {
  /// Converts a string; returns nil if it is not a URL, or for a value of another kind.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(string: text)
  }
  /// The URL as a string.
  public var value: Value { .string(absoluteString) }
}

extension UUID: ValueConvertible {
  /// Converts a string; returns nil if it is not a UUID, or for a value of another kind.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(uuidString: text)
  }
  /// The UUID as a string in lowercase, like the ids of records.
  public var value: Value { .string(uuidString.lowercased()) }
}

extension Decimal: ValueConvertible {
  /// Converts a decimal or an integer; returns nil if `Decimal` cannot hold all its digits.
  public init?(_ value: Value) {
    guard let exact = ExactDecimal(value), let read = Decimal(string: exact.description, locale: nil),
      read.exactDigits == Decimal.digits(of: exact.description)
    else { return nil }
    self = read
  }
  /// The decimal with all its digits; null for "not a number".
  public var value: Value { ExactDecimal(description).map { .decimal($0) } ?? .null }

  private var exactDigits: String { Decimal.digits(of: description) }

  /// Returns the significant digits, to detect whether any were lost.
  private static func digits(of text: String) -> String {
    let mantissa = text.prefix { $0 != "e" && $0 != "E" }.filter { $0 != "." && $0 != "-" && $0 != "+" }
    let first = mantissa.drop { $0 == "0" }
    return String(first.reversed().drop { $0 == "0" }.reversed())
  }
}
