/// Which removed blocks are sound: those that an order names which counts. Anybody can make a removed block, so that every other
/// one is damage, and nothing behind it is believed.
///
/// Orders may stand behind the removed block that they name, and who may give them may be said there. So it goes in
/// rounds: at first all that is ordered is taken as sound; who may give orders is worked out from what has no removed block
/// before it but those; and only what they name is taken as sound in the next round, until that is the same. So a removal
/// that is right never hides an entry, not for one round. It is a pure function of the blocks, in whatever order they came.
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

  /// Who may give orders, as far as follows from what is taken as sound.
  package struct Judge {
    package typealias Answer = (_ author: BlockRef, _ subject: UUID) -> Bool

    /// Where points lead through what is not taken as sound, and where they do not.
    package var mayOrder: Answer
    package var stands: Answer

    package init(mayOrder: @escaping Answer, stands: @escaping Answer) {
      self.mayOrder = mayOrder
      self.stands = stands
    }
  }

  /// After so many rounds only less is taken as sound, so that there is an end.
  package static let freeRounds = 16

  /// Of the removed blocks that are sound the order that holds: of several that count that in the block with the least hash.
  package private(set) var orders: [Key: Order] = [:]
  /// What is taken as sound at first: what these blocks name is not known.
  package private(set) var assumed: Set<Key> = []
  /// Of every block that has one before it, the last removed one on the way to it.
  private var behind: [Key: Key] = [:]
  private var isRemoved: Set<Key> = []
  /// The removed blocks by index, and those of them that are taken as sound, as is every one before them.
  private var removedInOrder: [Key] = []
  private var clear: Set<Key> = []

  private typealias Naming = (author: BlockRef, order: Order)

  /// - Parameters:
  ///   - blocks: each once, in any order.
  ///   - judge: who may give orders, by what is taken as sound so far.
  package init(_ blocks: [Block], judge: (_ soFar: SoundRemovals) -> Judge) {
    let removed = blocks.filter(\.isRemoved)
    guard !removed.isEmpty else { return }
    isRemoved = Set(removed.map { Key($0.ref) })
    removedInOrder = isRemoved.sorted { $0.index < $1.index }
    findRemovedBefore(blocks)
    let namings = SoundRemovals.namings(removed, blocks)
    guard !namings.isEmpty else { return }
    assumed = Set(namings.keys)
    findClear()
    var chosen: [Key: Int] = [:]
    var aside: [Key: Set<Int>] = [:]
    var rounds = 0
    while true {
      let judge = judge(self)
      var found: [Key: Int] = [:]
      for (key, some) in namings {
        let open = rounds < SoundRemovals.freeRounds ? Array(some.indices) : chosen[key].map { [$0] } ?? []
        found[key] = open.first {
          aside[key]?.contains($0) != true && judge.mayOrder(some[$0].author, key.instance)
        }
      }
      if assumed.isEmpty, found == chosen {
        let fallen = found.filter { key, at in
          let author = namings[key]![at].author
          return !counts(author) || !judge.stands(author, key.instance)
        }
        if fallen.isEmpty { return }
        for (key, at) in fallen { aside[key, default: []].insert(at) }
      }
      (assumed, chosen) = ([], found)
      orders = found.reduce(into: [:]) { $0[$1.key] = namings[$1.key]![$1.value].order }
      findClear()
      rounds += 1
    }
  }

  /// The orders that name each removed block, by the hashes of the blocks that they stand in.
  private static func namings(_ removed: [Block], _ blocks: [Block]) -> [Key: [Naming]] {
    let headers = Dictionary(
      removed.map { (Key($0.ref), (previous: $0.previous, lamport: $0.lamport)) }, uniquingKeysWith: { a, _ in a })
    var namings: [Key: [Naming]] = [:]
    for block in blocks {
      for order in block.orders {
        guard let there = headers[order.block], there.previous == order.previous, there.lamport == order.lamport else {
          continue
        }
        namings[order.block, default: []].append((block.ref, order))
      }
    }
    return namings.mapValues { $0.sorted { $0.author.digest < $1.author.digest } }
  }

  /// Of what is taken as sound the heads that it names; nil where these are not known.
  package var heads: [Key: [BlockRef]?] {
    var heads: [Key: [BlockRef]?] = orders.mapValues(\.heads)
    for key in assumed { heads.updateValue(nil, forKey: key) }
    return heads
  }

  /// The removed blocks that are sound.
  package var sound: Set<Key> { Set(orders.keys) }

  /// Whether nothing before a block is missing without an order, and the block itself is not.
  package func counts(_ ref: BlockRef) -> Bool {
    let key = Key(ref)
    if isRemoved.contains(key) { return clear.contains(key) }
    return behind[key].map(clear.contains) ?? true
  }

  private mutating func findClear() {
    clear = []
    for key in removedInOrder where isTaken(key) && behind[key].map(clear.contains) ?? true { clear.insert(key) }
  }

  private func isTaken(_ key: Key) -> Bool { orders[key] != nil || assumed.contains(key) }

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
  /// Whether a block may order that a block of an instance be purged: its author's own, that of somebody in whose place the author
  /// goes on, or as a senior with authority.
  package func mayOrder(_ block: BlockRef, about subject: UUID, _ isWithin: IsWithin) -> Bool {
    guard isHeard(block, isWithin) else { return false }
    if successors.speaks(block.instance, for: subject) { return true }
    return hasAuthority(block, isWithin) && isSenior(block.instance, to: subject)
  }
}
