/// Determines which epoch keys are valid. A key is valid only if every instance senior to the key's authors has a key
/// slot, so that seniors can read every block. Valid keys have consecutive numbers, so that no instance can use up the
/// numbers.
package struct EpochCount: Sendable {
  package struct Key: Hashable, Sendable {
    package let number: UInt32
    package let digest: Digest

    package init(number: UInt32, digest: Digest) {
      self.number = number
      self.digest = digest
    }
  }

  package struct Entry: Sendable {
    package let change: EpochChange
    package let author: UUID

    package init(_ change: EpochChange, by author: UUID) {
      self.change = change
      self.author = author
    }

    package var key: Key { Key(number: change.epoch, digest: change.key) }
  }

  /// The valid keys, starting with the key for new blocks. They are sorted by number in descending order, then by the
  /// rank of the most senior author, then by digest.
  package let keys: [Key]
  package let others: Set<Key>
  private let counting: Set<Key>

  package var newest: UInt32 { keys.first?.number ?? 0 }

  package func counts(_ key: Key) -> Bool { counting.contains(key) }

  /// - Parameters:
  ///   - first: the digest of the first key, which is the only valid key with number 1.
  /// - membership: the membership; nil in a database without members.
  /// - isKnown: returns whether this instance knows another instance's exchange key.
  package init(_ entries: [Entry], first: Digest?, _ membership: Membership?, isKnown: (UUID) -> Bool) {
    var ranks: [Key: Int] = [:]
    var readers: [Key: Set<UUID>] = [:]
    for entry in entries where entry.key.number != 1 || entry.key.digest == first {
      ranks[entry.key] = min(ranks[entry.key] ?? .max, membership?[entry.author]?.rank ?? .max)
      readers[entry.key, default: []].formUnion(entry.change.readers)
    }
    let seniors = (membership?.known ?? []).filter { $0.role != nil && $0.isRanked && isKnown($0.instance) }
    let rank = Dictionary(uniqueKeysWithValues: seniors.map { ($0.instance, $0.rank) })
    // The seniors are sorted by rank, like `known`.
    func count(before rank: Int) -> Int {
      var (low, high) = (0, seniors.count)
      while low < high {
        let middle = (low + high) / 2
        if seniors[middle].rank < rank { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let complete = ranks.filter { key, least in
      membership == nil
        || count(before: least) == (readers[key] ?? []).count { rank[$0].map { $0 < least } ?? false }
    }
    let numbers = Set(complete.keys.map(\.number))
    var last: UInt32 = 0
    while numbers.contains(last + 1) { last += 1 }
    keys = complete.filter { $0.key.number <= last }
      .sorted { ($1.key.number, $0.value, $0.key.digest) < ($0.key.number, $1.value, $1.key.digest) }.map(\.key)
    counting = Set(keys)
    others = Set(ranks.keys).subtracting(keys)
  }
}
