/// A SHA-256 digest, written as 64 lowercase hex digits and compared as bytes.
package struct Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
  package static let size = 32
  /// The digest as four big-endian integers, which sort in the same order as the bytes.
  let a: UInt64, b: UInt64, c: UInt64, d: UInt64

  /// Reads 32 bytes of readable memory.
  package init(_ bytes: UnsafeRawPointer) {
    a = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    b = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    c = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    d = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Digest.size else { return nil }
    self = bytes.withUnsafeBytes { Digest($0.baseAddress!) }
  }

  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 64, let bytes = Hex.bytes(String(hex)) else { return nil }
    self.init(bytes)
  }

  package static let zero = Digest([UInt8](repeating: 0, count: 32))!

  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // Use a temporary value, not a variable. The optimizer of Swift 6.3.1 drops stores to a variable that is read as a
    // different type.
    try withUnsafeBytes(of: (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian)) { try body($0) }
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }
  package var description: String { withBytes { Hex.text($0) } }

  package static func < (x: Digest, y: Digest) -> Bool {
    if x.a != y.a { return x.a < y.a }
    if x.b != y.b { return x.b < y.b }
    if x.c != y.c { return x.c < y.c }
    return x.d < y.d
  }
}
