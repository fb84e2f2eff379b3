import SeaCore

/// The kinds of values that number formats show.
package enum CellFormat: Equatable, Sendable {
  case number
  case date
  case time
  /// A duration, such as `[h]:mm`, which can have more than 24 hours.
  case duration

  /// The formats that every workbook has.
  package init(builtIn id: Int) {
    switch id {
    case 14...17, 22, 27...36, 50...58: self = .date
    case 18...21, 45, 47: self = .time
    case 46: self = .duration
    default: self = .number
    }
  }

  /// - Parameter code: a format such as `dd.mm.yyyy`. Letters in quotes, in brackets, and after `\`, `_` or `*` are text.
  package init(code: String) {
    var letters: Set<UInt8> = []
    var isDuration = false
    var rest = Array(code.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x22: rest = rest.drop { $0 != 0x22 }.dropFirst()
      case 0x5C, 0x5F, 0x2A: rest = rest.dropFirst()
      case 0x5B:
        let words = rest.prefix { $0 != 0x5D }.map { $0 | 0x20 }
        rest = rest.dropFirst(words.count + 1)
        if let first = words.first, "hms".utf8.contains(first), words.allSatisfy({ $0 == first }) { isDuration = true }
      default: letters.insert(byte | 0x20)
      }
    }
    let hasTime = !letters.isDisjoint(with: "hs".utf8)
    if isDuration {
      self = .duration
    } else if !letters.isDisjoint(with: "dy".utf8) || !hasTime && letters.contains(UInt8(ascii: "m")) {
      self = .date
    } else {
      self = hasTime ? .time : .number
    }
  }
}

/// Days as Excel numbers them, with the time as a fraction.
package enum SerialDay {
  private static let day = 86_400_000

  /// Returns `2026-03-01` for a whole number, else `2026-03-01T12:30:00`, or `12:30:00` for a time without a day. Nil if
  /// there is no such day.
  /// - Parameter from1904: whether day 0 is 1904-01-01. Otherwise, day 60 is February 29, 1900, which did not exist.
  package static func text(_ serial: Double, _ format: CellFormat, from1904: Bool) -> (text: String, isTime: Bool)? {
    guard serial >= 0, serial < 2_958_466 else { return nil }
    // Excel calculates times as fractions, which are rarely exact.
    let milliseconds = Int((serial * Double(day)).rounded())
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: day)
    if format == .duration || serial > 0 && days == 0 || serial == 0 && format == .time {
      return (time(milliseconds), true)
    }
    let epoch = from1904 ? CalendarDay.day(1904, 1, 1)! : CalendarDay.day(1899, 12, days < 60 ? 31 : 30)!
    guard from1904 || days != 0 && days != 60, CalendarDay.range.contains(epoch + days) else { return nil }
    return (date(epoch + days, rest), false)
  }

  package static func date(_ day: Int, _ milliseconds: Int) -> String {
    CalendarDay.text(day) + (milliseconds == 0 ? "" : "T" + time(milliseconds))
  }

  private static func time(_ milliseconds: Int) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let seconds = milliseconds / 1000
    let text = "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
    return milliseconds % 1000 == 0 ? text : text + ".\(digits(milliseconds % 1000, 3))"
  }
}

/// The numbers stored in cells.
package enum CellNumber {
  /// Returns nil if the text is not a finite decimal number.
  package static func value(_ text: String) -> Double? {
    let signs = "0123456789+-.eE".utf8
    guard text.utf8.allSatisfy(signs.contains), let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// Returns the shortest text of the same number. Excel stores 17 digits of a double, such as 0.10000000000000001.
  /// Other programs may store longer integers, which are kept.
  package static func text(_ stored: String, _ value: Double) -> String {
    if let integer = Int64(stored) { return "\(integer)" }
    let text = "\(value == 0 ? 0 : value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// The position of a cell, such as `C17`. The first row and the first column are 1.
package struct CellName: Equatable {
  package static let lastRow = 1_048_576
  package static let lastColumn = 16_384

  package let row: Int
  package let column: Int

  package init?(_ text: String) {
    let letters = text.utf8.prefix { (0x41...0x5A).contains($0) }
    column = letters.prefix(4).reduce(0) { $0 * 26 + Int($1 - 0x40) }
    guard !letters.isEmpty, column <= CellName.lastColumn,
      let row = CellName.row(String(text.dropFirst(letters.count)))
    else { return nil }
    self.row = row
  }

  package static func row(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let row = Int(text), (1...lastRow).contains(row) else {
      return nil
    }
    return row
  }
}
