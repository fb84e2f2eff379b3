/// Encodes paths for the helper protocol (sea-helpers(5)).
package enum WirePath {
  package static let longest = 255

  /// Whether a string is a file path relative to the top of a container: components separated by `/`, without `.`, `..`
  /// or control characters.
  package static func isPath(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard (1...longest).contains(bytes.count) else { return false }
    var (dots, others) = (0, 0)
    for byte in bytes {
      switch byte {
      case 0x2F:
        guard others > 0 || dots > 2 else { return false }
        (dots, others) = (0, 0)
      case 0x2E: dots += 1
      case 0..<0x20, 0x7F: return false
      default: others += 1
      }
    }
    return others > 0 || dots > 2
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x5F, 0x7E, 0x2D, 0x2F: true
    default: false
    }
  }

  /// Returns the unique encoding of a path, which uses `%` and two digits for every byte except letters, digits, `/`,
  /// `.`, `_`, `~` and `-`.
  package static func text(_ path: String) -> String {
    if path.utf8.allSatisfy(isPlain) { return path }
    var text: [UInt8] = []
    for byte in path.utf8 {
      if isPlain(byte) { text.append(byte) } else { text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Decodes a path. Returns nil if the string is not a valid encoding.
  package static func path(_ text: String) -> String? {
    guard text.utf8.contains(0x25) else { return text.utf8.allSatisfy(isPlain) && isPath(text) ? text : nil }
    guard text.utf8.count <= longest * 3 else { return nil }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digits.firstIndex), let low = rest.popFirst().flatMap(digits.firstIndex)
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    guard let path = String(validating: bytes, as: UTF8.self), isPath(path), WirePath.text(path) == text else {
      return nil
    }
    return path
  }
}
