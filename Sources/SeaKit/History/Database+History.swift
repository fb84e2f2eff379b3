import SeaCore
import SeaStore

/// One revision in the history of its record.
package struct Event: Sendable {
  package enum Standing: String, Sendable {
    case winner
    /// A live leaf that lost.
    case loser
    /// The end of a branch that was deleted, or whose content another one took in.
    case tombstone
    /// Others follow it.
    case inner
    /// An ancestor of it has not arrived.
    case waiting
  }

  package var leaf: Leaf
  package var standing: Standing
  /// Whether the winner comes from it through parents.
  package var isOnWinningBranch: Bool
  package var author: BlockRow?
  /// Of a tombstone of kind `resolved`: the revisions that came with it, one of which has its content.
  var companions: [Leaf] = []

  package var revision: RevisionID { leaf.revision }
}

extension Database {
  /// The revisions of a record until `body` returns false: children before parents, of equals those on the winning
  /// branch first, then the greater.
  package func forEachEvent(of row: RecordRow, _ body: (Event) throws -> Bool) throws {
    let history = try History(of: row, self)
    let all = history.all
    // Greatest first already: only the winning branch has to be brought to the front of its depth.
    var from = 0
    while from < all.count {
      var to = from
      while to < all.count, all[to].revision.depth == all[from].revision.depth { to += 1 }
      let first = all[from..<to].filter { history.branch.contains($0.revision) }
      for leaf in first + all[from..<to].filter({ !history.branch.contains($0.revision) }) {
        guard try body(history.event(leaf, store.blocks.block(sequence: leaf.sequence))) else { return }
      }
      from = to
    }
  }

  /// What a revision is looked at beside: the winner, or of the winner its parent. Nil if the record has no winner yet.
  package func pair(of found: Found) throws -> (old: Found?, new: Found)? {
    guard let winner = try store.records.winner(of: found.row) else { return nil }
    if found.leaf.revision != winner.revision { return (found, Found(row: found.row, leaf: winner)) }
    let parent = try winner.parentRevision.flatMap { try store.records.revision($0, of: found.row) }
    return (parent.map { Found(row: found.row, leaf: $0) }, found)
  }

  /// The revision that is the content of a record.
  package func winner(of row: RecordRow) throws -> RevisionID? { try store.records.winner(of: row)?.revision }

  /// The parent of an event's revision, if it is here.
  package func knownParent(of event: Event, in row: RecordRow) throws -> RevisionID? {
    guard let parent = event.leaf.parentRevision, event.standing == .waiting else { return event.leaf.parentRevision }
    return try store.records.revision(parent, of: row)?.revision
  }

  /// The revisions that a merge took in beside its parent.
  package func merged(into event: Event) throws -> [RevisionID] { try store.records.change(of: event.leaf).merged }

  /// Visits the blocks that are here, or those of one instance, the newest first, until `body` returns false.
  package func forEachTransaction(of instance: UUID?, _ body: (BlockRow) throws -> Bool) throws {
    try store.blocks.forEachTransaction(of: instance, body)
  }

  /// The complete block, as others get it.
  package func bytes(of block: BlockRow) throws -> [UInt8] { try store.blocks.bytes(of: block) }

  /// The revision that a tombstone of kind `resolved` left its content to, if it came with the same block.
  package func successor(of event: Event) throws -> RevisionID? {
    guard let branch = event.leaf.parentRevision else { return nil }
    return try event.companions.first { try store.records.change(of: $0).merged.contains(branch) }?.revision
  }
}

/// What must be known of a record's revisions to tell what has become of each.
struct History {
  /// Greatest first.
  let all: [Leaf]
  /// The winner and its parents.
  let branch: Set<RevisionID>
  private let winner: RevisionID?
  private var companions: [Int64: [Leaf]] = [:]

  init(of row: RecordRow, _ database: Database) throws {
    all = try database.store.records.revisions(of: row)
    winner = try database.store.records.winner(of: row)?.revision
    var branch: Set<RevisionID> = []
    var next = winner
    for one in all where one.revision == next {
      branch.insert(one.revision)
      next = one.parentRevision
    }
    self.branch = branch
    let blocks = Set(all.lazy.filter { $0.kind == .resolved }.map(\.sequence))
    for one in all where one.kind != .resolved && blocks.contains(one.sequence) {
      companions[one.sequence, default: []].append(one)
    }
  }

  func event(_ leaf: Leaf, _ author: BlockRow?) -> Event {
    let standing: Event.Standing =
      !leaf.isAttached
      ? .waiting
      : !leaf.isLeaf ? .inner : leaf.kind != .put ? .tombstone : leaf.revision == winner ? .winner : .loser
    var event = Event(
      leaf: leaf, standing: standing, isOnWinningBranch: branch.contains(leaf.revision), author: author)
    if leaf.kind == .resolved { event.companions = companions[leaf.sequence] ?? [] }
    return event
  }
}
