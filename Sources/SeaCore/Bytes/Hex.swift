/// Bytes as lower-case hex digits, and back.
package enum Hex {
  @usableFromInline static let digits: StaticString = "0123456789abcdef"

  package static func write(_ bytes: UnsafeRawBufferPointer, into writer: inout ByteWriter) {
    writer.reserve(bytes.count * 2)
    let table = digits.utf8Start
    for byte in bytes {
      writer.byte(table[Int(byte >> 4)])
      writer.byte(table[Int(byte & 15)])
    }
  }

  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    var writer = ByteWriter(capacity: bytes.count * 2)
    write(bytes, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  package static func text(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { text($0) } }

  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x61...0x66: digit &- 87
    default: nil
    }
  }

  /// The bytes of an even number of lower-case digits, else nil.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let nibble = value(digit) else { return nil }
      if let first = high {
        result.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    return high == nil ? result : nil
  }
}
