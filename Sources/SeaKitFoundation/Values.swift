public import Foundation
public import SeaKit

// Foundation types can be used in typed records, or on a `Record` as in `record["name", as: Date.self]`.

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

  /// Creates the date at which a day begins in a time zone.
  public init(_ day: Day, in zone: TimeZone) {
    let midnight = Double(day.daysSince1970) * 86_400
    // If the clocks change on this day, its midnight may occur twice or never.
    let guesses = [-86_400, 86_400].map { seconds in
      Date(
        timeIntervalSince1970: midnight
          - Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: midnight + seconds))))
    }.sorted()
    self = guesses.first { Day($0, in: zone) == day } ?? guesses[1]
  }
}

extension Day {
  /// Creates the day of a date in a time zone, clamped to the years 0001 to 9999.
  public init(_ date: Date, in zone: TimeZone) {
    let days = ((date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))) / 86_400).rounded(.down)
    self.init(daysSince1970: days >= 0x1p63 ? .max : days > -0x1p63 ? Int(days) : .min)
  }
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
    guard case .data(let bytes) = value.unlabeled else { return nil }
    self.init(bytes)
  }
  /// The stored data. For large content such as a photograph, use an asset.
  public var value: Value { .data([UInt8](self)) }
}

extension URL: ValueConvertible {
  /// Converts a string; returns nil for a string that is not a URL and for a value of another kind.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(string: text)
  }
  /// The URL as a string.
  public var value: Value { .string(absoluteString) }
}

extension UUID: ValueConvertible {
  /// Converts a string; returns nil for a string that is not a UUID and for a value of another kind.
  public init?(_ value: Value) {
    guard let text = String(value) else { return nil }
    self.init(uuidString: text)
  }
  /// The UUID as a lowercase string, like the ids of records.
  public var value: Value { .string(uuidString.lowercased()) }
}

extension Decimal: ValueConvertible {
  /// Converts a decimal or an integer; returns nil for other values and for numbers with more digits than `Decimal` can
  /// hold.
  public init?(_ value: Value) {
    guard let exact = ExactDecimal(value), let read = Decimal(string: exact.description, locale: nil),
      read.exactDigits == Decimal.digits(of: exact.description)
    else { return nil }
    self = read
  }
  /// The decimal with all of its digits; null for "not a number".
  public var value: Value { ExactDecimal(description).map { .decimal($0) } ?? .null }

  private var exactDigits: String { Decimal.digits(of: description) }

  /// Returns the significant digits, so that the loss of any can be detected.
  private static func digits(of text: String) -> String {
    let mantissa = text.prefix { $0 != "e" && $0 != "E" }.filter { $0 != "." && $0 != "-" && $0 != "+" }
    let first = mantissa.drop { $0 == "0" }
    return String(first.reversed().drop { $0 == "0" }.reversed())
  }
}
