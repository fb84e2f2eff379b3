import SeaCore

/// Times as S3 writes them, in UTC. Pure.
package enum Stamp {
  /// `20260102T030405Z`, of seconds since 1970.
  package static func basic(_ seconds: Int64) -> String {
    Instant.text(seconds * 1000).filter { $0 != "-" && $0 != ":" }
  }

  /// Milliseconds since 1970 of `2026-01-02T03:04:05.678Z`, or with `+00:00` or another offset at its end. What servers say
  /// that is finer is passed over.
  package static func parse(_ text: String) -> Int64? {
    guard text.contains("T") else { return nil }
    guard let point = text.firstIndex(of: ".") else { return Instant.parse(text) }
    let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
    return Instant.parse(String(text[..<point]) + "." + digits.prefix(3) + text[digits.endIndex...])
  }
}
