internal import SeaCore
internal import SeaEngine

/// A revision in the history of a record.
public struct RecordRevision: Sendable, Hashable {
  /// The state of a revision in the revision tree.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// The revision is the winner, the current content of the record.
    case winner
    /// The revision conflicts with the winner.
    case loser
    /// The revision ends a branch that was deleted or merged into another branch.
    case tombstone
    /// The revision has descendants.
    case inner
    /// The parent of the revision has not arrived yet.
    case waiting
  }

  /// The id of the revision.
  public let revision: Revision
  /// The state of the revision.
  public let state: State
  /// Whether the revision is the winner or an ancestor of the winner.
  public let isOnWinningBranch: Bool
  /// Whether the revision deletes the record or ends its branch.
  public let isDeletion: Bool
  /// Whether the content of the revision was purged.
  public let isPurged: Bool
  /// The parent of the revision; nil if unknown, or if this is the first revision.
  public let parent: Revision?
  /// The other revisions that were merged into this revision.
  public let merged: [Revision]
  /// The instance that wrote the revision; nil if unknown.
  public let author: Instance?
  /// The time at which the revision was written, according to the author's clock; nil if unknown.
  public let time: Timestamp?
  /// The message of the revision's transaction.
  public let label: String?
  /// The id of the block with the revision, for `Database.Inspection`; nil if unknown.
  public let block: String?

  init(_ event: Event, _ instances: Instances, merged: [RevisionID]) {
    revision = Revision(event.revision)
    state = State(rawValue: event.state.rawValue) ?? .inner
    isOnWinningBranch = event.isOnWinningBranch
    (isDeletion, isPurged) = (event.leaf.kind != .put, event.leaf.isPurged)
    (parent, self.merged) = (event.parent.map(Revision.init), merged.map(Revision.init))
    author = event.author.map { instances[$0.instance] }
    time = event.author.map { Timestamp(milliseconds: $0.time) }
    label = event.author?.label
    block = event.author?.place
  }
}

/// A value that a property had in the past.
public struct PastValue: Sendable, Hashable {
  /// The value; nil if the property was removed.
  public let value: Value?
  /// The revision that set the value.
  public let revision: RecordRevision
}

/// A property that differs between two revisions.
public struct PropertyDifference: Sendable, Hashable {
  /// The name of the property; `_type` is the type of the record.
  public let name: String
  /// The former value; nil if the property was absent.
  public let old: Value?
  /// The new value; nil if the property is absent.
  public let new: Value?

  static func all(_ difference: Difference) throws -> [PropertyDifference] {
    try difference.changes.map { one in
      PropertyDifference(
        name: one.name, old: try one.old.map { Value(stored: try $0.value()) },
        new: try one.new.map { Value(stored: try $0.value()) })
    }
  }
}

extension Engine {
  func stored(_ id: String, _ revision: Revision) throws -> StoredRecord? {
    let row = try knownRow(id)
    let leaf = try records.revision(revision.description, of: row)
    if leaf.isPurged { throw KitError.contentPurged(id: id, leaf.revision) }
    return try StoredRecord(records.view(row, leaf))
  }
}
