/// Moments as people write them on command lines.
package enum TimeText {
  /// RFC 3339 (`T` or a space, any offset), a date (midnight UTC), `@SECONDS`, an age (`90m`, `3h`, `2d`, `1w`,
  /// `"2 hours ago"`), `yesterday` (24 hours ago) or `now`.
  package static func parse(_ text: String, now: Milliseconds) -> Milliseconds? {
    if text == "now" { return now }
    if text == "yesterday" { return now - 86_400_000 }
    if text.hasPrefix("@") { return Int64(text.dropFirst()).flatMap { checked($0) } }
    if let age = age(text) { return now - age }
    return stamp(Array(text.utf8))
  }

  private static func checked(_ seconds: Int64) -> Milliseconds? {
    // The years 0001 to 9999.
    (-62_135_596_800...253_402_300_799).contains(seconds) ? seconds * 1000 : nil
  }

  private static func age(_ text: String) -> Milliseconds? {
    if let last = text.utf8.last, last > 0x39, let seconds = Quantity.duration(text), seconds < 1 << 40 {
      return seconds * 1000
    }
    let words = text.split(separator: " ")
    guard words.count == 3, words[2] == "ago", let count = UInt32(words[0]) else { return nil }
    let units = ["second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800]
    let unit = words[1].hasSuffix("s") ? String(words[1].dropLast()) : String(words[1])
    return units[unit].map { Milliseconds($0) * Milliseconds(count) * 1000 }
  }

  private static func stamp(_ text: [UInt8]) -> Milliseconds? {
    var rest = text[...]
    func number(_ width: Int) -> Int? {
      guard rest.count >= width, rest.prefix(width).allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
      defer { rest = rest.dropFirst(width) }
      return rest.prefix(width).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    func take(_ choices: String) -> UInt8? {
      guard let first = rest.first, choices.utf8.contains(first) else { return nil }
      rest = rest.dropFirst()
      return first
    }
    guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2) else {
      return nil
    }
    if rest.isEmpty { return CalendarTime.time(year, month, day) }
    guard take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
      let second = number(2)
    else { return nil }
    var milliseconds = 0
    if take(".") != nil {
      var scale = 100
      var digits = 0
      while let digit = number(1) {
        milliseconds += digit * scale
        scale /= 10
        digits += 1
      }
      if digits == 0 { return nil }
    }
    guard let time = CalendarTime.time(year, month, day, hour, minute, second, milliseconds: milliseconds) else {
      return nil
    }
    guard let zone = take("Zz+-") else { return nil }
    if zone | 0x20 == 0x7A { return rest.isEmpty ? time : nil }
    guard let hours = number(2), take(":") != nil, let minutes = number(2), rest.isEmpty, hours < 24, minutes < 60
    else { return nil }
    let shift = Milliseconds(hours * 60 + minutes) * 60_000
    return zone == 0x2B ? time - shift : time + shift
  }
}
