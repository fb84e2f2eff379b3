import SeaSystem

/// The one header that a member of a bundle has: ustar (POSIX.1-1988), a regular file, everything but name and size fixed.
struct TarHeader {
  static let size = 512
  /// Zeros, to compare with.
  static let zeros = [UInt8](repeating: 0, count: size)

  /// The header without name, size and sum, and the sum of its bytes, those of the sum counted as spaces.
  private static let form: (bytes: [UInt8], sum: Int64) = {
    var bytes = zeros
    func put(_ text: String, _ offset: Int) {
      bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    put("000644 ", 100)
    put("000000 ", 108)
    put("000000 ", 116)
    put("            ", 124)
    put(String(ArchiveOutput.modified, radix: 8) + " ", 136)
    put("        ", 148)
    put("0", 156)
    put("ustar\u{0}00", 257)
    put("000000 ", 329)
    put("000000 ", 337)
    let sum = bytes.reduce(0) { $0 + Int64($1) } - 11 * 0x20
    bytes[154] = 0
    return (bytes, sum)
  }()

  /// The bytes for a name of at most 100 bytes and a size below 2^33.
  static func bytes(_ name: String, size: Int64) -> [UInt8] {
    var header = form.bytes
    var sum = form.sum
    var name = name
    header.withUnsafeMutableBytes { header in
      name.withUTF8 { name in
        header.copyMemory(from: UnsafeRawBufferPointer(name))
        for byte in name { sum += Int64(byte) }
      }
      sum += putOctal(size, digits: 11, at: 124, in: header)
      _ = putOctal(sum, digits: 6, at: 148, in: header)
    }
    return header
  }

  /// Returns the sum of the digits' bytes.
  private static func putOctal(
    _ value: Int64, digits: Int, at offset: Int, in header: UnsafeMutableRawBufferPointer
  ) -> Int64 {
    var rest = value
    var sum: Int64 = 0
    for k in (0..<digits).reversed() {
      let digit = 0x30 + UInt8(rest & 7)
      header[offset + k] = digit
      sum += Int64(digit)
      rest >>= 3
    }
    return sum
  }

  static func areZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, size)
      let same = zeros.withUnsafeBytes {
        sameBytes(UnsafeRawBufferPointer(rebasing: rest[..<count]), UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      guard same else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
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
