import SeaCore

/// A form of days or dates, such as `%d.%m.%Y`: a subset of the conversions of `strptime`.
struct TimeFormat {
  struct Result {
    var day = 0
    /// Milliseconds since midnight.
    var time = 0
    /// Seconds east of UTC, if the text names them.
    var offset: Int64?
    /// Whether digits after the millisecond were dropped.
    var isCut = false
  }

  private enum Part: Equatable {
    case literal(UInt8)
    case field(UInt8)
  }

  /// The fields for which different conversions exist, and those conversions.
  private static let dayFields = ["d", "mb", "Yy"]
  private static let timeFields = ["HI", "M", "S", "f", "p", "z"]

  private let parts: [Part]
  let hasOffset: Bool

  static func allowed(withTime: Bool) -> [String] {
    (dayFields + (withTime ? timeFields : [])).flatMap { $0.map { "%\($0)" } }
  }

  init(_ text: String, withTime: Bool) throws(ColumnTypeFault) {
    let fields = TimeFormat.dayFields + (withTime ? TimeFormat.timeFields : [])
    var parts: [Part] = []
    var found: [String: String] = [:]
    var rest = text.unicodeScalars[...]
    while let sign = rest.popFirst() {
      guard sign == "%" else {
        parts += String(sign).utf8.map { .literal($0) }
        continue
      }
      let name = rest.popFirst().map { String($0) } ?? ""
      guard !name.isEmpty, let field = fields.first(where: { $0.containsText(name) }), let byte = name.utf8.first else {
        throw .badField("%" + name, allowed: TimeFormat.allowed(withTime: withTime))
      }
      if let other = found[field] { throw .excludedFields(["%" + other, "%" + name]) }
      found[field] = name
      parts.append(.field(byte))
    }
    func need(_ field: String, for other: String? = nil) throws(ColumnTypeFault) {
      guard found[field] == nil else { return }
      throw .missingField(field.map { "%\($0)" }, for: other.map { "%" + $0 })
    }
    for field in TimeFormat.dayFields { try need(field) }
    for (field, other) in zip(["HI", "M", "S"], ["M", "S", "f"]) where found[other] != nil {
      try need(field, for: other)
    }
    if found["HI"] == "I" { try need("p", for: "I") }
    if found["p"] != nil, found["HI"] != "I" { throw .missingField(["%I"], for: "%p") }
    self.parts = parts
    hasOffset = found["z"] != nil
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns nil if the text does not have this form, or names no day of the calendar.
  func parse(_ text: ArraySlice<UInt8>) -> Result? {
    var reader = DigitReader(rest: text)
    var result = Result()
    var (year, month, day, hour) = (0, 0, 0, 0)
    var isAfternoon: Bool?
    for (k, part) in parts.enumerated() {
      switch part {
      case .literal(let byte): guard reader.accept(Unicode.Scalar(byte)) else { return nil }
      case .field(UInt8(ascii: "z")):
        guard let offset = TimeFormat.offset(&reader) else { return nil }
        result.offset = offset
      case .field(UInt8(ascii: "f")): guard TimeFormat.fraction(&reader, &result) else { return nil }
      case .field(UInt8(ascii: "b")):
        let name = String(decoding: reader.rest.prefix(3).map { $0 | 0x20 }, as: UTF8.self)
        guard let found = TimeFormat.months.firstIndex(of: name) else { return nil }
        reader.rest = reader.rest.dropFirst(3)
        month = found + 1
      case .field(UInt8(ascii: "p")):
        let name = reader.rest.prefix(2).map { $0 | 0x20 }
        guard name == Array("am".utf8) || name == Array("pm".utf8) else { return nil }
        reader.rest = reader.rest.dropFirst(2)
        isAfternoon = name[0] == UInt8(ascii: "p")
      case .field(let name):
        let (digits, values): (ClosedRange<Int>, ClosedRange<Int>) =
          switch name {
          case UInt8(ascii: "Y"): (4...4, 1...9999)
          case UInt8(ascii: "y"): (2...2, 0...99)
          case UInt8(ascii: "H"): (1...2, 0...23)
          case UInt8(ascii: "I"): (1...2, 1...12)
          case UInt8(ascii: "M"), UInt8(ascii: "S"): (2...2, 0...59)
          default: (1...2, 1...31)
          }
        guard let number = reader.number(digits, values) else { return nil }
        switch name {
        case UInt8(ascii: "Y"): year = number
        case UInt8(ascii: "y"): year = number + (number < 69 ? 2000 : 1900)
        case UInt8(ascii: "m"): month = number
        case UInt8(ascii: "d"): day = number
        case UInt8(ascii: "M"): result.time += number * 60_000
        case UInt8(ascii: "S"):
          result.time += number * 1000
          let isPoint = k + 1 < parts.count && parts[k + 1] == .literal(UInt8(ascii: "."))
          if !isPoint, reader.accept("."), !TimeFormat.fraction(&reader, &result) { return nil }
        default: hour = number
        }
      }
    }
    guard reader.rest.isEmpty, let number = CalendarDay.day(year, month, day) else { return nil }
    if let isAfternoon { hour = hour % 12 + (isAfternoon ? 12 : 0) }
    result.day = number
    result.time += hour * 3_600_000
    return result
  }

  /// Reads one to nine digits after the second.
  private static func fraction(_ reader: inout DigitReader, _ result: inout Result) -> Bool {
    let digits = reader.rest.prefix(9).prefix { $0 &- 0x30 < 10 }
    guard !digits.isEmpty else { return false }
    reader.rest = reader.rest.dropFirst(digits.count)
    let known = digits.prefix(3)
    result.time += (0..<3).reduce(0) { $0 * 10 + ($1 < known.count ? Int(known[known.startIndex + $1] - 0x30) : 0) }
    result.isCut = digits.dropFirst(3).contains { $0 != 0x30 }
    return true
  }

  /// Reads `Z`, `+01`, `+0100` or `+01:00`.
  private static func offset(_ reader: inout DigitReader) -> Int64? {
    if reader.accept("Z") { return 0 }
    let isWest = reader.accept("-")
    guard isWest || reader.accept("+"), let hours = reader.number(2...2, 0...23) else { return nil }
    var minutes = 0
    if reader.accept(":") || reader.rest.first.map({ $0 &- 0x30 < 10 }) ?? false {
      guard let number = reader.number(2...2, 0...59) else { return nil }
      minutes = number
    }
    return Int64(hours * 60 + minutes) * (isWest ? -60 : 60)
  }

  /// Parses the forms of ISO 8601 that other programs write but JSON does not allow, such as
  /// `2026-03-01 10:00:00.123456+0100`.
  static func iso(_ text: ArraySlice<UInt8>) -> Result? { isoForms.lazy.compactMap { $0.parse(text) }.first }

  private static let isoForms: [TimeFormat] = ["T", " "].flatMap { sign in
    [":%S", ""].compactMap { try? TimeFormat("%Y-%m-%d\(sign)%H:%M\($0)%z", withTime: true) }
  }
}
