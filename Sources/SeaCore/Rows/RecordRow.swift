/// Whether the leaves of a record disagree.
package enum ConflictState: Int, Sendable {
  case none = 0
  /// Two or more live leaves.
  case live = 1
  /// One live leaf, and a deletion that lost to it.
  case deletion = 2
}

/// A record, as its leaves determine it.
package struct RecordRow: Sendable {
  package var key: Int64
  package var id: String
  /// The winner's type.
  package var type: String?
  package var leaves: Int
  package var live: Int
  package var conflict: ConflictState
  /// Whether the record refers to others.
  package var refers: Bool

  package init(
    key: Int64, id: String, type: String?, leaves: Int, live: Int, conflict: ConflictState, refers: Bool
  ) {
    self.key = key
    self.id = id
    self.type = type
    self.leaves = leaves
    self.live = live
    self.conflict = conflict
    self.refers = refers
  }

  package var isDeleted: Bool { live == 0 }
}

/// A revision with its location. It need not be a leaf.
package struct Leaf: Sendable {
  package var revision: RevisionID
  package var kind: RevisionKind
  package var isLeaf: Bool
  package var isAttached: Bool
  /// Whether the store finds it among the leaves of its record without reading other revisions.
  package var isListed: Bool
  /// The digest of the parent, whose depth is one less.
  package var parent: Digest?
  /// The first block with the revision, which determines its author and time.
  package var sequence: Int64
  /// The block from which it is read: the first one with the body, or else the first one.
  package var place: Int64
  /// Whether only a purge order describes the revision.
  package var isOrdered: Bool
  /// The range of its change in that block.
  package var offset: Int
  package var length: Int

  package init(
    revision: RevisionID, kind: RevisionKind, isLeaf: Bool, isAttached: Bool, isListed: Bool, isOrdered: Bool,
    parent: Digest?, sequence: Int64, place: Int64, offset: Int, length: Int
  ) {
    self.revision = revision
    self.kind = kind
    self.isLeaf = isLeaf
    self.isAttached = isAttached
    self.isListed = isListed
    self.parent = parent
    self.isOrdered = isOrdered
    self.sequence = sequence
    self.place = place
    self.offset = offset
    self.length = length
  }

  /// Whether its body was purged. The revision is live, but its content is lost.
  package var isPurged: Bool { isOrdered && kind == .put }

  package var parentRevision: RevisionID? {
    parent.map { RevisionID(depth: revision.depth - 1, digest: $0) }
  }

  /// Live revisions come before deletions, then greater revisions first.
  package static func isBetter(_ a: Leaf, _ b: Leaf) -> Bool {
    if (a.kind == .put) != (b.kind == .put) { return a.kind == .put }
    return a.revision > b.revision
  }
}

/// Selects the records that a scan visits in the order of their ids.
package struct RecordFilter: Sendable {
  package var type: String?
  /// Only records that refer to this id.
  package var refersTo: String?
  /// Only records that refer to a missing record.
  package var isDangling = false
  package var after: String?
  package var withDeleted = false
  package var onlyConflicts = false

  package init() {}

  /// Whether the filter selects live records only by type and id.
  package var isPlain: Bool { refersTo == nil && !isDangling && !withDeleted && !onlyConflicts }
}
