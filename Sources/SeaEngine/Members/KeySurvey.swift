import SeaCore

/// What the entries that were read say of keys, and which keys have opened blocks.
struct KeySurvey {
  /// The entries about keys, and where they stand.
  private(set) var entries: [(block: BlockRef, change: EpochChange)] = []
  /// Of each branch the keys that have opened blocks, and the first block of each.
  private(set) var opened: [BranchID: [(key: EpochKey, index: UInt32)]] = [:]
  /// The instances that have announced a key to wrap others with.
  private(set) var announced: Set<UUID> = []

  mutating func add(_ entry: ControlEntry, in block: BlockRef) {
    switch entry {
    case .instance: announced.insert(block.instance)
    case .epoch(let change): entries.append((block, change))
    default: break
    }
  }

  /// Notes the key that a block opened under.
  mutating func addOpened(_ branch: BranchID, _ index: UInt32, _ key: EpochKey?) {
    guard let key, opened[branch]?.contains(where: { $0.key == key }) != true else { return }
    opened[branch, default: []].append((key, index))
  }

  /// - Parameter isGone: whether a block is one of these.
  mutating func removeAll(of branch: BranchID, from index: UInt32, _ isGone: (UUID, Digest) -> Bool) {
    entries.removeAll { isGone($0.block.instance, $0.block.digest) }
    opened[branch]?.removeAll { $0.index >= index }
  }
}
