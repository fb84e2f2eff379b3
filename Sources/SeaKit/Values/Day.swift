internal import SeaCore

/// A day of the calendar, such as a birthday, without a time and a time zone. The calendar is the proleptic Gregorian
/// calendar, in the years 0001 to 9999.
public struct Day: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
  /// The number of days since 1970-01-01.
  public let daysSince1970: Int

  /// Creates a day from the number of days since 1970-01-01, clamped to the years 0001 to 9999.
  public init(daysSince1970: Int) {
    self.daysSince1970 = min(max(daysSince1970, CalendarDay.range.lowerBound), CalendarDay.range.upperBound)
  }

  /// Creates a day; returns nil if the calendar does not have it.
  public init?(year: Int, month: Int, day: Int) {
    guard let number = CalendarDay.day(year, month, day) else { return nil }
    daysSince1970 = number
  }

  /// Parses a string such as `2026-03-01`; returns nil for any other string, and if the calendar does not have the day.
  public init?(_ description: String) {
    guard let number = CalendarDay.parse(description) else { return nil }
    daysSince1970 = number
  }

  /// The year, from 1 to 9999.
  public var year: Int { CalendarDay.date(of: daysSince1970).year }
  /// The month, from 1 to 12.
  public var month: Int { CalendarDay.date(of: daysSince1970).month }
  /// The day of the month, from 1 to 31.
  public var day: Int { CalendarDay.date(of: daysSince1970).day }

  /// The day in the form `2026-03-01`.
  public var description: String { CalendarDay.text(daysSince1970) }

  /// Returns whether `a` is earlier than `b`.
  public static func < (a: Day, b: Day) -> Bool { a.daysSince1970 < b.daysSince1970 }

  /// Encodes the day as a string. In a record, it is stored as a day.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, to: encoder) }
  /// Decodes the day from a string.
  public init(from decoder: any Decoder) throws { self = try decodeText(from: decoder) }
}
