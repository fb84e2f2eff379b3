internal import SeaCore
internal import SeaEngine

/// One revision in the history of its record.
public struct RecordRevision: Sendable, Hashable {
  /// What has become of it.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// It is what the record says.
    case winner
    /// It disagrees with the winner, and lost.
    case loser
    /// The end of a branch that was deleted, or whose content another one took in.
    case tombstone
    /// Others follow it.
    case inner
    /// What it follows has not arrived.
    case waiting
  }

  /// Which one it is.
  public let revision: Revision
  /// What has become of it.
  public let state: State
  /// Whether the winner goes on from it.
  public let isOnWinningBranch: Bool
  /// Whether it deletes the record, or ends its branch.
  public let isDeletion: Bool
  /// Whether what it said was purged.
  public let isPurged: Bool
  /// What it goes on from; nil if that is not here, or it is the first.
  public let parent: Revision?
  /// What else it has taken in.
  public let merged: [Revision]
  /// Who wrote it.
  public let author: Instance?
  /// When, by the clock of who wrote it.
  public let time: Timestamp?
  /// The word for the transaction that it was a part of.
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

/// A value that a property had.
public struct PastValue: Sendable, Hashable {
  /// The value; nil where the property was taken away.
  public let value: Value?
  /// The revision that gave it to the property: when, and by whom.
  public let revision: RecordRevision
}

/// A property that is different.
public struct PropertyDifference: Sendable, Hashable {
  /// Its name; `_type` is the type of the record.
  public let name: String
  /// What it said before; nil if it was not there.
  public let old: Value?
  /// What it says since; nil if it is gone.
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
  /// What a record said in a revision; nil if that deleted it.
  func stored(_ id: String, _ revision: Revision) throws -> StoredRecord? {
    let row = try knownRow(id)
    let leaf = try records.revision(revision.description, of: row)
    if leaf.isPurged { throw KitError.contentPurged(id: id, leaf.revision) }
    return try StoredRecord(records.view(row, leaf))
  }
}
