import SeaCore
import SeaSystem

/// Reads the lines of members one after another; what a line has in common with the one before is not read again.
struct MemberLines {
  private static let start: StaticString = "{\"path\":\""
  private static let middle: StaticString = "\",\"size\":"
  private static let end: StaticString = ",\"sha256\":\""

  /// `transactions/CHAIN/` of the last line that had one, and the chain.
  private var prefix: [UInt8] = []
  private var chain: BranchID?

  /// A line without what separates it from the next; nil if it is not in the one form.
  mutating func member(of line: UnsafeRawBufferPointer) -> BundleMember? {
    guard var rest = MemberLines.drop(MemberLines.start, from: line) else { return nil }
    guard let quote = rest.firstIndex(of: 0x22) else { return nil }
    guard let path = path(UnsafeRawBufferPointer(rebasing: rest[..<quote])) else { return nil }
    rest = UnsafeRawBufferPointer(rebasing: rest[quote...])
    guard let number = MemberLines.drop(MemberLines.middle, from: rest) else { return nil }
    let digits = number.prefix { (0x30...0x39).contains($0) }
    guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != 0x30 else { return nil }
    let size = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    rest = UnsafeRawBufferPointer(rebasing: number[digits.count...])
    guard let hex = MemberLines.drop(MemberLines.end, from: rest), hex.count == 66, hex[64] == 0x22, hex[65] == 0x7D,
      let digest = MemberLines.digest(hex)
    else { return nil }
    return BundleMember(path: path, size: size, sha256: digest)
  }

  private static func drop(_ text: StaticString, from bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return nil }
    let there = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    guard sameBytes(there, UnsafeRawBufferPointer(start: text.utf8Start, count: count)) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  private static func digest(_ hex: UnsafeRawBufferPointer) -> Digest? {
    withUnsafeTemporaryAllocation(byteCount: Digest.size, alignment: 8) { bytes in
      for k in 0..<Digest.size {
        guard let high = Hex.value(hex[2 * k]), let low = Hex.value(hex[2 * k + 1]) else { return nil }
        bytes[k] = high << 4 | low
      }
      return Digest(UnsafeRawPointer(bytes.baseAddress!))
    }
  }

  private mutating func path(_ bytes: UnsafeRawBufferPointer) -> BundlePath? {
    if let chain, bytes.count > prefix.count {
      let same = prefix.withUnsafeBytes { sameBytes($0, UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count])) }
      if same, let index = MemberLines.index(UnsafeRawBufferPointer(rebasing: bytes[prefix.count...])) {
        return .block(chain, index)
      }
    }
    guard let path = BundlePath(String(decoding: bytes, as: UTF8.self)) else { return nil }
    if let chain = path.blocks?.chain {
      self.chain = chain
      prefix = Array("\(Layout.transactions)/\(chain)/".utf8)
    }
    return path
  }

  /// As `Layout.index(ofPath:)`, nil also for what is a path of another kind.
  private static func index(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= 3, (0x31...0x34).contains(bytes[0]), bytes[1] == 0x2F else { return nil }
    var value: UInt64 = 0
    var count = 0
    var digit = 0
    var length = 0
    for position in 2...bytes.count {
      let byte = position < bytes.count ? bytes[position] : 0x2F
      if byte == 0x2F {
        guard length > 0, count > 0 || bytes[0] == 0x31 || digit > 0 else { return nil }
        value = value * 1000 + UInt64(digit)
        count += 1
        (digit, length) = (0, 0)
      } else {
        // Three digits, no zero in front.
        guard (0x30...0x39).contains(byte), length < 3, length == 0 || digit > 0 else { return nil }
        digit = digit * 10 + Int(byte - 0x30)
        length += 1
      }
    }
    return count == Int(bytes[0] - 0x30) ? UInt32(exactly: value) : nil
  }
}
