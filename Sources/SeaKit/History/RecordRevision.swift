internal import SeaCore
internal import SeaEngine

/// A revision in the history of a record.
public struct RecordRevision: Sendable, Hashable {
  /// The state of a revision in the revision tree.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// It is the winner, the current content of the record.
    case winner
    /// It conflicts with the winner, and lost.
    case loser
    /// It ends a branch that was deleted or merged into another one.
    case tombstone
    /// It has descendants.
    case inner
    /// Its parent has not arrived.
    case waiting
  }

  /// The id of the revision.
  public let revision: Revision
  /// The state of the revision.
  public let state: State
  /// Whether the winner descends from it.
  public let isOnWinningBranch: Bool
  /// Whether it deletes the record, or ends its branch.
  public let isDeletion: Bool
  /// Whether its content was purged.
  public let isPurged: Bool
  /// Its parent; nil if it is unknown, or this is the first revision.
  public let parent: Revision?
  /// The other revisions that it merged.
  public let merged: [Revision]
  /// The instance that wrote it; nil if unknown.
  public let author: Instance?
  /// The time of writing, by the author's clock.
  public let time: Timestamp?
  /// The message of its transaction.
  public let label: String?

  init(_ event: Event, _ instances: Instances, merged: [RevisionID]) {
    revision = Revision(event.revision)
    state = State(rawValue: event.state.rawValue) ?? .inner
    isOnWinningBranch = event.isOnWinningBranch
    (isDeletion, isPurged) = (event.leaf.kind != .put, event.leaf.isPurged)
    (parent, self.merged) = (event.parent.map(Revision.init), merged.map(Revision.init))
    author = event.author.map { instances[$0.instance] }
    time = event.author.map { Timestamp(milliseconds: $0.time) }
    label = event.author?.label
  }
}

/// A past value of a property.
public struct PastValue: Sendable, Hashable {
  /// The value; nil if the property was removed.
  public let value: Value?
  /// The revision that set the value.
  public let revision: RecordRevision
}

/// A property that differs.
public struct PropertyDifference: Sendable, Hashable {
  /// The name; `_type` is the type of the record.
  public let name: String
  /// The former value; nil if it was absent.
  public let old: Value?
  /// The new value; nil if it is absent.
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
  /// Returns the content of a revision; nil if it deleted the record.
  func stored(_ id: String, _ revision: Revision) throws -> StoredRecord? {
    let row = try knownRow(id)
    let leaf = try records.revision(revision.description, of: row)
    if leaf.isPurged { throw KitError.contentPurged(id: id, leaf.revision) }
    return try StoredRecord(records.view(row, leaf))
  }
}
