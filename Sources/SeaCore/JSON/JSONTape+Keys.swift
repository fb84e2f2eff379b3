extension JSONTape {
  /// Reads a key and remembers it for its object; true if it begins with `$`.
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

  /// The bytes of a string while the text is being parsed.
  private func bytes(of node: Int) -> UnsafeBufferPointer<UInt8> {
    let n = nodes.base[node]
    if n.kind == .string {
      return UnsafeBufferPointer(start: base + (origin &+ Int(n.start)), count: Int(n.end &- n.start))
    }
    let run = runs.base[Int(n.end)]
    return UnsafeBufferPointer(start: unescaped.base + run.start, count: run.count)
  }

  /// Puts the keys of an object in the order of their encoding (shorter first, then by bytes) and lists them.
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

  /// A closure that could be given to `sort(by:)` cannot borrow the tape.
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
