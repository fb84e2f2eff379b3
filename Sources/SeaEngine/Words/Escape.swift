import SeaCore

/// Escapes text so that it is safe to display and unambiguous to parse.
package enum Escape {
  /// Escapes control characters as `\x1b`, and bidirectional controls and line separators as `\u202e`.
  package static func shown(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 || $0 == 0xD8 }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      if let escaped = escaped(scalar) { result += escaped } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// Returns nil for a character that does not have to be escaped.
  package static func escaped(_ scalar: Unicode.Scalar) -> String? {
    guard scalar.value < 0x20 || UnsafeCharacters.contains(scalar.value) else { return nil }
    return scalar.value < 0x100 ? "\\x" + hex(scalar.value, 2) : "\\u" + hex(scalar.value, 4)
  }

  package static func hex(_ value: UInt32, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Returns a field of a TAB-separated line. A field with a control character, a quote or a backslash is quoted as a C
  /// string.
  package static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x22 || $0 == 0x5C }) else { return text }
    var result: [UInt8] = [0x22]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: result += [0x5C, byte]
      case 0x09: result += [0x5C, 0x74]
      case 0x0A: result += [0x5C, 0x6E]
      case 0x0D: result += [0x5C, 0x72]
      case 0..<0x20, 0x7F: result += [0x5C, 0x30 + byte >> 6, 0x30 + byte >> 3 & 7, 0x30 + byte & 7]
      default: result.append(byte)
      }
    }
    result.append(0x22)
    return String(decoding: result, as: UTF8.self)
  }

  package static func shell(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  package static func shellWord(_ text: String) -> String {
    let signs = "0123456789-_=/.,:@%+".unicodeScalars
    // In zsh, a word with a leading equals sign is replaced with the path of a program.
    let isPlain =
      !text.isEmpty && text.utf8.first != UInt8(ascii: "=")
      && text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || signs.contains($0) }
    return isPlain ? text : shell(text)
  }

  /// Returns a line of CSV (RFC 4180). A nil cell becomes an empty field, and an empty string becomes a pair of quotes.
  /// Cells that another program could misread, such as `a;b`, are quoted.
  package static func csv(_ cells: [String?], delimiter: UInt8 = 0x2C) -> String {
    var writer = ByteWriter(capacity: 256)
    for (k, cell) in cells.enumerated() {
      if k > 0 { writer.byte(delimiter) }
      guard var cell else { continue }
      cell.withUTF8 { csv($0, delimiter: delimiter, into: &writer) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  package static func csv(
    _ cell: UnsafeBufferPointer<UInt8>, delimiter: UInt8 = 0x2C, into writer: inout ByteWriter
  ) {
    let isQuoted = cell.contains { byte in
      switch byte {
      case 0, 0x0A, 0x0D, 0x22, delimiter: true
      // Another program could take these for the delimiter.
      case 0x09, 0x3B, 0x7C: delimiter == 0x2C
      default: false
      }
    }
    guard cell.isEmpty || isQuoted || cell.first == 0x20 || cell.last == 0x20 else {
      return writer.append(cell)
    }
    writer.byte(0x22)
    for (k, byte) in cell.enumerated() {
      if k & 0xFFFF == 0 { writer.flushIfFull() }
      if byte == 0x22 { writer.byte(0x22) }
      writer.byte(byte)
    }
    writer.byte(0x22)
  }
}
