import SeaCore
import SeaEngine

package enum TimeText {
  /// Parses RFC 3339 (with `T` or a space, and any offset), a date (midnight UTC), `@SECONDS`, an age (`90m`, `3h`,
  /// `2d`, `1w`, `"2 hours ago"`), `yesterday` (24 hours ago) or `now`.
  package static func parse(_ text: String, now: Milliseconds) -> Milliseconds? {
    if text == "now" { return now }
    if text == "yesterday" { return now - 86_400_000 }
    if text.hasPrefix("@") { return Int64(text.dropFirst()).flatMap { checked($0) } }
    if let age = age(text) { return now - age }
    return Instant.parse(text)
  }

  private static func checked(_ seconds: Int64) -> Milliseconds? {
    let (time, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return !overflow && Instant.range.contains(time) ? time : nil
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
}
