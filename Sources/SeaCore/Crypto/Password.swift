@_spi(_Unicode) import Swift

/// Passwords as they go into a key: in NFC, so that however a keyboard spells them, they are the same bytes.
package enum Password {
  package static let maxSize = 1 << 20
  /// Normalising takes a time that grows with the square of how many marks stand on one letter.
  static let maxMarks = 1024

  /// - Throws: `badPassword`. Nothing is cut off: a line feed is part of it.
  package static func normalised(_ bytes: [UInt8]) throws(CoreError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .badPassword(.empty) }
    guard bytes.count <= maxSize else { throw .badPassword(.tooLong) }
    guard bytes.withUnsafeBufferPointer(UTF8Text.isValid) else { throw .badPassword(.notUTF8) }
    // HMAC fills a key up with zero bytes: with and without them it would be the same password.
    guard !bytes.contains(0) else { throw .badPassword(.zeroByte) }
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    var marks = 0
    for scalar in text.unicodeScalars {
      marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
      guard marks <= maxMarks else { throw .badPassword(.tooManyMarks) }
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in text._nfc { result += UTF8.encode(scalar)! }
    return result
  }
}
