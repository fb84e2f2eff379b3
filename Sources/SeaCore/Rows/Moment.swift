/// A point in time, defined by the blocks that this instance had received rather than by clocks.
package struct Moment: Comparable, Sendable {
  package var sequence: Int64

  package init(after sequence: Int64) { self.sequence = sequence }

  package static func < (a: Moment, b: Moment) -> Bool { a.sequence < b.sequence }
}

package struct PastRecord: Sendable {
  package var row: RecordRow
  /// The revisions known at that point in time, greatest first, with their leaf status at that time.
  package var revisions: [Leaf]
  package var leaves: [Leaf]
  package var later: [RevisionID]

  package var winner: Leaf? { leaves.first }

  /// - Parameters:
  /// - now: the current row of the record, whose type may have been different then.
  ///   - all: the revisions of the record, greatest first.
  /// - first: returns the block with a given revision that arrived first.
  package init(_ now: RecordRow, _ all: [Leaf], at moment: Moment, first: (Leaf) -> Int64) {
    var known: [Leaf] = []
    var later: [RevisionID] = []
    for one in all {
      if first(one) <= moment.sequence { known.append(one) } else { later.append(one.revision) }
    }
    // Visit parents before their children.
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
