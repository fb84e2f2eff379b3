package struct MergeLeaf: Sendable {
  package var revision: RevisionID
  package var content: Content
  package var lamport: UInt32?
  package var isOwn: Bool

  package init(_ revision: RevisionID, _ content: Content, lamport: UInt32? = nil, isOwn: Bool = false) {
    self.revision = revision
    self.content = content
    self.lamport = lamport
    self.isOwn = isOwn
  }

  var provenance: Provenance { Provenance(revision: revision, lamport: lamport, isOwn: isOwn) }
}

/// Merges all live leaves of a record in descending order of revision, starting with the winner.
///
/// The result has the same bytes regardless of the order of `leaves`.
package struct LeafMerge: Sendable {
  package let leaves: [MergeLeaf]
  /// The merged content; nil if there is no live leaf. For a conflicting property, the value of the greater leaf is
  /// used.
  package private(set) var content: Content?
  package private(set) var steps: [Merge] = []
  package private(set) var clashes: [PropertyPath] = []

  package var isClean: Bool { clashes.isEmpty }

  package init<Failure>(
    _ leaves: [MergeLeaf], _ graph: RevisionGraph<Failure>, rules: MergeRules = MergeRules()
  ) throws(Failure) {
    self.leaves = leaves.filter { $0.content.body != nil }.sorted { $0.revision > $1.revision }
    // The index of the leaf from which each value of the result comes.
    var authors = PathTree<Int>()
    var clashing = PathTree<Void>()
    for (k, leaf) in self.leaves.enumerated() {
      let carried = leaf.content.inherited(from: leaf.revision.digest)
      guard let before = content else {
        content = carried
        continue
      }
      let base = try graph.base(of: self.leaves[..<k].map(\.revision), leaf.revision, atomic: rules.atomic)
      try graph.spend?(base.steps + before.steps + carried.steps)
      let all = self.leaves
      let merge = Merge(base: base, ours: before, theirs: carried, rules: rules) { path in
        (all[authors.around(path) ?? 0].provenance, leaf.provenance)
      }
      try graph.spend?(merge.textSteps)
      // A leaf that contributes a value also contributes everything inside the value.
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
