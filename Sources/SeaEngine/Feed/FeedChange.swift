import SeaCore

/// A change to a record, recorded when it took effect in this database.
package struct FeedChange: Sendable {
  package enum Effect: String, CaseIterable, Sendable {
    case created, updated, deleted
    /// The record was deleted and exists again.
    case restored
    /// The conflict has ended, and the record still exists.
    case resolved
    /// A revision arrived that did not win. The content is unchanged, but the record may be in conflict.
    case lost
    case purged
    /// All of the record's revisions have become invalid.
    case removed
  }

  package var position: FeedPosition
  package var id: String
  /// The type of the new winner, or of the old winner if there is no new one. Also nil if the type is unknown.
  package var type: String?
  package var effect: Effect
  package var old: RevisionID?
  package var new: RevisionID?
  package var lost: RevisionID?
  package var isConflict: Bool
  /// The block that contains the change; nil if the change is the result of validating blocks again.
  package var block: BlockRow?
  package var isOwn: Bool
  package var isPurged = false
  package var difference: Difference?
}

package struct FeedFilter {
  /// The types that the record must have, or have had; none for all types.
  package var types: [String] = []
  /// A condition that the current record must meet. Changes to records that no longer exist are always included.
  package var query: RecordQuery?
  /// Whether to treat an unknown name in the condition as a missing value, even if it resembles an existing name.
  package var takesNames = false
  package var limit: Int?
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
