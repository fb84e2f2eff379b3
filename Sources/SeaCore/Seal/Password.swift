@_spi(_Unicode) import Swift

/// Passwords as they go into a key: in NFC, so that however a keyboard spells them, they are the same bytes.
package enum Password {
  /// - Throws: `badPassword` for what is empty or not UTF-8. Nothing is cut off: a line feed is part of it.
  package static func normalised(_ bytes: [UInt8]) throws(CoreError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .badPassword(.empty) }
    guard bytes.withUnsafeBufferPointer(UTF8Text.isValid) else { throw .badPassword(.notUTF8) }
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self)._nfc { result += UTF8.encode(scalar)! }
    return result
  }
}
