import SeaCore

/// Milliseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
package typealias Milliseconds = Int64

package enum DateStyle: Equatable, Sendable {
  case iso, isoLocal, relative, unix
  /// Local time as in `ls -l`: date and time for this year, only the date for other years.
  case brief
  case format(String)

  static let names = ["iso", "iso-local", "relative", "unix", "format:STRFTIME"]

  package init?(_ text: String) {
    switch text {
    case "iso": self = .iso
    case "iso-local": self = .isoLocal
    case "relative": self = .relative
    case "unix": self = .unix
    default:
      guard text.hasPrefix("format:") else { return nil }
      let pattern = String(text.dropFirst(7))
      guard DateStyle.isKnown(pattern) else { return nil }
      self = .format(pattern)
    }
  }

  /// Returns the time as RFC 3339 in UTC. Includes milliseconds only if they are not zero.
  package static func machine(_ time: Milliseconds) -> String {
    var writer = ByteWriter(capacity: 32)
    Instant.write(time, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Formats a time. `offset` returns how many seconds local time is ahead of UTC at a Unix time.
  ///
  /// Blocks may claim any time. Except with `unix`, a time before the year 0001 or after 9999 is shown as the nearest
  /// valid time.
  package func text(_ given: Milliseconds, now: Milliseconds, offset: (Int64) -> Int) -> String {
    let time = Instant.clamped(given)
    switch self {
    case .iso: return DateStyle.machine(time)
    case .unix: return String(DateStyle.seconds(given))
    case .relative: return DateStyle.age(Instant.clamped(now) - time)
    case .isoLocal:
      var text = Pieces(time, offset(DateStyle.seconds(time))).text[..<19]
      text[10] = 0x20
      return String(decoding: text, as: UTF8.self)
    case .brief:
      let at = Pieces(time, offset(DateStyle.seconds(time)))
      let today = Pieces(Instant.clamped(now), offset(DateStyle.seconds(now)))
      return at[0..<4] == today[0..<4] ? "\(at[5..<10]) \(at[11..<16])" : at[0..<10]
    case .format(let pattern):
      return DateStyle.filled(pattern, time, offset(DateStyle.seconds(time)))
    }
  }

  private static func seconds(_ time: Milliseconds) -> Int64 { time / 1000 - (time % 1000 < 0 ? 1 : 0) }

  private static func age(_ difference: Milliseconds) -> String {
    let seconds = abs(difference) / 1000
    let units: [(Int64, String)] = [
      (31_536_000, "year"), (2_592_000, "month"), (604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute"),
      (1, "second"),
    ]
    guard let (size, unit) = units.first(where: { seconds >= $0.0 }) else { return "now" }
    let count = seconds / size
    let text = "\(count) \(unit)\(count == 1 ? "" : "s")"
    return difference >= 0 ? "\(text) ago" : "in \(text)"
  }

  private static let conversions = "YmdHMSFTsz%".unicodeScalars

  private static func isKnown(_ pattern: String) -> Bool {
    var letters = pattern.unicodeScalars[...]
    while let letter = letters.popFirst() {
      if letter == "%", !(letters.popFirst().map(conversions.contains) ?? false) { return false }
    }
    return true
  }

  private static func filled(_ pattern: String, _ time: Milliseconds, _ offset: Int) -> String {
    let t = Pieces(time, offset)
    var result = ""
    var letters = pattern.unicodeScalars[...]
    while let letter = letters.popFirst() {
      guard letter == "%", let conversion = letters.popFirst() else {
        result.unicodeScalars.append(letter)
        continue
      }
      switch conversion {
      case "Y": result += t[0..<4]
      case "m": result += t[5..<7]
      case "d": result += t[8..<10]
      case "H": result += t[11..<13]
      case "M": result += t[14..<16]
      case "S": result += t[17..<19]
      case "F": result += t[0..<10]
      case "T": result += t[11..<19]
      case "s": result += String(seconds(time))
      case "z":
        let minutes = abs(offset) / 60
        let digits = String(10_000 + minutes / 60 * 100 + minutes % 60)
        result += (offset < 0 ? "-" : "+") + digits.dropFirst()
      default: result += "%"
      }
    }
    return result
  }

  /// Splits a time shifted by `offset` seconds into the parts of `2026-03-01T12:34:56`.
  private struct Pieces {
    let text: [UInt8]

    init(_ time: Milliseconds, _ offset: Int) {
      text = Array(DateStyle.machine(time + Milliseconds(offset) * 1000).utf8)
    }

    subscript(range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
  }
}
