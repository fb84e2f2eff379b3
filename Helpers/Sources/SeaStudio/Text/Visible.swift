/// Shows invisible characters, and characters that change the direction of text, as marks. Otherwise, a record from
/// another person could deceive the reader.
enum Visible {
  /// Appends text for people, escaped. Each character that cannot be seen becomes a mark with its code.
  static func append(_ text: String, to source: inout String) {
    if HTML.isPlain(text) {
      source += text
      return
    }
    var before: Unicode.Scalar = " "
    var length = 0
    for scalar in text.unicodeScalars {
      length = isSpace(scalar) ? 0 : length + 1
      if length.isMultiple(of: mostShaped), length > 0 { source += "<wbr>" }
      if isHidden(scalar, after: before) {
        source += "<span class=\"mark\" title=\"\(name(scalar))\">\(code(scalar))</span>"
      } else if scalar == "\n" {
        source += "\n"
      } else {
        HTML.append(scalar, to: &source)
      }
      before = scalar
    }
  }

  /// The same for places that can contain only text.
  static func plain(_ text: String) -> String {
    guard hasHidden(text) else { return text }
    var all = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if isHidden(scalar, after: before) { all += code(scalar) } else { all.unicodeScalars.append(scalar) }
      before = scalar
    }
    return all
  }

  static func hasHidden(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return false }
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if isHidden(scalar, after: before) { return true }
      before = scalar
    }
    return false
  }

  /// Browsers need a time that grows with the square of the length of a word, or of the accents of one letter. Longer
  /// ones can be broken, and very long ones are not for fields, in which nothing can be broken.
  private static let (mostShaped, mostInField) = (200, 3000)

  /// Whether a word is so long that a browser hangs if it is in a field. Chinese and similar scripts are simple.
  static func isHeavy(_ text: String) -> Bool {
    if text.utf8.count < mostInField { return false }
    var (length, isComplex) = (0, false)
    for scalar in text.unicodeScalars {
      (length, isComplex) =
        isSpace(scalar) ? (0, false) : (length + 1, isComplex || (0x300..<0x2000).contains(scalar.value))
      if isComplex, length > mostInField { return true }
    }
    return false
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" }

  private static func isHidden(_ scalar: Unicode.Scalar, after before: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x20...0x7E: false
    case 0...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x2800, 0x3164, 0xFFA0: true
    // Joiners belong to emoji and to the scripts of India and Persia, and to nothing that is written in Latin letters.
    case 0x200C, 0x200D: before.value < 0x0300
    case 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF0...0xFFFB, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
    default: false
    }
  }

  private static func code(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }

  private static func name(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: "changes the direction of the text"
    case 0...0x1F, 0x7F...0x9F: "control character"
    default: "invisible character"
    }
  }
}
