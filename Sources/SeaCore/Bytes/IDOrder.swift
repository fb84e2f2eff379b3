/// Sorts many ids by their bytes. Most comparisons are decided by the first eight bytes.
package struct IDOrder {
  private var keys: [(prefix: UInt64, at: Int32)] = []
  private var ids: [UnsafeBufferPointer<UInt8>] = []
  private var rises = true

  package init(capacity: Int) {
    keys.reserveCapacity(capacity)
    ids.reserveCapacity(capacity)
  }

  /// - Parameter id: the bytes of an id, which must stay valid until `sorted` returns.
  package mutating func add(_ id: UnsafeBufferPointer<UInt8>) {
    var prefix: UInt64 = 0
    for j in 0..<8 { prefix = prefix << 8 | (j < id.count ? UInt64(id[j]) : 0) }
    if rises, let last = keys.last { rises = last.prefix < prefix }
    keys.append((prefix, Int32(ids.count)))
    ids.append(id)
  }

  package mutating func sorted() -> [Int32] {
    if rises { return keys.map { $0.at } }
    let ids = ids
    keys.sort { x, y in
      if x.prefix != y.prefix { return x.prefix < y.prefix }
      let order = UTF8Text.compare(ids[Int(x.at)], ids[Int(y.at)])
      return order != 0 ? order < 0 : x.at < y.at
    }
    return keys.map { $0.at }
  }
}
