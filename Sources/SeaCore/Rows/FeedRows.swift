/// A position in the changes feed, from which reading can continue later.
///
/// Each batch in the feed has a random tag, so a position is valid only in the database in which the changes happened
/// and in copies of that database.
package struct FeedPosition: Hashable, Sendable, CustomStringConvertible {
  /// A number that increases with every change. The number 0 means the position before the first change.
  package var number: Int64
  package var tag: Int64

  package static let tagDigits = 12
  package static let start = FeedPosition(number: 0, tag: 0)

  package init(number: Int64, tag: Int64) {
    self.number = number
    self.tag = tag
  }

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

/// A batch in the changes feed, which contains either the changes of a block that began to count, or changes without a
/// block.
package struct FeedRow: Equatable, Sendable {
  package var first: Int64
  package var last: Int64
  /// The sequence number of the block; nil if the changes result from a new evaluation of all blocks.
  package var block: Int64?
  package var tag: Int64

  package init(first: Int64, last: Int64, block: Int64?, tag: Int64) {
    self.first = first
    self.last = last
    self.block = block
    self.tag = tag
  }
}

package struct FeedState: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The revision was already known or is pending, so nothing changed.
  package static let nothing = FeedState(rawValue: 1)
  package static let wasConflict = FeedState(rawValue: 2)
  package static let isConflict = FeedState(rawValue: 4)
  /// The flags `wasDead` and `isDead`: the winner was a deletion before the change, or is one after it.
  package static let wasDead = FeedState(rawValue: 8)
  package static let isDead = FeedState(rawValue: 16)
  /// The flags `hadContent` and `hasContent`: this instance had the winner's content before the change, or has it
  /// afterward.
  package static let hadContent = FeedState(rawValue: 32)
  package static let hasContent = FeedState(rawValue: 64)
}

/// A change in the feed that cannot be determined from its block alone.
package struct FeedNote: Sendable {
  package var position: Int64
  package var id: String
  /// The record's type, stored only if no revision of the record counts anymore.
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
