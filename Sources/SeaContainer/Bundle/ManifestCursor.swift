import SeaCore

/// Reads the fixed form of a manifest from memory.
struct ManifestCursor {
  enum Fault: Error {
    case form
    case incompatible(Int64)
  }

  let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// From 1.
  private(set) var line = 1

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ text: String) -> Bool {
    var text = text
    let count = text.utf8.count
    guard bytes.count - position >= count else { return false }
    let there = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    guard text.withUTF8({ there.elementsEqual($0) }) else { return false }
    position += count
    line += there.count { $0 == 0x0A }
    return true
  }

  mutating func expect(_ text: String) throws(Fault) { guard take(text) else { throw .form } }

  /// A number from 0 to 2^63-1 without leading zeros.
  mutating func number() throws(Fault) -> Int64 {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, case let digit = bytes[position], (0x30...0x39).contains(digit) {
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, more) = tens.addingReportingOverflow(Int64(digit - 0x30))
      guard !over, !more else { throw .form }
      value = sum
      position += 1
    }
    guard position > start, position == start + 1 || bytes[start] != 0x30 else { throw .form }
    return value
  }

  mutating func number32() throws(Fault) -> UInt32 {
    guard let value = UInt32(exactly: try number()) else { throw .form }
    return value
  }

  /// The rest of a text of printable ASCII without quotes and escapes, whose first quote was taken.
  mutating func plainText() throws(Fault) -> String {
    let start = position
    while position < bytes.count, case let byte = bytes[position], byte != 0x22 {
      guard byte >= 0x20, byte < 0x7F, byte != 0x5C else { throw .form }
      position += 1
    }
    guard position < bytes.count else { throw .form }
    position += 1
    return String(decoding: bytes[start..<position - 1], as: UTF8.self)
  }

  mutating func identifier() throws(Fault) -> UUID {
    guard let id = UUID(try plainText()) else { throw .form }
    return id
  }

  /// A whole text. Only the escapes of the one form are known; whether each was needed the caller sees by writing the
  /// text again.
  mutating func text() throws(Fault) -> String {
    try expect("\"")
    var result: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0x22:
        guard let text = String(validating: result, as: UTF8.self) else { throw .form }
        return text
      case 0x5C: result.append(try escaped())
      case 0..<0x20: throw .form
      default: result.append(byte)
      }
    }
    throw .form
  }

  private mutating func escaped() throws(Fault) -> UInt8 {
    if take("\"") { return 0x22 }
    if take("\\") { return 0x5C }
    try expect("u00")
    guard position + 2 <= bytes.count, let high = Hex.value(bytes[position]),
      let low = Hex.value(bytes[position + 1]), high < 2
    else { throw .form }
    position += 2
    return high << 4 | low
  }

  /// An array of heads in the order of their branches, each branch once.
  mutating func heads() throws(Fault) -> [BundleHead] {
    try expect("[")
    if take("]") { return [] }
    var heads: [BundleHead] = []
    repeat {
      try expect("{\"chain\":\"")
      guard let branch = BranchID(try plainText()) else { throw .form }
      if let last = heads.last { guard last.block.branch < branch else { throw .form } }
      try expect(",\"index\":")
      let index = try number32()
      try expect(",\"digest\":\"")
      guard let digest = Digest(hex: try plainText()) else { throw .form }
      var head = BundleHead(BlockRef(branch, index: index, digest: digest))
      if take(",\"lamport\":") { head.lamport = try number32() }
      if take(",\"key\":\"") {
        guard let key = Hex.bytes(try plainText()), key.count == 32 else { throw .form }
        head.key = key
      }
      try expect("}")
      heads.append(head)
    } while take(",")
    try expect("]")
    return heads
  }
}
