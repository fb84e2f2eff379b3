/// One JSON value as a flat list of nodes over its text. It is made to be reused: parsing allocates nothing once the
/// tape has grown to the size of the values that pass through it.
///
/// What a tape holds has been checked: grammar (RFC 8259), UTF-8, surrogate pairs, nesting, and that no object names
/// a key twice. Texts with escapes are kept unescaped beside the input; keys of objects are kept in the order of
/// their encoding. The text itself stays with the caller, who hands it in again when the tape is read.
///
/// An entity of Datastore is read with two liberties: a comma may stand behind the last member or element, and what is
/// nested may be so by one level more, as a value of a record stands within one of the entity.
package struct JSONTape: ~Copyable {
  enum Kind: UInt8 { case null, no, yes, integer, number, string, unescaped, array, object }

  struct Node: BitwiseCopyable {
    /// Where the value begins; offsets count from `origin`, strings begin after their quote.
    var start: UInt32
    /// Where a number or string ends; of an unescaped string its run, of an array the count, of an object its keys.
    var end: UInt32
    /// The node after this value.
    var next: UInt32
    var kind: Kind
    /// Of an object: one of its keys begins with `$`.
    var dollar = false
  }

  struct Run: BitwiseCopyable { var start: Int, count: Int }

  /// A key of an object that is still open; `prefix` is its first eight bytes, big-endian.
  struct Key: BitwiseCopyable { var prefix: UInt64, length: UInt32, node: UInt32 }

  /// One value is at most this long.
  static let maxLength = Int(UInt32.max) - 16

  var nodes = Pile<Node>(capacity: 256)

  package var isNull: Bool { nodes.count > 0 && nodes.base[0].kind == .null }

  /// Whether a null stands anywhere in the value.
  package var hasNull: Bool {
    for k in 0..<nodes.count where nodes.base[k].kind == .null { return true }
    return false
  }
  /// For each object, at `Node.end`: the number of its keys, then their nodes in the order of their encoding.
  var order = Pile<UInt32>(capacity: 64)
  var pending = Pile<Key>(capacity: 64)
  var runs = Pile<Run>(capacity: 16)
  var unescaped = ByteWriter(capacity: 256)
  /// The offset of the value in the bytes that were parsed.
  package internal(set) var origin = 0

  var base: UnsafePointer<UInt8> = UnsafePointer(bitPattern: 1)!
  var limit = 0
  var position = 0
  var clipped = false

  let isEntity: Bool

  package init(isEntity: Bool = false) { self.isEntity = isEntity }

  private var deepest: Int { isEntity ? Value.maxDepth + 1 : Value.maxDepth }

  /// Parses the value that begins at `start`, white space skipped, and returns the offset just after it.
  ///
  /// `unexpectedEnd` is thrown when more bytes could complete the value, and in no other case; one exception: a key
  /// that stands twice is found when its object closes. A number at the end of the bytes is complete.
  package mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws(CoreError) -> Int {
    nodes.truncate(to: 0)
    order.truncate(to: 0)
    pending.truncate(to: 0)
    runs.truncate(to: 0)
    unescaped.truncate(to: 0)
    guard let address = bytes.baseAddress, start >= 0, start < bytes.count else {
      throw .badJSON(.unexpectedEnd, offset: max(start, 0))
    }
    base = address
    limit = bytes.count
    position = start
    clipped = false
    skipSpace()
    origin = position
    if limit - origin > JSONTape.maxLength {
      limit = origin + JSONTape.maxLength
      clipped = true
    }
    do {
      try value(0)
    } catch {
      // A tape that holds half a value holds none.
      nodes.truncate(to: 0)
      throw error
    }
    return position
  }

  /// The first offset from `start` on that is not white space.
  package static func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var k = start
    while k < bytes.count, bytes[k] == 0x20 || bytes[k] == 0x0A || bytes[k] == 0x0D || bytes[k] == 0x09 { k &+= 1 }
    return k
  }

  /// Whether the value on the tape is an object.
  package var isObject: Bool { nodes.count > 0 && nodes.base[0].kind == .object }

  @inline(never) func fail(_ fault: JSONFault) -> CoreError { .badJSON(fault, offset: position) }
  @inline(never) func fail(_ fault: JSONFault, at offset: Int) -> CoreError { .badJSON(fault, offset: offset) }
  @inline(never) func end() -> CoreError { .badJSON(clipped ? .tooLong : .unexpectedEnd, offset: limit) }

  @inline(__always) mutating func skipSpace() {
    var k = position
    while k < limit {
      let c = base[k]
      if c > 0x20 || !(c == 0x20 || c == 0x0A || c == 0x0D || c == 0x09) { break }
      k &+= 1
    }
    position = k
  }

  @inline(__always) mutating func push(_ start: Int, _ end: Int, _ kind: Kind) {
    nodes.append(
      Node(
        start: UInt32(truncatingIfNeeded: start &- origin), end: UInt32(truncatingIfNeeded: end &- origin),
        next: UInt32(truncatingIfNeeded: nodes.count &+ 1), kind: kind))
  }

  private mutating func value(_ depth: Int) throws(CoreError) {
    guard position < limit else { throw end() }
    switch base[position] {
    case 0x22: _ = try string()
    case 0x7B: try object(depth)
    case 0x5B: try array(depth)
    case 0x2D, 0x30...0x39: try number()
    case 0x74: try literal("true", .yes)
    case 0x66: try literal("false", .no)
    case 0x6E: try literal("null", .null)
    default: throw fail(.unexpectedCharacter)
    }
  }

  private mutating func object(_ depth: Int) throws(CoreError) {
    guard depth < deepest else { throw fail(.tooDeep) }
    let me = nodes.count
    let from = pending.count
    var dollar = false
    push(position, position, .object)
    position &+= 1
    skipSpace()
    guard position < limit else { throw end() }
    if base[position] == 0x7D {
      position &+= 1
    } else {
      while true {
        guard position < limit else { throw end() }
        guard base[position] == 0x22 else {
          guard isEntity, pending.count > from, base[position] == 0x7D else { throw fail(.unexpectedCharacter) }
          position &+= 1
          break
        }
        if try key() { dollar = true }
        skipSpace()
        guard position < limit else { throw end() }
        guard base[position] == 0x3A else { throw fail(.unexpectedCharacter) }
        position &+= 1
        skipSpace()
        try value(depth &+ 1)
        skipSpace()
        guard position < limit else { throw end() }
        let c = base[position]
        if c == 0x7D {
          position &+= 1
          break
        }
        guard c == 0x2C else { throw fail(.unexpectedCharacter) }
        position &+= 1
        skipSpace()
      }
    }
    try close(me, keysFrom: from, dollar)
  }

  private mutating func array(_ depth: Int) throws(CoreError) {
    guard depth < deepest else { throw fail(.tooDeep) }
    let me = nodes.count
    var count: UInt32 = 0
    push(position, position, .array)
    position &+= 1
    skipSpace()
    guard position < limit else { throw end() }
    if base[position] == 0x5D {
      position &+= 1
    } else {
      while true {
        if isEntity, count > 0, position < limit, base[position] == 0x5D {
          position &+= 1
          break
        }
        try value(depth &+ 1)
        count &+= 1
        skipSpace()
        guard position < limit else { throw end() }
        let c = base[position]
        if c == 0x5D {
          position &+= 1
          break
        }
        guard c == 0x2C else { throw fail(.unexpectedCharacter) }
        position &+= 1
        skipSpace()
      }
    }
    nodes.base[me].end = count
    nodes.base[me].next = UInt32(truncatingIfNeeded: nodes.count)
  }

  private mutating func literal(_ word: StaticString, _ kind: Kind) throws(CoreError) {
    let start = position
    var k = 0
    while k < word.utf8CodeUnitCount {
      guard start &+ k < limit else { throw end() }
      guard base[start &+ k] == word.utf8Start[k] else { throw fail(.badLiteral) }
      k &+= 1
    }
    push(start, start &+ k, kind)
    position = start &+ k
  }

  private mutating func number() throws(CoreError) {
    let start = position
    var k = start
    var kind = Kind.integer
    func digit(_ at: Int) -> Bool { at < limit && base[at] &- 0x30 < 10 }
    func wanted(_ at: Int) -> CoreError { at < limit ? fail(.badNumber, at: at) : end() }
    if base[k] == 0x2D { k &+= 1 }
    guard digit(k) else { throw wanted(k) }
    if base[k] == 0x30 {
      k &+= 1
      if digit(k) { throw fail(.badNumber, at: k) }
    } else {
      while digit(k) { k &+= 1 }
    }
    if k < limit, base[k] == 0x2E {
      kind = .number
      k &+= 1
      guard digit(k) else { throw wanted(k) }
      while digit(k) { k &+= 1 }
    }
    if k < limit, base[k] | 0x20 == 0x65 {
      kind = .number
      k &+= 1
      if k < limit, base[k] == 0x2B || base[k] == 0x2D { k &+= 1 }
      guard digit(k) else { throw wanted(k) }
      while digit(k) { k &+= 1 }
    }
    push(start, k, kind)
    position = k
  }
}
