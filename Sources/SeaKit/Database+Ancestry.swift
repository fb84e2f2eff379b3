import SeaCore
import SeaStore

extension Database {
  /// The leaves that disagree: the live ones, and a user's deletion beside them.
  package func contenders(of row: RecordRow) throws -> [Leaf] {
    try store.leaves(of: row).filter { $0.kind != .resolved }
  }

  /// The nearest revision that all leaves that disagree come from, be it through parents or through what they have
  /// taken in; nil if they have none in common.
  ///
  /// Where several are equally near, as after two resolutions of one conflict, it is a live one before a deleted one
  /// and then the greatest: the same on every instance.
  package func base(of row: RecordRow) throws -> Leaf? {
    let leaves = try contenders(of: row)
    guard leaves.count > 1 else { return nil }
    var family: [RevisionID: Leaf] = [:]
    for one in try store.revisions(of: row) where one.isAttached { family[one.revision] = one }
    let trunk = Database.trunk(leaves, family)
    var common: Set<RevisionID>?
    for leaf in leaves {
      let found = try ancestors(of: leaf, family, trunk)
      common = common?.intersection(found) ?? found
    }
    return common?.compactMap { family[$0] }.max { a, b in
      (a.kind == .put) != (b.kind == .put) ? b.kind == .put : a.revision < b.revision
    }
  }

  /// The line of parents that all leaves share: every revision of it has as ancestors what stands below it.
  private static func trunk(_ leaves: [Leaf], _ family: [RevisionID: Leaf]) -> Set<RevisionID> {
    var shared: Set<RevisionID>?
    for leaf in leaves {
      var line: Set<RevisionID> = []
      var next: Leaf? = leaf
      while let here = next {
        line.insert(here.revision)
        next = here.parentRevision.flatMap { family[$0] }
      }
      shared = shared?.intersection(line) ?? line
    }
    return shared ?? []
  }

  /// A leaf and what it comes from. Content is read only above the trunk, however long the history is.
  private func ancestors(
    of leaf: Leaf, _ family: [RevisionID: Leaf], _ trunk: Set<RevisionID>
  ) throws -> Set<RevisionID> {
    var found = trunk
    var stack = [leaf.revision]
    while let next = stack.popLast() {
      guard !found.contains(next), let here = family[next] else { continue }
      found.insert(next)
      if let parent = here.parentRevision { stack.append(parent) }
      stack += try store.change(of: here).merged
    }
    return found
  }
}
