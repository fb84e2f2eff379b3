/// The first 128 bits of the digest of a branch's first block, written as 32 lowercase hex digits. With fewer bits, a
/// malicious writer could create two branches of the same name.
package struct ForkID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package static let size = 16
  private let high: UInt64, low: UInt64

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  package init(_ digest: Digest) { (high, low) = (digest.a, digest.b) }

  /// Reads 16 bytes of readable memory.
  package init(_ bytes: UnsafeRawPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == ForkID.size else { return nil }
    self = bytes.withUnsafeBytes { ForkID($0.baseAddress!) }
  }

  package init?(_ text: String) {
    guard text.utf8.count == 2 * ForkID.size, let bytes = Hex.bytes(text) else { return nil }
    self.init(bytes)
  }

  /// Whether the text could be the beginning of a fork id and has at least 8 digits.
  package static func isBeginning(_ text: Substring) -> Bool {
    8...2 * size ~= text.utf8.count && text.utf8.allSatisfy { Hex.value($0) != nil }
  }

  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // See `Digest.withBytes`.
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { try body($0) }
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }
  package var description: String { withBytes { Hex.text($0) } }

  package static func < (x: ForkID, y: ForkID) -> Bool { x.high != y.high ? x.high < y.high : x.low < y.low }
}
