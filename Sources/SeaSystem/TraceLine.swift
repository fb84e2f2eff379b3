import Glibc

/// A line of the trace, as text or JSON. Control characters and non-ASCII characters are escaped as in JSON, so that
/// they cannot control a terminal.
package struct TraceLine {
  package var program: String
  package var process: Int32
  /// The time in UTC, with microseconds.
  package var time: String
  package var event: String
  package var nanoseconds: Int64?
  package var fields: [Trace.Field]

  package init(
    program: String, process: Int32, time: String, event: String, nanoseconds: Int64?, fields: [Trace.Field]
  ) {
    (self.program, self.process, self.time) = (program, process, time)
    (self.event, self.nanoseconds, self.fields) = (event, nanoseconds, fields)
  }

  static func now() -> String {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    var parts = tm()
    gmtime_r(&moment.tv_sec, &parts)
    func digits(_ number: Int, _ width: Int) -> String { TraceLine.digits(number, width) }
    let day = [digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2)]
    let time = [digits(Int(parts.tm_hour), 2), digits(Int(parts.tm_min), 2), digits(Int(parts.tm_sec), 2)]
    return "\(day.joined(separator: "-"))T\(time.joined(separator: ":")).\(digits(moment.tv_nsec / 1000, 6))Z"
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  private var seconds: String? { nanoseconds.map(TraceLine.seconds) }

  /// Returns a duration in seconds, with microseconds.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let microseconds = Int(max(0, nanoseconds) / 1000)
    return "\(microseconds / 1_000_000).\(digits(microseconds % 1_000_000, 6))"
  }

  package var text: String {
    var line = "\(time) \(program)[\(process)] \(event) \(seconds ?? "-")"
    for field in fields {
      line += " \(field.name)="
      switch field.value {
      case .number(let number): line += String(number)
      case .text(let text):
        let shown = TraceLine.escaped(text)
        let isBare = !shown.isEmpty && !shown.utf8.contains { $0 == 0x20 || $0 == 0x22 || $0 == 0x5C }
        line += isBare ? shown : "\"\(shown)\""
      }
    }
    return line + "\n"
  }

  package var json: String {
    var line = #"{"event":"\#(event)","time":"\#(time)","program":"\#(program)","pid":\#(process)"#
    if let seconds { line += #","seconds":\#(seconds)"# }
    for field in fields {
      line += #","\#(field.name)":"#
      switch field.value {
      case .number(let number): line += String(number)
      case .text(let text): line += "\"\(TraceLine.escaped(text))\""
      }
    }
    return line + "}\n"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for unit in withoutPassword(text).utf16 {
      switch unit {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let hex = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
      }
    }
    return result
  }

  package static func withoutPassword(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var at = 0
    while at + 3 <= bytes.count, !(bytes[at] == 0x3A && bytes[at + 1] == 0x2F && bytes[at + 2] == 0x2F) { at += 1 }
    guard at + 3 <= bytes.count else { return text }
    let start = at + 3
    let end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x20 } ?? bytes.count
    guard let at = bytes[start..<end].lastIndex(of: 0x40), let colon = bytes[start..<at].firstIndex(of: 0x3A) else {
      return text
    }
    return String(decoding: bytes[...colon] + Array("***".utf8) + bytes[at...], as: UTF8.self)
  }
}
