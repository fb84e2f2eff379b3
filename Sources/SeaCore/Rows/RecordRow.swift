/// Whether the leaves of a record disagree.
package enum ConflictState: Int, Sendable {
  case none = 0
  /// Two or more live leaves.
  case live = 1
  /// One live leaf, and a deletion that lost to it.
  case deletion = 2
}

/// A record: what its leaves come to.
package struct RecordRow: Sendable {
  package var key: Int64
  package var id: String
  /// The winner's type.
  package var type: String?
  package var leaves: Int
  package var live: Int
  package var conflict: ConflictState
  /// Whether it refers to others.
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

/// A revision that is no other's parent, or any revision: what it is and where it stands.
package struct Leaf: Sendable {
  package var revision: RevisionID
  package var kind: RevisionKind
  package var isLeaf: Bool
  package var isAttached: Bool
  /// Whether the store finds it among the leaves of its record without a look at other revisions.
  package var isListed: Bool
  /// The digest of the parent; its depth is one less.
  package var parent: Digest?
  /// The first block that has it, which says who wrote it and when.
  package var sequence: Int64
  /// The block in which it is read: the first one that has the body, or else the first one.
  package var place: Int64
  /// Whether nothing is known of it but what an order to purge says.
  package var isOrdered: Bool
  /// Where its change stands in that block.
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

  /// Whether its body was purged: it is live, and nobody can say what it says.
  package var isPurged: Bool { isOrdered && kind == .put }

  package var parentRevision: RevisionID? {
    parent.map { RevisionID(depth: revision.depth - 1, digest: $0) }
  }

  /// Live before dead, then the greater revision.
  package static func isBetter(_ a: Leaf, _ b: Leaf) -> Bool {
    if (a.kind == .put) != (b.kind == .put) { return a.kind == .put }
    return a.revision > b.revision
  }
}

/// Which records a scan visits, in the order of their ids.
package struct RecordFilter: Sendable {
  package var type: String?
  /// Only records that refer to this id.
  package var refersTo: String?
  /// Only records that refer to one that is not there.
  package var isDangling = false
  package var after: String?
  package var withDeleted = false
  package var onlyConflicts = false

  package init() {}

  /// Whether it means live records by type and id alone.
  package var isPlain: Bool { refersTo == nil && !isDangling && !withDeleted && !onlyConflicts }
}
