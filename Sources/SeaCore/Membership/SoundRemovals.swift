/// Which removed blocks are sound: those that an order names which counts. Anybody can make a removed block, so that every other
/// one is damage, and nothing behind it is believed.
///
/// Orders may stand behind the removed block that they name, and who may give them may be said there. So it goes in
/// rounds: who may give orders is worked out from what has no removed block before it but sound ones; orders are gathered
/// from everywhere; what they name is sound from then on. It is a pure function of the blocks, in whatever order they came.
package struct SoundRemovals: Sendable {
  /// A block that verifies, of which the hashes lead to a good signature or to a removed block.
  package struct Block: Sendable {
    package var ref: BlockRef
    package var previous: Digest
    package var lamport: UInt32
    package var isRemoved: Bool
    /// What it orders; nothing unless it can be read.
    package var orders: [Order]

    package init(_ ref: BlockRef, previous: Digest, lamport: UInt32, isRemoved: Bool, orders: [Order] = []) {
      self.ref = ref
      self.previous = previous
      self.lamport = lamport
      self.isRemoved = isRemoved
      self.orders = orders
    }
  }

  /// What has to be known of an order here.
  package struct Order: Hashable, Sendable {
    package var block: Key
    package var previous: Digest
    package var lamport: UInt32
    /// What the removed block names.
    package var heads: [BlockRef]

    package init(_ order: PurgeOrder) {
      heads = order.heads
      block = Key(order.block)
      previous = order.header.previous
      lamport = order.header.lamport
    }
  }

  /// A block, in whichever branch somebody has it.
  package struct Key: Hashable, Sendable {
    package var instance: UUID
    package var index: UInt32
    package var digest: Digest

    package init(_ ref: BlockRef) {
      instance = ref.instance
      index = ref.index
      digest = ref.digest
    }
  }

  /// Of the removed blocks that are sound the order that holds: of several that count that in the block with the least hash.
  package private(set) var orders: [Key: Order] = [:]
  /// Of every block that has one before it, the last removed one on the way to it.
  private var behind: [Key: Key] = [:]
  private var isRemoved: Set<Key> = []

  /// - Parameters:
  ///   - blocks: each once, in any order.
  ///   - judge: who may give orders, as far as follows from the blocks that count by what is sound so far. It is asked at
  ///     most once more than it says something new.
  package init(
    _ blocks: [Block], judge: (_ soFar: SoundRemovals) -> (_ author: BlockRef, _ subject: UUID) -> Bool
  ) {
    let removed = blocks.filter(\.isRemoved)
    guard !removed.isEmpty else { return }
    isRemoved = Set(removed.map { Key($0.ref) })
    findRemovedBefore(blocks)
    let headers = Dictionary(
      removed.map { (Key($0.ref), (previous: $0.previous, lamport: $0.lamport)) }, uniquingKeysWith: { a, _ in a })
    var open: [(author: BlockRef, order: Order)] = []
    for block in blocks {
      for order in block.orders {
        guard let there = headers[order.block], there.previous == order.previous, there.lamport == order.lamport else {
          continue
        }
        open.append((block.ref, order))
      }
    }
    var authors: [Key: Digest] = [:]
    while !open.isEmpty {
      let mayOrder = judge(self)
      var hasGrown = false
      for one in open where mayOrder(one.author, one.order.block.instance) {
        if let before = authors[one.order.block], before <= one.author.digest { continue }
        authors[one.order.block] = one.author.digest
        orders[one.order.block] = one.order
        hasGrown = true
      }
      guard hasGrown else { return }
      open.removeAll { one in authors[one.order.block].map { $0 <= one.author.digest } ?? false }
    }
  }

  /// The removed blocks that are sound.
  package var sound: Set<Key> { Set(orders.keys) }

  /// Whether nothing before a block is missing without an order, and the block itself is not.
  package func counts(_ ref: BlockRef) -> Bool {
    var key = Key(ref)
    if isRemoved.contains(key), orders[key] == nil { return false }
    while let before = behind[key] {
      if orders[before] == nil { return false }
      key = before
    }
    return true
  }

  /// The removed blocks that are damage.
  package var unsound: [Key] {
    isRemoved.subtracting(sound).sorted { a, b in
      (a.instance, a.index, a.digest) < (b.instance, b.index, b.digest)
    }
  }

  /// In the order of indices, so that what is before a block is known when the block is looked at.
  private mutating func findRemovedBefore(_ blocks: [Block]) {
    for block in blocks.sorted(by: { $0.ref.index < $1.ref.index }) where block.ref.index > 0 {
      let before = Key(
        BlockRef(instance: block.ref.instance, index: block.ref.index - 1, digest: block.previous))
      if let last = isRemoved.contains(before) ? before : behind[before] { behind[Key(block.ref)] = last }
    }
  }
}

extension Membership {
  /// Whether a block may order that a block of an instance be purged: its author's own, or as a senior with authority.
  package func mayOrder(_ block: BlockRef, about subject: UUID, _ isWithin: IsWithin) -> Bool {
    guard counts(block, isWithin) else { return false }
    if block.instance == subject { return true }
    return hasAuthority(block, isWithin) && isSenior(block.instance, to: subject)
  }
}
