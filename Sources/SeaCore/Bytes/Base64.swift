/// Base64 with the standard alphabet and padding (RFC 4648, section 4). Unused bits must be zero.
package enum Base64 {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  package static func write(_ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter) {
    let table = alphabet.utf8Start
    writer.reserve((bytes.count + 2) / 3 * 4)
    var k = 0
    while k < bytes.count {
      let left = bytes.count - k
      let word =
        UInt32(bytes[k]) << 16 | (left > 1 ? UInt32(bytes[k + 1]) << 8 : 0) | (left > 2 ? UInt32(bytes[k + 2]) : 0)
      writer.byte(table[Int(word >> 18)])
      writer.byte(table[Int(word >> 12 & 63)])
      writer.byte(left > 1 ? table[Int(word >> 6 & 63)] : 0x3D)
      writer.byte(left > 2 ? table[Int(word & 63)] : 0x3D)
      k += 3
    }
  }

  static func decodedCount(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard text.count % 4 == 0 else { return nil }
    guard let last = text.last else { return 0 }
    return text.count / 4 * 3 - (last == 0x3D ? (text[text.count - 2] == 0x3D ? 2 : 1) : 0)
  }

  /// Appends the decoded bytes. If `text` is not valid base64, returns false, and the appended bytes are undefined.
  static func decode(_ text: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter) -> Bool {
    guard var left = decodedCount(text) else { return false }
    writer.reserve(left)
    var k = 0
    while k < text.count {
      var word: UInt32 = 0
      let digits = min(4, left + 1)
      for j in 0..<digits {
        guard let value = value(text[k + j]) else { return false }
        word |= UInt32(value) << UInt32(18 - 6 * j)
      }
      let count = min(3, left)
      if count < 3, word & (count == 1 ? 0xFFFF : 0xFF) != 0 { return false }
      for j in 0..<count { writer.byte(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * j))) }
      left -= count
      k += 4
    }
    return true
  }

  private static func value(_ c: UInt8) -> UInt8? {
    switch c {
    case 0x41...0x5A: c - 0x41
    case 0x61...0x7A: c - 71
    case 0x30...0x39: c + 4
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
