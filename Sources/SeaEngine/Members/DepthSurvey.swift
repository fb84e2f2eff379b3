import SeaCore

/// Finds revisions that name their parent with a wrong depth (sea-format(5), bad-depth). To save memory, keeps 48 bytes
/// per revision and no IDs; to get an ID, reads the block again.
struct DepthSurvey {
  /// The location of a revision: a block, or a purge order, which lists the revisions of the purged block.
  enum Place: Hashable {
    case block(branch: Int, index: UInt32)
    case order(BlockKey, number: Int)
  }

  struct Block {
    var changes: [Change]
    var clear: [UInt8]

    init?(_ bytes: UnsafeRawBufferPointer, of instance: UUID, keys: KeyRing?) {
      let content = BlockReader.content(of: bytes, of: instance, keys: keys)
      guard let payload = content.payload else { return nil }
      (changes, clear) = (payload.changes, content.clear ?? Array(bytes))
    }
  }

  private struct Entry {
    var key: UInt64
    var depth: UInt32
    /// The number of the branch. The greatest number stands for purge orders.
    var branch: UInt32
    var index: UInt32
  }

  private var known: [Entry] = []
  private var parents: [Entry] = []
  private var orders: [(block: BlockKey, revision: PurgeOrder.Revision)] = []

  /// Returns a key that is different in each run, so that the author of a block cannot predict it.
  private static func key(_ id: UnsafeRawBufferPointer, _ digest: Digest) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(id.count)
    hasher.combine(bytes: id)
    hasher.combine(digest)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func key(_ id: String, _ digest: Digest) -> UInt64 {
    var id = id
    return id.withUTF8 { key(UnsafeRawBufferPointer($0), digest) }
  }

  mutating func add(_ changes: [Change], of bytes: UnsafeRawBufferPointer, branch: Int, index: UInt32) {
    let body = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...])
    for change in changes {
      let id = UnsafeRawBufferPointer(rebasing: body[change.id])
      add(DepthSurvey.key(id, change.revision.digest), change.revision.depth, UInt32(branch), index, to: &known)
      guard let parent = change.parent else { continue }
      add(DepthSurvey.key(id, parent.digest), parent.depth, UInt32(branch), index, to: &parents)
    }
  }

  mutating func add(_ order: PurgeOrder) {
    for one in order.changes {
      let number = UInt32(orders.count)
      orders.append((BlockKey(order.block), one))
      add(DepthSurvey.key(one.id, one.revision.digest), one.revision.depth, .max, number, to: &known)
      guard let parent = one.parent else { continue }
      add(DepthSurvey.key(one.id, parent.digest), parent.depth, .max, number, to: &parents)
    }
  }

  private func add(_ key: UInt64, _ depth: UInt32, _ branch: UInt32, _ index: UInt32, to entries: inout [Entry]) {
    entries.append(Entry(key: key, depth: depth, branch: branch, index: index))
  }

  private func location(of entry: Entry) -> Place {
    guard entry.branch == .max else { return .block(branch: Int(entry.branch), index: entry.index) }
    return .order(orders[Int(entry.index)].block, number: Int(entry.index))
  }

  /// Returns the sorted IDs of the records in which a revision names its parent with a wrong depth.
  /// - Parameters:
  ///   - counts: whether the block or purge order is applied.
  ///   - read: reads a block again.
  mutating func wrong(
    counts: (Place) -> Bool, read: (_ branch: Int, _ index: UInt32) throws -> Block?
  ) rethrows -> [String] {
    known.sort { ($0.key, $0.depth) < ($1.key, $1.depth) }
    parents.sort { ($0.key, $0.depth) < ($1.key, $1.depth) }
    var ids: Set<String> = []
    var again: [Place: Set<UInt64>] = [:]
    var (first, next) = (0, 0)
    while next < parents.count {
      let key = parents[next].key
      let group = parents[next...].prefix { $0.key == key }
      next = group.endIndex
      while first < known.count, known[first].key < key { first += 1 }
      let same = known[first...].prefix { $0.key == key }
      guard let least = same.first?.depth, let most = same.last?.depth,
        least != most || group.contains(where: { $0.depth != most })
      else { continue }
      let depths = Set(same.filter { counts(location(of: $0)) }.map(\.depth))
      guard !depths.isEmpty else { continue }
      for parent in group where !depths.contains(parent.depth) && counts(location(of: parent)) {
        switch location(of: parent) {
        case .order(_, let number): ids.insert(orders[number].revision.id)
        case .block: again[location(of: parent), default: []].insert(key)
        }
      }
    }
    for (place, keys) in again {
      guard case .block(let branch, let index) = place else { continue }
      guard let block = try read(branch, index) else { continue }
      block.clear.withUnsafeBytes { bytes in
        let body = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...])
        for change in block.changes {
          let id = UnsafeRawBufferPointer(rebasing: body[change.id])
          guard let parent = change.parent, keys.contains(DepthSurvey.key(id, parent.digest)) else { continue }
          ids.insert(String(decoding: id, as: UTF8.self))
        }
      }
    }
    return ids.sorted(by: { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
  }
}
