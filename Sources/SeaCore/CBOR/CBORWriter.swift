/// Writes deterministic CBOR (RFC 8949, section 4.2.1). The caller sorts map keys.
extension ByteWriter {
  package mutating func cborHead(_ major: UInt8, _ value: UInt64) {
    let lead = major << 5
    reserve(9)
    switch value {
    case 0..<24: byte(lead | UInt8(truncatingIfNeeded: value))
    case 24..<0x100:
      byte(lead | 24)
      byte(UInt8(truncatingIfNeeded: value))
    case 0x100..<0x1_0000:
      byte(lead | 25)
      bigEndian(value, bytes: 2)
    case 0x1_0000..<0x1_0000_0000:
      byte(lead | 26)
      bigEndian(value, bytes: 4)
    default:
      byte(lead | 27)
      bigEndian(value, bytes: 8)
    }
  }

  package mutating func bigEndian(_ value: UInt64, bytes: Int) {
    var shift = UInt64(bytes * 8)
    while shift > 0 {
      shift &-= 8
      byte(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  package mutating func cborInt(_ value: Int64) {
    if value >= 0 { cborHead(0, UInt64(value)) } else { cborHead(1, UInt64(bitPattern: ~value)) }
  }

  package mutating func cborText(_ text: UnsafeBufferPointer<UInt8>) {
    cborHead(3, UInt64(text.count))
    append(text)
  }

  package mutating func cborText(_ text: String) {
    var text = text
    text.withUTF8 { cborText($0) }
  }

  package mutating func cborData(_ data: UnsafeRawBufferPointer) {
    cborHead(2, UInt64(data.count))
    append(data)
  }

  package mutating func cborArray(_ count: Int) { cborHead(4, UInt64(count)) }
  package mutating func cborMap(_ pairs: Int) { cborHead(5, UInt64(pairs)) }
  package mutating func cborNull() { byte(0xF6) }
}
