extension StoredValue {
  package func write(_ out: inout JSONOutput, _ w: inout ByteWriter) {
    bytes.withUnsafeBufferPointer {
      var cursor = CBORCursor($0)
      try? out.value(&cursor, &w)
    }
  }

  package func write(into w: inout ByteWriter) {
    var out = JSONOutput(style: .compact)
    write(&out, &w)
  }

  /// Whether the values are equal if the merge states in counters and sets are ignored.
  package func hasSameContent(_ other: StoredValue) -> Bool {
    bytes.withUnsafeBufferPointer { mine in
      other.bytes.withUnsafeBufferPointer { others in
        if mine.count == others.count, UTF8Text.compare(mine, others) == 0 { return true }
        guard StoredValue.mayHaveStates(mine), StoredValue.mayHaveStates(others) else { return false }
        var (a, b) = (CBORCursor(mine), CBORCursor(others))
        return (try? StoredValue.same(&a, &b)) ?? false
      }
    }
  }

  package var summary: String {
    bytes.withUnsafeBufferPointer {
      var cursor = CBORCursor($0)
      if let entries { return "(dictionary, \(entries.count) values)" }
      guard let head = try? cursor.head() else { return "(\($0.count) bytes)" }
      switch head.major {
      case 2: return "(data, \(head.value) bytes)"
      case 3: return "(string, \(head.value) bytes)"
      case 4: return "(array, \(head.value) values)"
      default: return "(\($0.count) bytes)"
      }
    }
  }

  private static func same(_ a: inout CBORCursor, _ b: inout CBORCursor) throws(CoreError) -> Bool {
    if isState(a), isState(b) {
      var one = ByteWriter()
      var other = ByteWriter()
      var out = JSONOutput(style: .compact)
      try out.value(&a, &one)
      try out.value(&b, &other)
      return UTF8Text.compare(one.bytes, other.bytes) == 0
    }
    let (head, others) = (try a.head(), try b.head())
    guard head == others else { return false }
    switch head.major {
    case 2, 3: return UTF8Text.compare(try a.run(head.value), try b.run(head.value)) == 0
    case 4, 5, 6:
      for _ in 0..<(head.major == 4 ? head.value : head.major == 5 ? head.value &* 2 : 1) {
        guard try same(&a, &b) else { return false }
      }
      return true
    default: return true
    }
  }

  private static func isState(_ cursor: CBORCursor) -> Bool {
    var cursor = cursor
    guard cursor.offset < cursor.end, cursor.base[cursor.offset] == 0xA1, (try? cursor.head()) != nil,
      let key = try? cursor.run(cursor.expect(3))
    else { return false }
    return UTF8Text.equal(key, "$counter") || UTF8Text.equal(key, "$set")
  }

  package static func isDictionary(_ cursor: CBORCursor) -> Bool {
    var cursor = cursor
    return (try? StoredEntries.enter(&cursor)) == true
  }

  package var entries: StoredEntries? {
    bytes.withUnsafeBufferPointer {
      var cursor = CBORCursor($0)
      guard (try? StoredEntries.enter(&cursor)) == true else { return nil }
      return StoredEntries(bytes[(bytes.startIndex + cursor.offset)...])
    }
  }
}

package struct StoredEntries: Sendable {
  package struct Entry: Sendable {
    fileprivate let key: ArraySlice<UInt8>
    package let value: StoredValue
    package var name: String { String(decoding: key, as: UTF8.self) }
    package var isReserved: Bool { key.first == 0x24 }
    package func isOne(of names: Set<[UInt8]>) -> Bool { names.contains(Array(key)) }
  }

  private var left: Int
  private var rest: ArraySlice<UInt8>
  package var count: Int { left }

  /// - Parameter map: verified bytes that begin with a map.
  init(_ map: ArraySlice<UInt8>) {
    (left, rest) = (0, map)
    (left, rest) = map.withUnsafeBufferPointer { bytes in
      var cursor = CBORCursor(bytes)
      let count = (try? cursor.count(5, least: 2)) ?? 0
      return (count, map[(map.startIndex + cursor.offset)...])
    }
  }

  package init() { (left, rest) = (0, []) }

  /// If the value at the cursor is a dictionary, moves the cursor to the map of its entries and returns true.
  static func enter(_ cursor: inout CBORCursor) throws(CoreError) -> Bool {
    guard cursor.offset < cursor.end, cursor.base[cursor.offset] >> 5 == 5 else { return false }
    var look = cursor
    let count = try look.count(5, least: 2)
    // A dictionary that has keys beginning with `$` is wrapped. All other maps with such keys have at most four
    // entries.
    guard count <= 4 else { return true }
    for _ in 0..<count {
      let key = try look.run(look.expect(3))
      if key.first == 0x24 {
        if UTF8Text.equal(key, "$dict") { cursor = look }
        return UTF8Text.equal(key, "$dict")
      }
      // In a reference or an asset, only strings and numbers come before the key that begins with `$`.
      guard look.offset < look.end, look.base[look.offset] >> 5 < 4 else { return true }
      try look.skipValue()
    }
    return true
  }

  /// - Throws: `badEncoding` if the bytes are not a body.
  package init(body: [UInt8]) throws(CoreError) {
    try body.withUnsafeBufferPointer { bytes throws(CoreError) in
      var cursor = CBORCursor(bytes)
      _ = try cursor.skipBody()
      guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    }
    self.init(body[...])
  }

  package mutating func next() -> Entry? {
    guard left > 0 else { return nil }
    left -= 1
    let found = rest.withUnsafeBufferPointer { bytes -> (key: Range<Int>, end: Int)? in
      var cursor = CBORCursor(bytes)
      guard let length = try? cursor.expect(3), (try? cursor.run(length)) != nil else { return nil }
      let end = cursor.offset
      guard (try? cursor.skipValue()) != nil else { return nil }
      return (end - Int(length)..<end, cursor.offset)
    }
    guard let (key, end) = found else {
      left = 0
      return nil
    }
    let start = rest.startIndex
    defer { rest = rest[(start + end)...] }
    return Entry(
      key: rest[(start + key.lowerBound)..<(start + key.upperBound)],
      value: StoredValue(rest[(start + key.upperBound)..<(start + end)]))
  }
}

/// An iterator over the entries that differ between two maps, in the order of their names.
package struct DifferingEntries: Sendable {
  package typealias Pair = (old: StoredEntries.Entry?, new: StoredEntries.Entry?)
  private var old: StoredEntries, new: StoredEntries
  private var first: StoredEntries.Entry?, second: StoredEntries.Entry?

  package init(_ old: StoredEntries, _ new: StoredEntries) {
    (self.old, self.new) = (old, new)
    first = self.old.next()
    second = self.new.next()
  }

  package mutating func next() -> Pair? {
    while true {
      switch (first, second) {
      case (nil, nil): return nil
      case (let one?, let other?):
        let order = DifferingEntries.order(one.key, other.key)
        if order < 0 { return nextOld() }
        if order > 0 { return nextNew() }
        defer { (first, second) = (old.next(), new.next()) }
        if !one.value.hasSameContent(other.value) { return (one, other) }
      case (_?, nil): return nextOld()
      case (nil, _?): return nextNew()
      }
    }
  }

  private mutating func nextOld() -> Pair {
    defer { first = old.next() }
    return (first, nil)
  }

  private mutating func nextNew() -> Pair {
    defer { second = new.next() }
    return (nil, second)
  }

  private static func order(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    if a.count != b.count { return a.count < b.count ? -1 : 1 }
    return a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { b in UTF8Text.compare(a, b) } }
  }
}
