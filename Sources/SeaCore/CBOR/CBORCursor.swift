/// Reads canonical CBOR item by item, checking every length before use.
///
/// The caller must keep the bytes alive.
package struct CBORCursor {
  package let base: UnsafePointer<UInt8>
  package let end: Int
  package var offset: Int

  package init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = 0) {
    base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    end = bytes.count
    self.offset = offset
  }

  package var atEnd: Bool { offset == end }

  package func fail(_ fault: EncodingFault) -> CoreError { .badEncoding(fault, offset: offset) }

  /// Reads an item's head, whose argument must be in its shortest form.
  @inline(__always)
  package mutating func head() throws(CoreError) -> (major: UInt8, info: UInt8, value: UInt64) {
    guard offset < end else { throw fail(.truncated) }
    let lead = base[offset]
    let info = lead & 31
    guard info < 24 else { return try longHead(lead, info) }
    offset &+= 1
    return (lead >> 5, info, UInt64(info))
  }

  private mutating func longHead(
    _ lead: UInt8, _ info: UInt8
  ) throws(CoreError) -> (major: UInt8, info: UInt8, value: UInt64) {
    guard info <= 27 else { throw fail(.indefinite) }
    let width = 1 << Int(info &- 24)
    guard end &- offset > width else { throw fail(.truncated) }
    var value: UInt64 = 0
    for k in 1...width { value = value << 8 | UInt64(base[offset &+ k]) }
    if lead >> 5 != 7 {
      let least: UInt64 = info == 24 ? 24 : 1 << UInt64(4 &* width)
      guard value >= least else { throw fail(.notShortest) }
    }
    offset &+= 1 &+ width
    return (lead >> 5, info, value)
  }

  package mutating func expect(_ major: UInt8) throws(CoreError) -> UInt64 {
    let start = offset
    let head = try head()
    guard head.major == major else {
      offset = start
      throw fail(.unexpectedType)
    }
    return head.value
  }

  /// Reads an item count. Throws `truncated` if the remaining bytes cannot hold that many items of at least `least`
  /// bytes.
  package mutating func count(_ major: UInt8, least: Int = 1) throws(CoreError) -> Int {
    let value = try expect(major)
    guard value <= UInt64((end &- offset) / least) else { throw fail(.truncated) }
    return Int(value)
  }

  package mutating func run(_ length: UInt64) throws(CoreError) -> UnsafeBufferPointer<UInt8> {
    guard length <= UInt64(end &- offset) else { throw fail(.truncated) }
    let start = base + offset
    offset &+= Int(length)
    return UnsafeBufferPointer(start: start, count: Int(length))
  }

  package mutating func text() throws(CoreError) -> UnsafeBufferPointer<UInt8> {
    let bytes = try run(expect(3))
    guard UTF8Text.isValid(bytes) else { throw fail(.notUTF8) }
    return bytes
  }

  package mutating func data() throws(CoreError) -> UnsafeBufferPointer<UInt8> { try run(expect(2)) }

  package mutating func data(exactly length: Int) throws(CoreError) -> UnsafeBufferPointer<UInt8> {
    let bytes = try data()
    guard bytes.count == length else { throw fail(.wrongLength) }
    return bytes
  }

  package mutating func uuid() throws(CoreError) -> UUID {
    UUID(UnsafeRawPointer(try data(exactly: 16).baseAddress!))
  }

  package mutating func digest() throws(CoreError) -> Digest {
    Digest(UnsafeRawPointer(try data(exactly: Digest.size).baseAddress!))
  }

  /// Consumes the next item if it is null, and returns whether it is.
  package mutating func null() -> Bool {
    guard offset < end, base[offset] == 0xF6 else { return false }
    offset &+= 1
    return true
  }

  package mutating func int() throws(CoreError) -> Int64 {
    let head = try head()
    guard head.major < 2, head.value <= UInt64(Int64.max) else { throw fail(.unexpectedType) }
    return head.major == 0 ? Int64(head.value) : ~Int64(head.value)
  }

  /// Skips one CBOR item, which need not be a valid record value. Only heads are validated.
  package mutating func skipValue() throws(CoreError) {
    var left: UInt64 = 1
    while left > 0 {
      left &-= 1
      let head = try head()
      switch head.major {
      case 2, 3: _ = try run(head.value)
      case 4, 5:
        guard head.value <= UInt64(end &- offset) else { throw fail(.truncated) }
        left &+= head.major == 4 ? head.value : head.value &* 2
      case 6: left &+= 1
      default: break
      }
    }
  }
}

extension CBORCursor {
  /// Moves to the id of a reference without a kind, if that is the next item, which saves decoding a value.
  package mutating func enterReference() -> Bool {
    guard end &- offset > 6, base[offset] == 0xA1, base[offset &+ 1] == 0x64,
      UTF8Text.equal(UnsafeBufferPointer(start: base + (offset &+ 2), count: 4), "$ref")
    else { return false }
    offset &+= 6
    return true
  }

  /// Checks that strings are in the order of their encodings: by length first, then by bytes.
  mutating func follows(
    _ last: inout UnsafeBufferPointer<UInt8>?, _ text: UnsafeBufferPointer<UInt8>
  ) throws(CoreError) {
    if let last {
      guard last.count != text.count ? last.count < text.count : UTF8Text.compare(last, text) < 0 else {
        throw fail(.wrongOrder)
      }
    }
    last = text
  }

  /// Skips one item of unknown meaning, which must have no tags or floating-point numbers and be nested at most 8
  /// levels deep.
  mutating func skipPlain(_ level: Int = 0) throws(CoreError) {
    guard level < 8 else { throw fail(.tooDeep) }
    let head = try head()
    switch head.major {
    case 0, 1: return
    case 2: _ = try run(head.value)
    case 3: guard UTF8Text.isValid(try run(head.value)) else { throw fail(.notUTF8) }
    case 4, 5:
      guard head.value <= UInt64(end - offset) else { throw fail(.truncated) }
      for _ in 0..<head.value * UInt64(head.major - 3) { try skipPlain(level + 1) }
    case 7 where head.info >= 20 && head.info <= 22: return
    default: throw fail(.unexpectedType)
    }
  }
}
