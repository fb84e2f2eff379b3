/// A set that merges by observed removal: an element is there as long as one of the revisions that added it has not
/// been taken back by somebody who had seen it.
package struct ElementSet: Sendable {
  /// Which revision added an element.
  package enum Tag: Hashable, Sendable, Comparable {
    /// The revision whose body this is: it cannot know its own digest. In a child it reads as the parent's.
    case thisRevision
    case revision(Digest)
  }

  package struct Item: Sendable {
    package let value: Value
    /// What elements are compared and sorted by.
    package let encoding: [UInt8]
    /// Ascending, at least one.
    package var tags: [Tag]
  }

  package private(set) var items: [Item] = []

  package init() {}

  init(items: [Item]) { self.items = items }

  package var elements: [Value] { items.map { $0.value } }
  package var count: Int { items.count }

  private func place(_ encoding: [UInt8]) -> (index: Int, found: Bool) {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].encoding.lexicographicallyPrecedes(encoding) { low = middle + 1 } else { high = middle }
    }
    return (low, low < items.count && items[low].encoding == encoding)
  }

  package func contains(_ value: Value) -> Bool { place(value.encoding).found }

  /// The tags of an element; none if it is not there.
  package func tags(of value: Value) -> [Tag] {
    let (index, found) = place(value.encoding)
    return found ? items[index].tags : []
  }

  /// Adds an element with a tag, or the tag to the element that is there.
  package mutating func add(_ value: Value, tag: Tag = .thisRevision) {
    let encoding = value.encoding
    let (index, found) = place(encoding)
    guard found else {
      items.insert(Item(value: value, encoding: encoding, tags: [tag]), at: index)
      return
    }
    if items[index].tags.contains(tag) { return }
    items[index].tags.append(tag)
    items[index].tags.sort()
  }

  /// Takes the element away with all the tags that are known here.
  package mutating func remove(_ value: Value) {
    let (index, found) = place(value.encoding)
    if found { items.remove(at: index) }
  }

  /// Takes single tags of an element away, and the element with the last of them.
  package mutating func remove(_ value: Value, tags: [Tag]) {
    let (index, found) = place(value.encoding)
    guard found else { return }
    items[index].tags.removeAll { tags.contains($0) }
    if items[index].tags.isEmpty { items.remove(at: index) }
  }

  /// The elements and tags of both. What one side has removed is for the merge to take out: it knows the base.
  package func joined(_ other: ElementSet) -> ElementSet {
    var result = self
    for item in other.items {
      for tag in item.tags { result.add(item.value, tag: tag) }
    }
    return result
  }

  /// Three-way: a tag stays if both sides have it, or one side has it and the base has not.
  package static func merged(base: ElementSet, _ ours: ElementSet, _ theirs: ElementSet) -> ElementSet {
    var result = ours.joined(theirs)
    for item in base.items {
      let (mine, others) = (ours.tags(of: item.value), theirs.tags(of: item.value))
      result.remove(item.value, tags: item.tags.filter { !mine.contains($0) || !others.contains($0) })
    }
    return result
  }

  /// The state as a child of the revision `parent` carries it on.
  package func settled(parent: Digest) -> ElementSet {
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
