/// Dates as milliseconds since 1970-01-01T00:00:00Z, in the years 0001 to 9999, and their text form (RFC 3339).
package enum Instant {
  package static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Returns the nearest valid date. This is necessary because another instance can claim any number.
  package static func clamped(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, range.lowerBound), range.upperBound)
  }

  /// Parses a date, or a date and time with any UTC offset. Digits after the millisecond must be zeros.
  package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var reader = TimeReader(bytes: bytes)
    guard let day = reader.day() else { return nil }
    var value = Int64(day) * CalendarDay.milliseconds
    if reader.atEnd { return value }
    guard reader.accept(0x54) || reader.accept(0x74) || reader.accept(0x20), let hour = reader.number(2),
      reader.accept(0x3A),
      let minute = reader.number(2), reader.accept(0x3A), let second = reader.number(2), hour < 24, minute < 60,
      second < 60
    else { return nil }
    value += Int64((hour * 60 + minute) * 60 + second) * 1000
    if reader.accept(0x2E) {
      guard let fraction = reader.fraction() else { return nil }
      value += Int64(fraction)
    }
    if !reader.accept(0x5A), !reader.accept(0x7A) {
      let sign: Int64 = reader.accept(0x2B) ? -1 : 1
      guard sign == -1 || reader.accept(0x2D), let hours = reader.number(2), reader.accept(0x3A),
        let minutes = reader.number(2), hours < 24, minutes < 60
      else { return nil }
      value += sign * Int64(hours * 60 + minutes) * 60_000
    }
    return reader.atEnd && range.contains(value) ? value : nil
  }

  package static func parse(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  /// Writes `2026-03-01T00:00:00Z`, or `….123Z` if there are milliseconds.
  package static func write(_ milliseconds: Int64, into writer: inout ByteWriter) {
    let clamped = clamped(milliseconds)
    var day = clamped / CalendarDay.milliseconds
    var rest = clamped % CalendarDay.milliseconds
    if rest < 0 {
      rest += CalendarDay.milliseconds
      day -= 1
    }
    CalendarDay.write(Int(day), into: &writer)
    writer.byte(0x54)
    writer.digits(Int(rest / 3_600_000), 2)
    writer.byte(0x3A)
    writer.digits(Int(rest / 60_000 % 60), 2)
    writer.byte(0x3A)
    writer.digits(Int(rest / 1000 % 60), 2)
    if rest % 1000 != 0 {
      writer.byte(0x2E)
      writer.digits(Int(rest % 1000), 3)
    }
    writer.byte(0x5A)
  }

  package static func text(_ milliseconds: Int64) -> String {
    var writer = ByteWriter(capacity: 32)
    write(milliseconds, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Days of the proleptic Gregorian calendar as days since 1970-01-01, in the years 0001 to 9999, and their text form
/// `2026-03-01`.
package enum CalendarDay {
  package static let range = -719_162...2_932_896
  static let milliseconds: Int64 = 86_400_000

  package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var reader = TimeReader(bytes: bytes)
    guard let day = reader.day(), reader.atEnd else { return nil }
    return day
  }

  package static func parse(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { parse($0) }
  }

  package static func write(_ day: Int, into writer: inout ByteWriter) {
    let (year, month, dayOfMonth) = date(of: day)
    writer.digits(year, 4)
    writer.byte(0x2D)
    writer.digits(month, 2)
    writer.byte(0x2D)
    writer.digits(dayOfMonth, 2)
  }

  package static func text(_ day: Int) -> String {
    var writer = ByteWriter(capacity: 10)
    write(day, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns the midnight in UTC with which the day begins.
  package static func instant(_ day: Int) -> Int64 { Int64(day) * milliseconds }

  /// Returns nil if there is no such day.
  package static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= days(in: month, of: year) else {
      return nil
    }
    return dayNumber(year, month, day)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    default: 31
    }
  }

  /// Returns the number of days since 1970-01-01, calculated in 400-year eras that begin on March 1.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  package static func date(of day: Int) -> (year: Int, month: Int, day: Int) {
    let z = day + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let m = (5 * dayOfYear + 2) / 153
    let month = m < 10 ? m + 3 : m - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * m + 2) / 5 + 1)
  }
}

private struct TimeReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset = 0
  var atEnd: Bool { offset == bytes.count }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  mutating func number(_ digits: Int) -> Int? {
    guard bytes.count - offset >= digits else { return nil }
    var value = 0
    for _ in 0..<digits {
      let digit = bytes[offset] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
      offset += 1
    }
    return value
  }

  mutating func day() -> Int? {
    guard let year = number(4), accept(0x2D), let month = number(2), accept(0x2D), let day = number(2) else {
      return nil
    }
    return CalendarDay.day(year, month, day)
  }

  /// Parses a fraction of a second with one or more digits. All digits after the third must be zeros.
  mutating func fraction() -> Int? {
    var value = 0
    var count = 0
    while offset < bytes.count, bytes[offset] &- 0x30 < 10 {
      let digit = Int(bytes[offset] - 0x30)
      if count < 3 { value = value * 10 + digit } else if digit != 0 { return nil }
      count += 1
      offset += 1
    }
    guard count > 0 else { return nil }
    for _ in 0..<max(0, 3 - count) { value *= 10 }
    return value
  }
}

extension ByteWriter {
  fileprivate mutating func digits(_ value: Int, _ count: Int) {
    var scale = 1
    for _ in 1..<count { scale *= 10 }
    while scale > 0 {
      byte(0x30 + UInt8(value / scale % 10))
      scale /= 10
    }
  }
}
