/// A command line that does the same as a button, for people to copy.
package struct CommandText: Sendable, Equatable {
  package private(set) var text: String

  package init(_ words: String...) { self.init(words: words) }
  package init(words: [String]) { text = (["sea"] + words.map(CommandText.word)).joined(separator: " ") }

  /// Quotes a word for a POSIX shell, if necessary. Invisible characters become escapes, so that the reader sees
  /// exactly the text that is copied.
  package static func word(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    // A shell completes words at a tab.
    if Visible.hasHidden(text) || text.utf8.contains(where: { $0 < 0x20 }) {
      var quoted = "\"$(printf '"
      for byte in text.utf8 {
        switch byte {
        case 0x25: quoted += "%%"
        case 0x20, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: quoted.unicodeScalars.append(Unicode.Scalar(byte))
        default: quoted += "\\" + octal(byte)
        }
      }
      return quoted + "')\""
    }
    var quoted = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F, 0x40, 0x2B, 0x2C, 0x3D, 0x25: true
    default: false
    }
  }
}
