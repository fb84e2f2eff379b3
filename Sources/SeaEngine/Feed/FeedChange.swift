import SeaCore

/// One change of a record, as it came to count here.
package struct FeedChange: Sendable {
  /// What happened to a record.
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

  package var position: FeedPosition
  package var id: String
  /// Of the winner since, or of that before if there is none since; nil also where it is not known any more.
  package var type: String?
  package var effect: Effect
  /// The winner before and since.
  package var old: RevisionID?
  package var new: RevisionID?
  /// The revision that did not win.
  package var lost: RevisionID?
  /// Whether the record was in conflict since.
  package var isConflict: Bool
  /// The block that brought it; nil where what counts was worked out anew.
  package var block: BlockRow?
  /// Whether it was written here.
  package var isOwn: Bool
  /// Whether what one of the two said was purged.
  package var isPurged = false
  /// What is different; nil if that cannot be told any more, or nobody asked.
  package var difference: Difference?
}

/// Which changes are asked for.
package struct FeedFilter {
  package var type: String?
  /// What has to hold for the record as it is now. Of a record that is not there it cannot be told: it is asked for.
  package var query: RecordQuery?
  /// Whether a name in it that nothing has stands for nothing, also if it is much like another one.
  package var takesNames = false
  package var limit: Int?
  /// Whether what is different is looked up.
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
