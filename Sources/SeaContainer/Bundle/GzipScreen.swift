/// One gzip member (RFC 1952). Where deflate ends is not seen from outside; libarchive, which looks at neither of them,
/// is held against the two numbers at the end instead.
struct GzipScreen: CompressionScreen {
  /// The last bytes, at most 8.
  private var tail: [UInt8] = []
  private var head: [UInt8] = []

  var isWhole: Bool { tail.count == 8 && head.count == 4 }

  /// What the stream says of its content: CRC-32, and the size modulo 2^32.
  var promise: (crc: UInt32, size: UInt32) {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    return (number(tail[..<4]), number(tail[4...]))
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    head.append(contentsOf: bytes.prefix(4 - head.count))
    // Deflate, and none of the reserved flags.
    if head.count == 4, head[2] != 8 || head[3] & 0xE0 != 0 { throw .compression(.feature) }
    tail.append(contentsOf: bytes.suffix(8))
    tail.removeFirst(max(0, tail.count - 8))
  }
}
