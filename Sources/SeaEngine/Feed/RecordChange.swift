import SeaCore

/// A step of one record from one state to the next, as it came to count here.
package struct RecordChange: Sendable {
  /// What happened to it.
  package enum Effect: String, CaseIterable, Sendable {
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
  package let position: String
  /// Which record it is.
  package let id: String
  /// Nil if it has none, or it is not known any more.
  package let type: String?
  /// What happened.
  package let effect: Effect
  /// The revision (`DEPTH-HEX`) that was its winner before; nil if there was none.
  package let old: String?
  /// The winner since; nil if nothing of it counts any more.
  package let revision: String?
  /// Whether it is in conflict since.
  package let isConflict: Bool
  /// Whether this instance has written it.
  package let isOwn: Bool
}

extension RecordChange {
  init(_ change: FeedChange) {
    self.init(
      position: change.position.description, id: change.id, type: change.type,
      effect: change.effect, old: change.old?.description,
      revision: change.new?.description, isConflict: change.isConflict, isOwn: change.isOwn)
  }
}
