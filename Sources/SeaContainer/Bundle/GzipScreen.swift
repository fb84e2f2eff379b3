/// One gzip member (RFC 1952). Where deflate ends is not seen from outside; libarchive, which looks at neither of them,
/// is held against the two numbers at the end instead.
struct GzipScreen: CompressionScreen {
  private static let trailer = 8

  /// The last bytes, at most twice a trailer.
  private var tail: [UInt8] = []
  private var head: [UInt8] = []

  var isWhole: Bool { tail.count >= GzipScreen.trailer && head.count == 4 }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    head.append(contentsOf: bytes.prefix(4 - head.count))
    // Deflate, and none of the reserved flags.
    if head.count == 4, head[2] != 8 || head[3] & 0xE0 != 0 { throw .compression(.feature) }
    tail.append(contentsOf: bytes.suffix(2 * GzipScreen.trailer))
    tail.removeFirst(max(0, tail.count - 2 * GzipScreen.trailer))
  }

  enum End { case good, cut, damaged, trailing }

  /// What the end says, where libarchive left the last `unused` bytes alone, and the content has this CRC-32 and size.
  func end(unused: Int64, crc: UInt32, size: UInt32) -> End {
    guard unused <= Int64(tail.count) - Int64(GzipScreen.trailer) else { return .trailing }
    let trailer = tail.dropLast(Int(unused)).suffix(GzipScreen.trailer)
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    let isKept = number(trailer.prefix(4)) == crc && number(trailer.suffix(4)) == size
    switch (isKept, unused) {
    case (true, 0): return .good
    case (true, _): return .trailing
    case (false, 0): return .damaged
    case (false, _): return unused < Int64(GzipScreen.trailer) ? .cut : .trailing
    }
  }
}
