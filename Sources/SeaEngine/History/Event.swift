import SeaCore
import SeaStore

package struct Event: Sendable {
  package enum State: String, Sendable {
    case winner
    case loser
    /// The end of a branch that was deleted or merged.
    case tombstone
    case inner
    case waiting
  }

  package var leaf: Leaf
  package var state: State
  package var isOnWinningBranch: Bool
  package var author: BlockRow?
  /// For a tombstone of kind `resolved`, the revision that merged the ended branch, if both are in the same block.
  package var successor: RevisionID?
  package var parent: RevisionID?

  package var revision: RevisionID { leaf.revision }
}

struct RecordEvents {
  let all: [Leaf]
  let branch: Set<RevisionID>
  private let winner: RevisionID?
  private let takers: MergeRevisions
  /// The IDs of all revisions; empty unless a revision is waiting for a missing ancestor.
  private let known: Set<RevisionID>

  init(of row: RecordRow, _ store: Store) throws {
    try self.init(store.records.revisions(of: row), store.records.winner(of: row)?.revision, store)
  }

  init(of past: PastRecord, _ store: Store) { self.init(past.revisions, past.winner?.revision, store) }

  private init(_ all: [Leaf], _ winner: RevisionID?, _ store: Store) {
    self.all = all
    self.winner = winner
    var branch: Set<RevisionID> = []
    var next = winner
    for one in all where one.revision == next {
      branch.insert(one.revision)
      next = one.parentRevision
    }
    self.branch = branch
    known = all.allSatisfy(\.isAttached) ? [] : Set(all.map(\.revision))
    takers = MergeRevisions(all, store)
  }

  func event(_ leaf: Leaf, _ author: BlockRow?) throws -> Event {
    let state: Event.State =
      !leaf.isAttached
      ? .waiting
      : !leaf.isLeaf ? .inner : leaf.kind != .put ? .tombstone : leaf.revision == winner ? .winner : .loser
    let parent = leaf.parentRevision.flatMap { leaf.isAttached || known.contains($0) ? $0 : nil }
    return Event(
      leaf: leaf, state: state, isOnWinningBranch: branch.contains(leaf.revision), author: author,
      successor: leaf.kind == .resolved ? try takers.successor(of: leaf) : nil, parent: parent)
  }
}

private final class MergeRevisions {
  private let store: Store
  private var companions: [Int64: [Leaf]] = [:]
  private var known: [Int64: [RevisionID: RevisionID]] = [:]

  init(_ all: [Leaf], _ store: Store) {
    self.store = store
    let blocks = Set(all.lazy.filter { $0.kind == .resolved }.map(\.sequence))
    for one in all where one.kind != .resolved && blocks.contains(one.sequence) {
      companions[one.sequence, default: []].append(one)
    }
  }

  func successor(of end: Leaf) throws -> RevisionID? {
    guard let branch = end.parentRevision else { return nil }
    if let takers = known[end.sequence] { return takers[branch] }
    var takers: [RevisionID: RevisionID] = [:]
    for one in companions[end.sequence] ?? [] {
      for taken in try store.records.merged(by: one) where takers[taken] == nil { takers[taken] = one.revision }
    }
    known[end.sequence] = takers
    return takers[branch]
  }
}
