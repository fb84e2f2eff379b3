/// A leaf revision to be merged with others.
package struct MergeLeaf: Sendable {
  package var revision: RevisionID
  package var content: Content
  /// The Lamport timestamp of the revision, for policies that need it.
  package var lamport: UInt32?
  /// Whether this instance wrote it.
  package var isOwn: Bool

  package init(_ revision: RevisionID, _ content: Content, lamport: UInt32? = nil, isOwn: Bool = false) {
    self.revision = revision
    self.content = content
    self.lamport = lamport
    self.isOwn = isOwn
  }

  var provenance: Provenance { Provenance(revision: revision, lamport: lamport, isOwn: isOwn) }
}

/// Merges all live leaves of a record into one content. It starts with the winner and merges the others in descending
/// order of revision. A deleted leaf contributes nothing.
///
/// The same leaves of the same graph give the same bytes in any order.
package struct LeafMerge: Sendable {
  /// The live leaves, the winner first.
  package let leaves: [MergeLeaf]
  /// The result; a conflicting property has the value of the greater leaf. Nil if there is no live leaf.
  package private(set) var content: Content?
  /// The merge of each leaf but the first.
  package private(set) var steps: [Merge] = []
  /// The conflicting properties, each path once.
  package private(set) var clashes: [PropertyPath] = []

  package var isClean: Bool { clashes.isEmpty }

  package init<Failure>(
    _ leaves: [MergeLeaf], _ graph: RevisionGraph<Failure>, rules: MergeRules = MergeRules()
  ) throws(Failure) {
    self.leaves = leaves.filter { $0.content.body != nil }.sorted { $0.revision > $1.revision }
    var finder = BaseFinder(graph, atomic: rules.atomic)
    // The index of the leaf that each value of the result comes from.
    var authors = PathTree<Int>()
    var clashing = PathTree<Void>()
    for (k, leaf) in self.leaves.enumerated() {
      let carried = leaf.content.inherited(from: leaf.revision.digest)
      guard let before = content else {
        content = carried
        continue
      }
      let base = try finder.base(of: self.leaves[..<k].map(\.revision), leaf.revision)
      try graph.spend?(base.steps + before.steps + carried.steps)
      let all = self.leaves
      let merge = Merge(base: base, ours: before, theirs: carried, rules: rules) { path in
        (all[authors.around(path) ?? 0].provenance, leaf.provenance)
      }
      // A leaf that contributes a value contributes everything in it.
      for path in merge.taken { authors.replace(path, with: k) }
      for path in merge.clashes where clashing[path.path] == nil {
        clashing.add(path.path, ())
        clashes.append(path.path)
      }
      content = merge.content
      steps.append(merge)
    }
  }
}
