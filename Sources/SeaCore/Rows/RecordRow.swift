package enum ConflictState: Int, Sendable {
  case none = 0
  case live = 1
  /// The record has one live leaf, which won over a conflicting deletion.
  case deletion = 2
}

package struct RecordRow: Sendable {
  package var key: Int64
  package var id: String
  package var type: String?
  package var leaves: Int
  package var live: Int
  package var conflict: ConflictState
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

/// A revision and the location of its data, not necessarily a leaf.
package struct Leaf: Sendable {
  package var revision: RevisionID
  package var kind: RevisionKind
  package var isLeaf: Bool
  package var isAttached: Bool
  /// Whether the store lists the revision as a leaf, so that no other revisions need to be read.
  package var isListed: Bool
  /// The digest of the parent, whose depth is one less.
  package var parent: Digest?
  /// The sequence number of the first block that contains the revision. That block determines the author and the time.
  package var sequence: Int64
  /// The block from which the revision is read: the first block that contains the body or, if no block does, the first
  /// block that contains the revision.
  package var place: Int64
  package var isOrdered: Bool
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

  /// Whether the body was purged. Such a revision is live, but its content is lost.
  package var isPurged: Bool { isOrdered && kind == .put }

  package var parentRevision: RevisionID? {
    parent.map { RevisionID(depth: revision.depth - 1, digest: $0) }
  }

  /// Whether `a` wins over `b`. Live revisions take precedence over deletions, and then greater revisions over smaller
  /// ones.
  package static func isBetter(_ a: Leaf, _ b: Leaf) -> Bool {
    if (a.kind == .put) != (b.kind == .put) { return a.kind == .put }
    return a.revision > b.revision
  }
}

/// Selects the records for a scan, which visits records in the order of their ids.
package struct RecordFilter: Sendable {
  /// Selects records of these types; of all types if empty.
  package var types: [String] = []
  package var refersTo: String?
  package var isDangling = false
  package var after: String?
  package var withDeleted = false
  package var onlyConflicts = false

  package init() {}

  /// Selects records of a type; nil for all types.
  package init(type: String?) { types = type.map { [$0] } ?? [] }

  /// The only type that the filter selects; nil if there is none or several.
  package var onlyType: String? { types.count == 1 ? types[0] : nil }

  package func selects(type: String?) -> Bool { Shape.isType(type, of: types) }

  package var isPlain: Bool { refersTo == nil && !isDangling && !withDeleted && !onlyConflicts }
}
