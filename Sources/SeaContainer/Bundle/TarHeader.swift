/// The one header that a member of a bundle has: ustar (POSIX.1-1988), a regular file, everything else fixed.
struct TarHeader {
  static let size = 512

  /// The bytes for a name of at most 100 bytes and a size below 2^33.
  static func write(_ name: UnsafeRawBufferPointer, size: Int64, into header: UnsafeMutableRawBufferPointer) {
    header.initializeMemory(as: UInt8.self, repeating: 0)
    header.copyMemory(from: name)
    put("000644 ", at: 100, in: header)
    put("000000 ", at: 108, in: header)
    put("000000 ", at: 116, in: header)
    putOctal(size, digits: 11, at: 124, in: header)
    header[135] = 0x20
    putOctal(Int64(ArchiveOutput.modified), digits: 11, at: 136, in: header)
    header[147] = 0x20
    put("        ", at: 148, in: header)
    header[156] = UInt8(ascii: "0")
    put("ustar\u{0}00", at: 257, in: header)
    put("000000 ", at: 329, in: header)
    put("000000 ", at: 337, in: header)
    let sum = header.reduce(0) { $0 + Int64($1) }
    putOctal(sum, digits: 6, at: 148, in: header)
    header[154] = 0
    header[155] = 0x20
  }

  static func bytes(_ name: String, size: Int64) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: TarHeader.size)
    var name = name
    header.withUnsafeMutableBytes { header in
      name.withUTF8 { write(UnsafeRawBufferPointer($0), size: size, into: header) }
    }
    return header
  }

  private static func put(_ text: StaticString, at offset: Int, in header: UnsafeMutableRawBufferPointer) {
    for k in 0..<text.utf8CodeUnitCount { header[offset + k] = text.utf8Start[k] }
  }

  private static func putOctal(
    _ value: Int64, digits: Int, at offset: Int, in header: UnsafeMutableRawBufferPointer
  ) {
    var rest = value
    for k in (0..<digits).reversed() {
      header[offset + k] = 0x30 + UInt8(rest & 7)
      rest >>= 3
    }
  }

  /// The name in a header, whatever else it is.
  static func name(of header: UnsafeRawBufferPointer) -> String {
    String(decoding: header[..<100].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The size, if it is written as eleven octal digits.
  static func size(of header: UnsafeRawBufferPointer) -> Int64? {
    let digits = header[124..<135]
    guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | Int64($1 - 0x30) }
  }
}
