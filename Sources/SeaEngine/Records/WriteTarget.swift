import SeaCore
import SeaStore

/// What is known of a record while its entries are worked through.
struct WriteTarget {
  let row: RecordRow?
  let leaves: [Leaf]
  /// What this batch has made of the record already: it is then the winner.
  var made: Change?
  var madeType: String?
  /// What it has made upon leaves that do not win, and is an end of a branch.
  var others: [(change: Change, type: String?)] = []
  /// Of the leaves, those that it has written nothing upon.
  private(set) var ends: [Leaf]

  init(_ row: RecordRow? = nil, _ leaves: [Leaf] = []) { (self.row, self.leaves, ends) = (row, leaves, leaves) }

  var liveEnds: [Leaf] { ends.filter { $0.kind == .put } }
  /// What was deleted beside what counts as the deletion.
  private(set) var deletions: [(revision: RevisionID, type: String?)] = []

  /// Ends all branches.
  mutating func end(with winner: Change, _ type: String?, _ deletions: [(revision: RevisionID, type: String?)]) {
    ends.removeAll { $0.kind == .put }
    (made, madeType, others) = (winner, type, [])
    self.deletions += deletions
  }

  /// What is in conflict with what was made, best first.
  var conflicts: [RevisionID] {
    guard let row, row.conflict != .none, isLive else { return [] }
    return (ends.filter { $0.kind != .resolved }.map(\.revision) + others.map(\.change.revision)).sorted(by: >)
  }

  mutating func follow(_ parent: RevisionID?, with change: Change, _ type: String?, wins: Bool) {
    if let parent {
      ends.removeAll { $0.revision == parent }
      others.removeAll { $0.change.revision == parent }
    }
    if !isLive {
      ends.removeAll { $0.kind == .delete }
      deletions = []
    }
    guard wins else { return others.append((change, type)) }
    if let made, made.revision != parent, made.kind == .put { others.append((made, madeType)) }
    (made, madeType) = (change, type)
  }

  var isLive: Bool { made.map { $0.kind == .put } ?? (leaves.first?.kind == .put) }
  var winner: RevisionID? { made?.revision ?? leaves.first?.revision }
}
