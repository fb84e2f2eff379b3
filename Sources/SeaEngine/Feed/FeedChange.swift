import SeaCore

/// One change of a record, at the time when it took effect here.
package struct FeedChange: Sendable {
  /// The effect on a record.
  package enum Effect: String, CaseIterable, Sendable {
    case created, updated, deleted
    /// It was deleted and exists again.
    case restored
    /// Its conflict has ended, and it exists.
    case resolved
    /// A revision arrived that did not win: the content is unchanged, but the record may be in conflict.
    case lost
    /// Its content was purged.
    case purged
    /// All of its revisions have become invalid.
    case removed
  }

  package var position: FeedPosition
  package var id: String
  /// The type of the new winner, or of the old one if there is no new one; nil also if it is unknown.
  package var type: String?
  package var effect: Effect
  /// The winner before and after the change.
  package var old: RevisionID?
  package var new: RevisionID?
  /// The revision that did not win.
  package var lost: RevisionID?
  /// Whether the record was in conflict after the change.
  package var isConflict: Bool
  /// The block with the change; nil if the valid blocks were determined again.
  package var block: BlockRow?
  /// Whether it was written here.
  package var isOwn: Bool
  /// Whether the content of the old or the new winner was purged.
  package var isPurged = false
  /// The difference; nil if it is unavailable, or was not requested.
  package var difference: Difference?
}

/// The selection of changes.
package struct FeedFilter {
  package var type: String?
  /// A condition for the current record. A change is included if the record does not exist any more.
  package var query: RecordQuery?
  /// Whether an unknown name in the condition is treated as empty, even if it resembles an existing one.
  package var takesNames = false
  package var limit: Int?
  /// Whether differences are computed.
  package var withValues = true

  package init() {}
}

extension FeedChange.Effect {
  init(_ state: FeedState, old: RevisionID?, new: RevisionID?) {
    let (wasLive, isLive) = (old != nil && !state.contains(.wasDead), new != nil && !state.contains(.isDead))
    switch (wasLive, isLive) {
    case _ where new == nil: self = .removed
    case (_, false): self = old == new ? .lost : .deleted
    case (false, true): self = old == nil ? .created : .restored
    case (true, true):
      if state.contains(.wasConflict), !state.contains(.isConflict) {
        self = .resolved
      } else if old != new {
        self = .updated
      } else if state.contains(.hadContent) != state.contains(.hasContent) {
        self = state.contains(.hasContent) ? .updated : .purged
      } else {
        self = .lost
      }
    }
  }
}
