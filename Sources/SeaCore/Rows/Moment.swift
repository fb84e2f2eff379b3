/// What this instance knew after it had taken in a block: those that arrived up to it, in the order in which they did. No clock decides.
package struct Moment: Comparable, Sendable {
  /// The last block that was there.
  package var sequence: Int64

  package init(after sequence: Int64) { self.sequence = sequence }

  package static func < (a: Moment, b: Moment) -> Bool { a.sequence < b.sequence }
}

/// A record as it was at a moment.
package struct PastRecord: Sendable {
  /// What its leaves came to then.
  package var row: RecordRow
  /// What was known of it then, greatest first: each with what it was then, a leaf or not.
  package var revisions: [Leaf]
  /// The leaves among them, best first.
  package var leaves: [Leaf]
  /// What became known since.
  package var later: [RevisionID]

  package var winner: Leaf? { leaves.first }

  /// - Parameters:
  ///   - now: the record as it is; its type may be another one than then.
  ///   - all: its revisions, greatest first.
  ///   - first: the first block to arrive that has a revision.
  package init(_ now: RecordRow, _ all: [Leaf], at moment: Moment, first: (Leaf) -> Int64) {
    var known: [Leaf] = []
    var later: [RevisionID] = []
    for one in all {
      if first(one) <= moment.sequence { known.append(one) } else { later.append(one.revision) }
    }
    // Parents stand behind their children.
    var tree: Set<RevisionID> = []
    for k in known.indices.reversed() {
      let parent = known[k].parentRevision
      known[k].isAttached = known[k].isAttached && (parent.map(tree.contains) ?? true)
      if known[k].isAttached { tree.insert(known[k].revision) }
    }
    let parents = Set(known.lazy.filter(\.isAttached).compactMap(\.parentRevision))
    for k in known.indices { known[k].isLeaf = known[k].isAttached && !parents.contains(known[k].revision) }
    leaves = known.filter(\.isLeaf).sorted(by: Leaf.isBetter)
    revisions = known
    self.later = later
    row = now
    row.leaves = leaves.count
    row.live = leaves.count { $0.kind == .put }
    let isContested = row.live == 1 && leaves.contains { $0.kind == .delete }
    row.conflict = row.live > 1 ? .live : isContested ? .deletion : .none
  }
}
