extension JSONTape {
  /// Reads the string that begins at the position and returns its node.
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
        // Above the lowest hit there may be false ones: only that one is used.
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

  /// The text ended inside a string: more bytes may help, unless what is there is already wrong.
  @inline(never) private func unterminated(from start: Int) -> CoreError {
    if let fault = UTF8Text.fault(in: UnsafeBufferPointer(start: base + start, count: limit &- start)),
      !fault.incomplete
    {
      return fail(.notUTF8, at: start &+ fault.offset)
    }
    return end()
  }

  /// Writes what the escape at `at` stands for and returns the offset after it.
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

  /// Four hex digits; `low`: they must be the second half of a surrogate pair (DC00 to DFFF).
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
