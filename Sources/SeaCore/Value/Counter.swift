/// A counter that merges, with separate sums of increments and decrements for each instance.
package struct Counter: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var instance: UUID
    package var increments: UInt64
    package var decrements: UInt64
  }

  /// The entries, sorted by instance. No entry is zero.
  package private(set) var entries: [Entry] = []

  package init() {}

  init(entries: [Entry]) { self.entries = entries }

  /// The exact value. Only a limited number of entries fit in a block, so the sum fits in 128 bits.
  package var value: Int128 { entries.reduce(0) { $0 + Int128($1.increments) - Int128($1.decrements) } }

  /// - Throws: `counterOverflow` if a sum no longer fits in 64 bits.
  package mutating func add(_ delta: Int128, by instance: UUID, at names: [String] = []) throws(CoreError) {
    if delta == 0 { return }
    let index = entries.firstIndex { $0.instance >= instance } ?? entries.count
    if index == entries.count || entries[index].instance != instance {
      entries.insert(Entry(instance: instance, increments: 0, decrements: 0), at: index)
    }
    let current = delta > 0 ? entries[index].increments : entries[index].decrements
    guard let step = UInt64(exactly: delta.magnitude) else { throw .counterOverflow(names: names) }
    let (sum, overflow) = current.addingReportingOverflow(step)
    guard !overflow else { throw .counterOverflow(names: names) }
    if delta > 0 { entries[index].increments = sum } else { entries[index].decrements = sum }
  }

  package func joined(_ other: Counter) -> Counter {
    var result: [Entry] = []
    var (a, b) = (0, 0)
    while a < entries.count || b < other.entries.count {
      if b == other.entries.count || (a < entries.count && entries[a].instance < other.entries[b].instance) {
        result.append(entries[a])
        a += 1
      } else if a == entries.count || other.entries[b].instance < entries[a].instance {
        result.append(other.entries[b])
        b += 1
      } else {
        let (x, y) = (entries[a], other.entries[b])
        result.append(
          Entry(
            instance: x.instance, increments: max(x.increments, y.increments),
            decrements: max(x.decrements, y.decrements)))
        a += 1
        b += 1
      }
    }
    return Counter(entries: result)
  }

  /// Returns the join of any number of states in linear time.
  package static func joined(_ all: [Counter]) -> Counter {
    guard all.count > 1 else { return all.first ?? Counter() }
    var greatest: [UUID: Entry] = [:]
    for entry in all.lazy.flatMap(\.entries) {
      var one = greatest[entry.instance] ?? entry
      one.increments = max(one.increments, entry.increments)
      one.decrements = max(one.decrements, entry.decrements)
      greatest[entry.instance] = one
    }
    return Counter(entries: greatest.values.sorted { $0.instance < $1.instance })
  }

  func encode(into w: inout ByteWriter) {
    w.cborMap(1)
    w.cborText("$counter")
    w.cborMap(entries.count)
    for entry in entries {
      entry.instance.withBytes { w.cborData($0) }
      w.cborArray(2)
      w.cborHead(0, entry.increments)
      w.cborHead(0, entry.decrements)
    }
  }
}

extension ValueReader {
  mutating func counter() throws(CoreError) -> Value {
    if next != 5 {
      guard let value = try integer().int128 else { throw cursor.fail(.outOfRange) }
      return .counterDraft(value)
    }
    var entries: [Counter.Entry] = []
    for _ in 0..<(try cursor.count(5)) {
      let instance = try cursor.uuid()
      _ = try cursor.count(4)
      entries.append(
        Counter.Entry(instance: instance, increments: try cursor.expect(0), decrements: try cursor.expect(0)))
    }
    return .counter(Counter(entries: entries))
  }

  mutating func set() throws(CoreError) -> Value {
    var items: [ElementSet.Item] = []
    var isDraft = false
    for _ in 0..<(try cursor.count(4)) {
      _ = try cursor.count(4)
      let start = cursor.offset
      let value = try value()
      let encoding = Array(UnsafeBufferPointer(start: cursor.base + start, count: cursor.offset - start))
      var tags: [ElementSet.Tag] = []
      for _ in 0..<(try cursor.count(4)) {
        let tag = try cursor.data()
        guard tag.isEmpty || tag.count == Digest.size else { throw cursor.fail(.wrongLength) }
        tags.append(tag.isEmpty ? .thisRevision : .revision(Digest(tag.baseAddress!)))
      }
      if tags.isEmpty { isDraft = true }
      items.append(ElementSet.Item(value: value, encoding: encoding, tags: tags))
    }
    // An empty set has the same encoding whether it is a draft or a state.
    return isDraft ? .setDraft(items.map { $0.value }) : .set(ElementSet(items: items))
  }
}
