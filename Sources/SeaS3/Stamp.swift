import SeaCore

/// Converts times to and from the formats that S3 uses, in UTC.
package enum Stamp {
  /// Formats a time, given in seconds since 1970, as `20260102T030405Z`.
  package static func basic(_ seconds: Int64) -> String {
    Instant.text(seconds * 1000).filter { $0 != "-" && $0 != ":" }
  }

  /// Parses a time such as `2026-01-02T03:04:05.678Z`, which can have an offset such as `+00:00`. Returns the number of
  /// milliseconds since 1970, ignoring fractions of a millisecond.
  package static func parse(_ text: String) -> Int64? {
    guard text.contains("T") else { return nil }
    guard let point = text.firstIndex(of: ".") else { return Instant.parse(text) }
    let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
    return Instant.parse(String(text[..<point]) + "." + digits.prefix(3) + text[digits.endIndex...])
  }
}
