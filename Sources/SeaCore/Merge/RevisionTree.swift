/// The winner and the other leaves of a revision tree, which are the same on every instance.
///
/// Live leaves take precedence over deleted leaves, and then greater revisions over smaller ones. Only leaves matter,
/// so the winner is the same even if the older part of the tree is missing.
package struct RevisionTree<Revision: Comparable & Hashable> {
  package private(set) var winner: Revision?
  package private(set) var isDeleted = false
  package private(set) var conflicts: [Revision] = []
  package private(set) var deletedLeaves: [Revision] = []

  /// - Parameter revisions: the revisions, in any order; duplicates are allowed.
  package init(_ revisions: some Sequence<(revision: Revision, parent: Revision?, isDeleted: Bool)>) {
    var deleted: [Revision: Bool] = [:]
    var parents: Set<Revision> = []
    for one in revisions {
      deleted[one.revision] = one.isDeleted
      if let parent = one.parent { parents.insert(parent) }
    }
    self.init(leaves: deleted.lazy.filter { !parents.contains($0.key) }.map { ($0.key, $0.value) })
  }

  package init(leaves: some Sequence<(revision: Revision, isDeleted: Bool)>) {
    for leaf in leaves {
      if leaf.isDeleted { deletedLeaves.append(leaf.revision) } else { conflicts.append(leaf.revision) }
    }
    conflicts.sort(by: >)
    deletedLeaves.sort(by: >)
    isDeleted = conflicts.isEmpty && !deletedLeaves.isEmpty
    winner = conflicts.isEmpty ? deletedLeaves.first : conflicts.removeFirst()
  }
}
