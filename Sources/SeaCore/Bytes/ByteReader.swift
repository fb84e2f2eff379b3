/// Reads data written by a `ByteWriter`. Any read past the end returns nil.
package struct ByteReader {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  package var isAtEnd: Bool { bytes.isEmpty }

  /// - Returns: nil, with nothing consumed, if fewer than `count` bytes are left.
  private mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  package mutating func byte() -> UInt8? { read(1)?.first }
  package mutating func uint32() -> UInt32? { read(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }
  package mutating func uint64() -> UInt64? { read(8).map { $0.reduce(0) { $0 << 8 | UInt64($1) } } }
  package mutating func int64() -> Int64? { uint64().map { Int64(bitPattern: $0) } }
  package mutating func uuid() -> UUID? { read(16).flatMap { UUID(Array($0)) } }
  package mutating func digest() -> Digest? { read(32).flatMap { Digest(Array($0)) } }
}
