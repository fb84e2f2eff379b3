/// One parsed JSON value, as a flat list of nodes that refer to the JSON text. A reused tape parses without allocating
/// memory.
///
/// Parsing validates the grammar (RFC 8259), UTF-8, surrogate pairs, nesting depth and that keys are distinct. The tape
/// stores unescaped copies of strings that contain escapes, and sorts object keys in encoding order. To read the tape,
/// the caller must pass in the same text again.
///
/// If `isEntity` is true, a trailing comma and one more level of nesting are allowed.
package struct JSONTape: ~Copyable {
  enum Kind: UInt8 { case null, no, yes, integer, number, string, unescaped, array, object }

  struct Node: BitwiseCopyable {
    /// The offset of the value from `origin`. A string begins after the opening quote.
    var start: UInt32
    /// A value whose meaning depends on the kind: the end of a number or string, the run of an unescaped string, the
    /// number of elements in an array, or the keys of an object.
    var end: UInt32
    var next: UInt32
    var kind: Kind
    var dollar = false
  }

  struct Run: BitwiseCopyable { var start: Int, count: Int }

  /// A key in an object that is still open. `prefix` contains the first eight bytes in big-endian order.
  struct Key: BitwiseCopyable { var prefix: UInt64, length: UInt32, node: UInt32 }

  static let maxLength = Int(UInt32.max) - 16

  var nodes = ReusableStack<Node>(capacity: 256)

  package var isNull: Bool { nodes.count > 0 && nodes.base[0].kind == .null }

  package var hasNull: Bool {
    for k in 0..<nodes.count where nodes.base[k].kind == .null { return true }
    return false
  }
  /// For each object, starting at the index `Node.end`, the number of its keys, followed by the nodes of the keys in
  /// encoding order.
  var order = ReusableStack<UInt32>(capacity: 64)
  var pending = ReusableStack<Key>(capacity: 64)
  var runs = ReusableStack<Run>(capacity: 16)
  var unescaped = ByteWriter(capacity: 256)
  /// The offset of the value in the parsed bytes.
  package internal(set) var origin = 0

  var base: UnsafePointer<UInt8> = UnsafePointer(bitPattern: 1)!
  var limit = 0
  var position = 0
  var clipped = false

  let isEntity: Bool

  package init(isEntity: Bool = false) { self.isEntity = isEntity }

  private var deepest: Int { isEntity ? Value.maxDepth + 1 : Value.maxDepth }

  /// Parses the value that begins at or after `start`, and returns the offset after the value. If the value is a
  /// number, it can end where the bytes end.
  /// - Throws: `unexpectedEnd` only if more bytes could complete the value or if an unfinished object has a duplicate
  ///   key.
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
      // Do not leave a partly parsed value on the tape.
      nodes.truncate(to: 0)
      throw error
    }
    return position
  }

  package static func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var k = start
    while k < bytes.count, bytes[k] == 0x20 || bytes[k] == 0x0A || bytes[k] == 0x0D || bytes[k] == 0x09 { k &+= 1 }
    return k
  }

  package var isObject: Bool { nodes.count > 0 && nodes.base[0].kind == .object }

  /// Returns the offset of the value of a key of the object; nil if there is none.
  package func member(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard isObject else { return nil }
    let encoder = TapeEncoder(self, bytes, RecordLimits())
    let list = Int(nodes.base[0].end)
    for j in 0..<Int(order.base[list]) {
      let key = Int(order.base[list + 1 + j])
      if UTF8Text.equal(encoder.bytes(key), name) { return encoder.offset(of: key + 1) }
    }
    return nil
  }

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

extension JSONTape {
  /// Parses a key and adds it to the current object. Returns true if the key begins with `$`.
  mutating func key() throws(CoreError) -> Bool {
    let node = try string()
    let text = bytes(of: node)
    let length = text.count
    var prefix: UInt64 = 0
    if let start = text.baseAddress {
      let readable = nodes.base[node].kind == .string ? limit &- (start - base) : 0
      if readable >= 8 {
        prefix = UInt64(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
        if length < 8 { prefix &= ~(UInt64.max >> UInt64(length &* 8)) }
      } else {
        for k in 0..<min(length, 8) { prefix |= UInt64(start[k]) << UInt64(56 &- 8 &* k) }
      }
    }
    pending.append(
      Key(prefix: prefix, length: UInt32(truncatingIfNeeded: length), node: UInt32(truncatingIfNeeded: node)))
    return length > 0 && prefix >> 56 == 0x24
  }

  private func bytes(of node: Int) -> UnsafeBufferPointer<UInt8> {
    let n = nodes.base[node]
    if n.kind == .string {
      return UnsafeBufferPointer(start: base + (origin &+ Int(n.start)), count: Int(n.end &- n.start))
    }
    let run = runs.base[Int(n.end)]
    return UnsafeBufferPointer(start: unescaped.base + run.start, count: run.count)
  }

  /// Sorts and stores the keys of an object in encoding order: by length first, then by bytes.
  mutating func close(_ me: Int, keysFrom from: Int, _ dollar: Bool) throws(CoreError) {
    let count = pending.count &- from
    let keys = UnsafeMutableBufferPointer(start: pending.base + from, count: count)
    if count <= 24 {
      var k = 1
      while k < count {
        let key = keys[k]
        var j = k
        while j > 0, compare(key, keys[j &- 1]) < 0 {
          keys[j] = keys[j &- 1]
          j &-= 1
        }
        keys[j] = key
        k &+= 1
      }
    } else {
      sort(keys)
    }
    let list = order.count
    order.append(UInt32(truncatingIfNeeded: count))
    var k = 0
    while k < count {
      if k > 0, compare(keys[k &- 1], keys[k]) == 0 {
        let later = max(keys[k &- 1].node, keys[k].node)
        throw fail(.duplicateKey, at: origin &+ Int(nodes.base[Int(later)].start) &- 1)
      }
      order.append(keys[k].node)
      k &+= 1
    }
    pending.truncate(to: from)
    nodes.base[me].end = UInt32(truncatingIfNeeded: list)
    nodes.base[me].next = UInt32(truncatingIfNeeded: nodes.count)
    nodes.base[me].dollar = dollar
  }

  private func sort(_ keys: UnsafeMutableBufferPointer<Key>) {
    var sorted = true
    for k in 1..<keys.count where compare(keys[k &- 1], keys[k]) > 0 {
      sorted = false
      break
    }
    if sorted { return }
    var list = Array(keys)
    mergeSort(&list)
    for k in 0..<list.count { keys[k] = list[k] }
  }

  /// Sorts without `sort(by:)`, because its closure could not borrow the tape.
  private func mergeSort(_ list: inout [Key]) {
    var other = list
    var width = 1
    let n = list.count
    while width < n {
      var low = 0
      while low < n {
        let middle = min(low + width, n)
        let high = min(middle + width, n)
        var a = low
        var b = middle
        for k in low..<high {
          if a < middle, b >= high || compare(list[a], list[b]) <= 0 {
            other[k] = list[a]
            a += 1
          } else {
            other[k] = list[b]
            b += 1
          }
        }
        low = high
      }
      swap(&list, &other)
      width *= 2
    }
  }

  @inline(__always) private func compare(_ a: Key, _ b: Key) -> Int {
    if a.length != b.length { return a.length < b.length ? -1 : 1 }
    if a.prefix != b.prefix { return a.prefix < b.prefix ? -1 : 1 }
    if a.length <= 8 { return 0 }
    return UTF8Text.compare(bytes(of: Int(a.node)), bytes(of: Int(b.node)))
  }
}

extension JSONTape {
  mutating func string() throws(CoreError) -> Int {
    let start = position &+ 1
    var k = start
    var high: UInt64 = 0
    var segment = start
    var run = -1
    let limit = limit
    let base = base
    while true {
      while k &+ 8 <= limit {
        let word = UInt64(littleEndian: UnsafeRawPointer(base + k).loadUnaligned(as: UInt64.self))
        let quote = word ^ 0x2222_2222_2222_2222
        let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let hits =
          ((quote &- 0x0101_0101_0101_0101) & ~quote) | ((slash &- 0x0101_0101_0101_0101) & ~slash)
          | ((word &- 0x2020_2020_2020_2020) & ~word)
        let found = hits & 0x8080_8080_8080_8080
        if found == 0 {
          high |= word
          k &+= 8
          continue
        }
        // Only the lowest match is reliable; higher matches can be false.
        let byte = found.trailingZeroBitCount >> 3
        high |= word & ((1 << UInt64(byte &* 8)) &- 1)
        k &+= byte
        break
      }
      while k < limit, base[k] != 0x22, base[k] != 0x5C, base[k] >= 0x20 {
        high |= UInt64(base[k])
        k &+= 1
      }
      guard k < limit else { throw unterminated(from: start) }
      let c = base[k]
      if c == 0x22 { break }
      guard c == 0x5C else { throw fail(.controlCharacter, at: k) }
      if run < 0 { run = unescaped.count }
      unescaped.append(base + segment, count: k &- segment)
      k = try escape(at: k, from: start)
      segment = k
    }
    if high & 0x8080_8080_8080_8080 != 0,
      let fault = UTF8Text.fault(in: UnsafeBufferPointer(start: base + start, count: k &- start))
    {
      throw fail(.notUTF8, at: start &+ fault.offset)
    }
    let node = nodes.count
    position = k &+ 1
    guard run >= 0 else {
      push(start, k, .string)
      return node
    }
    unescaped.append(base + segment, count: k &- segment)
    push(start, k, .unescaped)
    nodes.base[node].end = UInt32(truncatingIfNeeded: runs.count)
    runs.append(Run(start: run, count: unescaped.count &- run))
    return node
  }

  /// Returns the error for input that ends inside a string. If the string is also invalid, that error takes precedence.
  @inline(never) private func unterminated(from start: Int) -> CoreError {
    if let fault = UTF8Text.fault(in: UnsafeBufferPointer(start: base + start, count: limit &- start)),
      !fault.incomplete
    {
      return fail(.notUTF8, at: start &+ fault.offset)
    }
    return end()
  }

  private mutating func escape(at: Int, from start: Int) throws(CoreError) -> Int {
    guard at &+ 1 < limit else { throw unterminated(from: start) }
    switch base[at &+ 1] {
    case 0x22, 0x5C, 0x2F: unescaped.byte(base[at &+ 1])
    case 0x62: unescaped.byte(0x08)
    case 0x66: unescaped.byte(0x0C)
    case 0x6E: unescaped.byte(0x0A)
    case 0x72: unescaped.byte(0x0D)
    case 0x74: unescaped.byte(0x09)
    case 0x75: return try unicodeEscape(at: at, from: start)
    default: throw fail(.badEscape, at: at)
    }
    return at &+ 2
  }

  private mutating func unicodeEscape(at: Int, from start: Int) throws(CoreError) -> Int {
    var scalar = try hexDigits(at: at &+ 2, low: false, from: start)
    var next = at &+ 6
    if scalar & 0xFC00 == 0xDC00 { throw fail(.loneSurrogate, at: at) }
    if scalar & 0xFC00 == 0xD800 {
      guard next < limit else { throw unterminated(from: start) }
      guard base[next] == 0x5C else { throw fail(.loneSurrogate, at: at) }
      guard next &+ 1 < limit else { throw unterminated(from: start) }
      guard base[next &+ 1] == 0x75 else { throw fail(.loneSurrogate, at: at) }
      let low = try hexDigits(at: next &+ 2, low: true, from: start)
      scalar = 0x10000 &+ (scalar & 0x3FF) << 10 &+ (low & 0x3FF)
      next &+= 6
    }
    switch scalar {
    case 0..<0x80: unescaped.byte(UInt8(scalar))
    case 0x80..<0x800:
      unescaped.byte(UInt8(0xC0 | scalar >> 6))
      unescaped.byte(UInt8(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      unescaped.byte(UInt8(0xE0 | scalar >> 12))
      unescaped.byte(UInt8(0x80 | scalar >> 6 & 0x3F))
      unescaped.byte(UInt8(0x80 | scalar & 0x3F))
    default:
      unescaped.byte(UInt8(0xF0 | scalar >> 18))
      unescaped.byte(UInt8(0x80 | scalar >> 12 & 0x3F))
      unescaped.byte(UInt8(0x80 | scalar >> 6 & 0x3F))
      unescaped.byte(UInt8(0x80 | scalar & 0x3F))
    }
    return next
  }

  /// Parses four hex digits. If `low` is true, they must be the second half of a surrogate pair (DC00 to DFFF).
  private func hexDigits(at: Int, low: Bool, from start: Int) throws(CoreError) -> UInt32 {
    var value: UInt32 = 0
    for k in 0..<4 {
      guard at &+ k < limit else { throw unterminated(from: start) }
      let c = base[at &+ k]
      switch c {
      case 0x30...0x39: value = value << 4 | UInt32(c &- 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((c | 0x20) &- 87)
      default: throw fail(.badEscape, at: at &- 2)
      }
      if low, k == 0 ? value != 0xD : k == 1 && value < 0xDC { throw fail(.loneSurrogate, at: at &- 8) }
    }
    return value
  }
}
