import SeaCore

// What a program that links SeaKit learns of changes: sea-changes(1) says what they are.

/// A step of one record from one state to the next, as it came to count here.
public struct RecordChange: Sendable {
  /// What happened to it.
  public enum Effect: String, Sendable {
    case created, updated, deleted
    /// It was deleted and is there again.
    case restored
    /// Its conflict has ended, and it is there.
    case resolved
    /// A revision came that did not win: it is as it was, and may be in conflict.
    case lost
    /// What it says was purged.
    case purged
    /// Nothing of it counts any more.
    case removed
  }

  /// Where to go on behind this change.
  public let position: String
  /// Which record it is.
  public let id: String
  /// Nil if it has none, or it is not known any more.
  public let type: String?
  /// What happened.
  public let effect: Effect
  /// The revision (`DEPTH-HEX`) that was its winner before; nil if there was none.
  public let old: String?
  /// The winner since; nil if nothing of it counts any more.
  public let revision: String?
  /// Whether it is in conflict since.
  public let isConflict: Bool
  /// Whether this instance has written it.
  public let isOwn: Bool
}

extension Database {
  /// The position behind all changes: what comes later stands behind it. It is of this database on this device.
  public func position() throws -> String { try feed.end().description }

  /// Visits the changes behind a position, own and foreign, in the order in which they came to count, until `body` returns false.
  /// Whoever takes every change knows of each record what there is.
  /// - Parameter position: from an earlier call; `0` for all that is known.
  /// - Returns: the position up to which everything was looked at.
  /// - Throws: an error if this database has not given the position, or something has happened since that the feed does not tell, as
  ///   a backup that was restored: then begin with `0`.
  @discardableResult
  public func forEachChange(since position: String, _ body: (RecordChange) throws -> Bool) throws -> String {
    var filter = FeedFilter()
    filter.withValues = false
    return try feed.forEach(after: feed.position(position), filter) { try body(RecordChange($0)) }.description
  }
}

extension RecordChange {
  fileprivate init(_ change: FeedChange) {
    self.init(
      position: change.position.description, id: change.id, type: change.type,
      effect: Effect(rawValue: change.effect.rawValue) ?? .updated, old: change.old?.description,
      revision: change.new?.description, isConflict: change.isConflict, isOwn: change.isOwn)
  }
}
