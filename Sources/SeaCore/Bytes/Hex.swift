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

  /// Decodes an even number of lowercase digits; returns nil for any other string.
  package static func bytes(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes($0) }
  }

  package static func bytes(_ text: Substring) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes($0) }
  }

  package static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? { digits.withUnsafeBufferPointer { bytes($0) } }

  // This function is not generic, because generic functions are not specialized across modules.
  private static func bytes(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    for k in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[k]), let low = value(digits[k + 1]) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }
}
