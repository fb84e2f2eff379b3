import SeaCore
import SeaStore

/// One revision in the history of its record.
package struct Event: Sendable {
  package enum State: String, Sendable {
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
  package var state: State
  /// Whether the winner comes from it through parents.
  package var isOnWinningBranch: Bool
  package var author: BlockRow?
  /// Of a tombstone of kind `resolved`: the revisions that came with it, one of which has its content.
  var companions: [Leaf] = []
  /// The parent, if it is here.
  package var parent: RevisionID?

  package var revision: RevisionID { leaf.revision }
}

/// What must be known of a record's revisions to tell what has become of each.
struct RecordEvents {
  /// Greatest first.
  let all: [Leaf]
  /// The winner and its parents.
  let branch: Set<RevisionID>
  private let winner: RevisionID?
  private var companions: [Int64: [Leaf]] = [:]
  /// All of them, if any waits.
  private let known: Set<RevisionID>

  init(of row: RecordRow, _ store: Store) throws {
    all = try store.records.revisions(of: row)
    winner = try store.records.winner(of: row)?.revision
    var branch: Set<RevisionID> = []
    var next = winner
    for one in all where one.revision == next {
      branch.insert(one.revision)
      next = one.parentRevision
    }
    self.branch = branch
    known = all.allSatisfy(\.isAttached) ? [] : Set(all.map(\.revision))
    let blocks = Set(all.lazy.filter { $0.kind == .resolved }.map(\.sequence))
    for one in all where one.kind != .resolved && blocks.contains(one.sequence) {
      companions[one.sequence, default: []].append(one)
    }
  }

  func event(_ leaf: Leaf, _ author: BlockRow?) -> Event {
    let state: Event.State =
      !leaf.isAttached
      ? .waiting
      : !leaf.isLeaf ? .inner : leaf.kind != .put ? .tombstone : leaf.revision == winner ? .winner : .loser
    let parent = leaf.parentRevision.flatMap { leaf.isAttached || known.contains($0) ? $0 : nil }
    return Event(
      leaf: leaf, state: state, isOnWinningBranch: branch.contains(leaf.revision), author: author,
      companions: leaf.kind == .resolved ? companions[leaf.sequence] ?? [] : [], parent: parent)
  }
}
