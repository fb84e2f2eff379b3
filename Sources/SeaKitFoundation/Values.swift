public import Foundation
public import SeaKit

// Types of Foundation as values of records: in typed records by themselves, and on `Record` by `record["name", as: Date.self]`.

extension Date: ValueConvertible {
  /// To the millisecond; nil of a value that is no date.
  public init?(_ value: Value) {
    guard let moment = Timestamp(value) else { return nil }
    self.init(moment)
  }
  /// As a date, to the nearest millisecond; what lies outside of the years 0001 to 9999 becomes their first or last.
  public var value: Value { .date(Timestamp(self)) }

  /// A moment of a record.
  public init(_ moment: Timestamp) { self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1000) }
}

extension Timestamp {
  /// The nearest millisecond; what lies outside of the years 0001 to 9999 becomes their first or last.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(
      milliseconds: milliseconds >= 0x1p63 ? .max : milliseconds > -0x1p63 ? Int64(milliseconds) : .min)
  }
}

extension Data: ValueConvertible {
  /// Nil of a value that is no data.
  public init?(_ value: Value) {
    guard case .data(let bytes) = value.unlabelled else { return nil }
    self.init(bytes)
  }
  /// As data; many bytes, as a photograph, are better an asset.
  public var value: Value { .data([UInt8](self)) }
}

extension URL: ValueConvertible {
  /// Nil of a value that is no text, or not a URL.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(string: text)
  }
  /// As text.
  public var value: Value { .string(absoluteString) }
}

extension UUID: ValueConvertible {
  /// Nil of a value that is no text, or not a UUID.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(uuidString: text)
  }
  /// As text in lower case, as the ids of records are.
  public var value: Value { .string(uuidString.lowercased()) }
}

extension Decimal: ValueConvertible {
  /// Of a decimal or an integer whose digits it can hold, all of them; else nil.
  public init?(_ value: Value) {
    guard let exact = ExactDecimal(value), let read = Decimal(string: exact.description, locale: nil),
      read.exactDigits == Decimal.digits(of: exact.description)
    else { return nil }
    self = read
  }
  /// As a decimal with all its digits; not a number is null.
  public var value: Value { ExactDecimal(description).map { .decimal($0) } ?? .null }

  private var exactDigits: String { Decimal.digits(of: description) }

  /// The digits that count, to see whether some were lost.
  private static func digits(of text: String) -> String {
    let mantissa = text.prefix { $0 != "e" && $0 != "E" }.filter { $0 != "." && $0 != "-" && $0 != "+" }
    let first = mantissa.drop { $0 == "0" }
    return String(first.reversed().drop { $0 == "0" }.reversed())
  }
}
