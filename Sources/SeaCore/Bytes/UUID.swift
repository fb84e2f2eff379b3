/// A UUID (RFC 9562), written in lowercase. UUIDs identify databases, instances and containers.
package struct UUID: Hashable, Sendable, Comparable, CustomStringConvertible {
  let high: UInt64, low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 16 bytes of readable memory.
  package init(_ bytes: UnsafeRawPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID($0.baseAddress!) }
  }

  /// Parses lowercase hex digits in exactly the form `8-4-4-4-12`.
  package init?(_ text: some StringProtocol) {
    let raw = Array(text.utf8)
    guard raw.count == 36 else { return nil }
    var bytes: [UInt8] = []
    var k = 0
    while k < 36 {
      if k == 8 || k == 13 || k == 18 || k == 23 {
        guard raw[k] == 0x2D else { return nil }
        k += 1
        continue
      }
      guard let high = Hex.value(raw[k]), let low = Hex.value(raw[k + 1]) else { return nil }
      bytes.append(high << 4 | low)
      k += 2
    }
    self.init(bytes)
  }

  /// Sets the given version (4 random, 8 custom) and the RFC 9562 variant, and copies the other 122 bits from `bytes`.
  package init(version: UInt8, from bytes: UnsafeRawPointer) {
    let raw = UUID(bytes)
    self.init(version: version, raw.high, raw.low)
  }

  package init(version: UInt8, from digest: Digest) { self.init(version: version, digest.a, digest.b) }

  private init(version: UInt8, _ high: UInt64, _ low: UInt64) {
    self.high = high & 0xFFFF_FFFF_FFFF_0FFF | UInt64(version) << 12
    self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  package var version: UInt8 { UInt8(high >> 12 & 15) }

  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // See `Digest.withBytes`.
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { try body($0) }
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }

  package var description: String {
    let hex = Array(withBytes { Hex.text($0) }.utf8)
    var text: [UInt8] = []
    for (k, digit) in hex.enumerated() {
      if k == 8 || k == 12 || k == 16 || k == 20 { text.append(0x2D) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  package static func < (x: UUID, y: UUID) -> Bool { (x.high, x.low) < (y.high, y.low) }
}
