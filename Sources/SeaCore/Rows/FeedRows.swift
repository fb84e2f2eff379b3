/// A place in the feed: behind it stands what changed since.
///
/// The tag is made at random for what is written into the feed at once. So it is found here only if everything up to it happened here, or
/// in what this database was copied from.
package struct FeedPosition: Hashable, Sendable, CustomStringConvertible {
  /// Grows with every change; 0 stands before the first.
  package var number: Int64
  package var tag: Int64

  package static let tagDigits = 12
  package static let start = FeedPosition(number: 0, tag: 0)

  package init(number: Int64, tag: Int64) {
    self.number = number
    self.tag = tag
  }

  /// `NUMBER-TAG`, or `0`.
  package init?(_ text: String) {
    if text == "0" {
      self = .start
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == FeedPosition.tagDigits, let number = Int64(parts[0]), number > 0,
      parts[0] == "\(number)", let bytes = Hex.bytes(String(parts[1]))
    else { return nil }
    self.init(number: number, tag: bytes.reduce(0) { $0 << 8 | Int64($1) })
  }

  package var description: String {
    if number == 0 { return "0" }
    return "\(number)-" + Hex.text(stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: tag >> $0) })
  }
}

/// What was written into the feed at once: the changes of a block when it began to count, or those that came without a block.
package struct FeedRow: Equatable, Sendable {
  package var first: Int64
  package var last: Int64
  /// The sequence of the block; nil where what counts was worked out anew.
  package var block: Int64?
  package var tag: Int64

  package init(first: Int64, last: Int64, block: Int64?, tag: Int64) {
    self.first = first
    self.last = last
    self.block = block
    self.tag = tag
  }
}

/// What was so before and after a change of a record.
package struct FeedState: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It was no change: a revision came that was known, or that waits.
  package static let nothing = FeedState(rawValue: 1)
  package static let wasConflict = FeedState(rawValue: 2)
  package static let isConflict = FeedState(rawValue: 4)
  /// The winner before, and that since: a deletion.
  package static let wasDead = FeedState(rawValue: 8)
  package static let isDead = FeedState(rawValue: 16)
  /// What the winner says was known before, and is known since.
  package static let hadContent = FeedState(rawValue: 32)
  package static let hasContent = FeedState(rawValue: 64)
}

/// A change that does not follow from its block alone.
package struct FeedNote: Sendable {
  package var position: Int64
  package var id: String
  /// Of a record of which nothing counts any more.
  package var type: String?
  package var old: RevisionID?
  package var new: RevisionID?
  package var state: FeedState

  package init(
    position: Int64, id: String, type: String? = nil, old: RevisionID?, new: RevisionID?, state: FeedState
  ) {
    self.position = position
    self.id = id
    self.type = type
    self.old = old
    self.new = new
    self.state = state
  }
}
