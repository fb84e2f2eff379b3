/// How many cells of a terminal a text takes.
package enum TextWidth {
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// The beginning of `text` that fits, with `…` at the end when something was left out.
  package static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width, width > 0 else { return text }
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
      let next = of(scalar)
      if used + next > width - 1 { break }
      used += next
      result.unicodeScalars.append(scalar)
    }
    return result + "…"
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: 0
      default: 1
      }
    }
  }
}
