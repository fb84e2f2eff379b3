import SeaCore

/// The invalid text at the position of an error, shortened for a message.
package enum Excerpt {
  /// Returns nil if the position alone is clear enough, or if the text cannot be shown.
  package static func of(_ error: CoreError, in bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard case .badJSON(let fault, let offset) = error, offset >= 0, offset < bytes.count else { return nil }
    switch fault {
    case .unexpectedCharacter, .badLiteral, .badNumber, .numberOutOfRange, .badEscape, .duplicateKey, .badReserved,
      .badRevision, .badDate, .badDay, .badDecimal, .badInteger, .trailingText:
      return word(UnsafeBufferPointer(rebasing: bytes[offset...]), longest(fault))
    default: return nil
    }
  }

  private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ longest: Int) -> String? {
    let isString = bytes[0] == 0x22
    var end = 1
    while end < bytes.count {
      let byte = bytes[end]
      if end >= longest, byte & 0xC0 != 0x80 { break }
      if byte < 0x20 || (!isString && (byte == 0x20 || byte == 0x2C || byte == 0x7D || byte == 0x5D)) { break }
      end += 1
      if isString, byte == 0x22 { break }
    }
    let isCut = end >= longest && longest > 2 && end < bytes.count
    return String(validating: bytes[..<end], as: UTF8.self).map { $0 + (isCut ? "..." : "") }
  }

  private static func longest(_ fault: JSONFault) -> Int {
    switch fault {
    case .unexpectedCharacter: 1
    case .badEscape: 2
    default: 24
    }
  }
}
