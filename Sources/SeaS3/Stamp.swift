/// Times as S3 writes them, in UTC. Pure.
package enum Stamp {
  /// `20260102T030405Z`, of seconds since 1970.
  package static func basic(_ seconds: Int64) -> String {
    let days = Int64((Double(seconds) / 86400).rounded(.down))
    let second = seconds - days * 86400
    // Years begin in March, in eras of 400 of them.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let monthOfYear = month < 10 ? month + 3 : month - 9
    func text(_ number: Int64, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    return text(year + era * 400 + (monthOfYear <= 2 ? 1 : 0), 4) + text(monthOfYear, 2)
      + text(dayOfYear - (153 * month + 2) / 5 + 1, 2) + "T" + text(second / 3600, 2) + text(second / 60 % 60, 2)
      + text(second % 60, 2) + "Z"
  }

  /// Milliseconds since 1970 of `2026-01-02T03:04:05.678Z`, or with `+00:00` or another offset at its end.
  package static func parse(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    func number(_ from: Int, _ count: Int) -> Int64? {
      guard from + count <= bytes.count, bytes[from..<from + count].allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return bytes[from..<from + count].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
      bytes[16] == 0x3A,
      let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var at = 19
    var milliseconds: Int64 = 0
    if bytes[at] == 0x2E {
      let digits = bytes[(at + 1)...].prefix { (0x30...0x39).contains($0) }
      for place in 0..<3 {
        milliseconds = milliseconds * 10 + (digits.dropFirst(place).first.map { Int64($0) - 0x30 } ?? 0)
      }
      at += 1 + digits.count
    }
    var offset: Int64 = 0
    switch bytes.count - at {
    case 1 where bytes[at] == 0x5A: break
    case 6 where bytes[at] == 0x2B || bytes[at] == 0x2D:
      guard let hours = number(at + 1, 2), let minutes = number(at + 4, 2) else { return nil }
      offset = (hours * 60 + minutes) * (bytes[at] == 0x2B ? 60 : -60)
    default: return nil
    }
    let march = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = march / 400 * 146_097 + march % 400 * 365 + march % 400 / 4 - march % 400 / 100 + dayOfYear - 719_468
    return (days * 86400 + hour * 3600 + minute * 60 + second - offset) * 1000 + milliseconds
  }
}
