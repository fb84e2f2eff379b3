/// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
package typealias Milliseconds = Int64

/// The Gregorian calendar, without time zones.
package struct CalendarTime: Equatable, Sendable {
  package var year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0

  /// The calendar's reading of a moment, shifted by `offset` seconds east of UTC.
  package init(_ time: Milliseconds, offset: Int = 0) {
    let shifted = time + Milliseconds(offset) * 1000
    let days = shifted >= 0 ? shifted / 86_400_000 : (shifted - 86_399_999) / 86_400_000
    let rest = Int(shifted - days * 86_400_000)
    // Days are counted from 0000-03-01, in eras of 400 years: H. Hinnant, "chrono-compatible low-level date algorithms".
    let z = Int(days) + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
    millisecond = rest % 1000
  }

  /// The moment, or nil when there is no such date or time of day.
  package static func time(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0, milliseconds: Int = 0
  ) -> Milliseconds? {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second), (0...999).contains(milliseconds)
    else { return nil }
    let y = month <= 2 ? year - 1 : year
    let era = y / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = Milliseconds(era * 146_097 + dayOfEra - 719_468)
    return ((days * 24 + Milliseconds(hour)) * 60 + Milliseconds(minute)) * 60_000
      + Milliseconds(second * 1000 + milliseconds)
  }

  static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  package var date: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }
  package var clock: String { "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))" }
}
