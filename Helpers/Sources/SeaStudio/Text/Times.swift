import SeaKit

/// Times as people read them.
enum Times {
  /// An element with the time in UTC; the script of the page shows the local time instead.
  static func html(_ time: Timestamp) -> HTML {
    "<time datetime=\"\(value: time.description)\">\(minutes(time)) UTC</time>"
  }

  /// How long ago, with the exact time as a title.
  static func ago(_ time: Timestamp, now: Timestamp = .now) -> HTML {
    """
    <time datetime="\(value: time.description)" data-ago title="\(label: minutes(time)) UTC">\(words(time, now))\
    </time>
    """
  }

  static func minutes(_ time: Timestamp) -> String {
    // 2026-03-01T12:30:00.250Z
    let text = time.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  static func words(_ time: Timestamp, _ now: Timestamp) -> String {
    let seconds = (now.milliseconds - time.milliseconds) / 1000
    if seconds < -60 { return minutes(time) }
    func some(_ number: Int64, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s") ago" }
    switch seconds {
    case ..<60: return "just now"
    case ..<3600: return some(seconds / 60, "minute")
    case ..<86_400: return some(seconds / 3600, "hour")
    case ..<(86_400 * 31): return some(seconds / 86_400, "day")
    default: return String(time.description.prefix(10))
    }
  }

  static func length(_ time: Duration) -> String {
    let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds / 100 % 10) seconds"
  }
}

/// Numbers and sizes as people read them.
enum Amount {
  /// Groups of three digits, with narrow spaces that do not break.
  static func count(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "−" : ""
    for (k, digit) in digits.enumerated() {
      if k > 0, (digits.count - k) % 3 == 0 { text += "\u{202F}" }
      text.append(digit)
    }
    return text
  }

  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
  }

  static func size(_ bytes: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (Double(bytes), 0)
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    if unit == 0 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    let tenths = Int((value * 10).rounded())
    return tenths >= 100 ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
