/// A set that merges by observed removal: an element remains until all of its additions have been removed by revisions
/// that had seen them.
package struct ElementSet: Sendable {
  package enum Tag: Hashable, Sendable, Comparable {
    /// The tag of the revision that contains the body, because a body cannot contain its own revision's digest. In a
    /// child, this tag is replaced with the parent's digest.
    case thisRevision
    case revision(Digest)
  }

  package struct Item: Sendable {
    package let value: Value
    package let encoding: [UInt8]
    /// The tags, sorted. There is at least one.
    package var tags: [Tag]
  }

  package private(set) var items: [Item] = []

  package init() {}

  init(items: [Item]) { self.items = items }

  package var elements: [Value] { items.map { $0.value } }
  package var count: Int { items.count }

  private func search(for encoding: [UInt8]) -> (index: Int, found: Bool) {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].encoding.lexicographicallyPrecedes(encoding) { low = middle + 1 } else { high = middle }
    }
    return (low, low < items.count && items[low].encoding == encoding)
  }

  package func contains(_ value: Value) -> Bool { search(for: value.encoding).found }

  package func tags(of value: Value) -> [Tag] {
    let (index, found) = search(for: value.encoding)
    return found ? items[index].tags : []
  }

  package mutating func add(_ value: Value, tag: Tag = .thisRevision) {
    let encoding = value.encoding
    let (index, found) = search(for: encoding)
    guard found else {
      items.insert(Item(value: value, encoding: encoding, tags: [tag]), at: index)
      return
    }
    if items[index].tags.contains(tag) { return }
    items[index].tags.append(tag)
    items[index].tags.sort()
  }

  /// Adds an element with only this revision's tag. The element then survives a concurrent removal by a revision that
  /// has seen only earlier tags.
  package mutating func addAnew(_ value: Value) {
    let encoding = value.encoding
    let (index, found) = search(for: encoding)
    if found {
      items[index].tags = [.thisRevision]
    } else {
      items.insert(Item(value: value, encoding: encoding, tags: [.thisRevision]), at: index)
    }
  }

  package mutating func remove(_ value: Value) {
    let (index, found) = search(for: value.encoding)
    if found { items.remove(at: index) }
  }

  /// Removes tags from an element. If no tags are left, the element is removed.
  package mutating func remove(_ value: Value, tags: [Tag]) {
    let (index, found) = search(for: value.encoding)
    guard found else { return }
    let gone = Set(tags)
    items[index].tags.removeAll { gone.contains($0) }
    if items[index].tags.isEmpty { items.remove(at: index) }
  }

  /// Returns a set with exactly the given elements. Existing elements keep their tags; new elements get `thisRevision`.
  package func changed(to values: [Value]) -> ElementSet {
    var wanted = values.map { Item(value: $0, encoding: $0.encoding, tags: [.thisRevision]) }
    wanted.sort { $0.encoding.lexicographicallyPrecedes($1.encoding) }
    var result: [Item] = []
    var k = 0
    for item in wanted where result.last?.encoding != item.encoding {
      while k < items.count, items[k].encoding.lexicographicallyPrecedes(item.encoding) { k += 1 }
      result.append(k < items.count && items[k].encoding == item.encoding ? items[k] : item)
    }
    return ElementSet(items: result)
  }

  /// Combines the tags of each element in two sets with `combine`, and drops elements that have no tags left.
  func zipped(_ other: ElementSet, _ combine: ([Tag], [Tag]) -> [Tag]) -> ElementSet {
    var result: [Item] = []
    var (a, b) = (0, 0)
    func keep(_ item: Item, _ tags: [Tag]) {
      if !tags.isEmpty { result.append(Item(value: item.value, encoding: item.encoding, tags: tags)) }
    }
    while a < items.count || b < other.items.count {
      if b == other.items.count
        || (a < items.count && items[a].encoding.lexicographicallyPrecedes(other.items[b].encoding))
      {
        keep(items[a], combine(items[a].tags, []))
        a += 1
      } else if a == items.count || items[a].encoding != other.items[b].encoding {
        keep(other.items[b], combine([], other.items[b].tags))
        b += 1
      } else {
        keep(items[a], combine(items[a].tags, other.items[b].tags))
        a += 1
        b += 1
      }
    }
    return ElementSet(items: result)
  }

  /// Returns the union of elements and tags. Removals are not considered; see `merged`.
  package func joined(_ other: ElementSet) -> ElementSet { zipped(other) { Set($0).union($1).sorted() } }

  private func subtracting(_ other: ElementSet) -> ElementSet { zipped(other) { Set($0).subtracting($1).sorted() } }

  /// Returns the result of a three-way merge. A tag remains if both sides have it, or one side has it and the base does
  /// not.
  package static func merged(base: ElementSet, _ ours: ElementSet, _ theirs: ElementSet) -> ElementSet {
    let goneHere = base.subtracting(ours)
    let goneThere = base.subtracting(theirs)
    return ours.joined(theirs).subtracting(goneHere.joined(goneThere))
  }

  package func inherited(from parent: Digest) -> ElementSet {
    var result = self
    for k in result.items.indices where result.items[k].tags.first == .thisRevision {
      result.items[k].tags.removeFirst()
      if !result.items[k].tags.contains(.revision(parent)) {
        result.items[k].tags.append(.revision(parent))
        result.items[k].tags.sort()
      }
    }
    return result
  }

  func encode(into w: inout ByteWriter) {
    w.cborMap(1)
    w.cborText("$set")
    w.cborArray(items.count)
    for item in items {
      w.cborArray(2)
      w.append(item.encoding)
      w.cborArray(item.tags.count)
      for tag in item.tags {
        switch tag {
        case .thisRevision: w.cborHead(2, 0)
        case .revision(let digest): digest.withBytes { w.cborData($0) }
        }
      }
    }
  }
}
