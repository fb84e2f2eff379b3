package enum BlockState: Int, Sendable {
  /// The block cannot be read or is invalid; see `UnreadReason`.
  case unread = 0
  case applied = 1
  /// The author of the block is not permitted to write it.
  case held = 2
  /// The Lamport time of this block or of an earlier one does not follow from the heads that the block names. This
  /// state is permanent.
  case badLamport = 3
  /// The block is held back because a senior instance's unreadable block might invalidate it.
  case heldBack = 4
  /// The block was removed by a valid order, and the revisions listed in the order are applied.
  case purged = 5
}

package enum UnreadReason: Int, Sendable {
  /// Only a newer version of the program can read the block.
  case notReadable = 1
  case noKey = 2
  case badTag = 3
  case badPayload = 4

  package init(_ fault: CoreError) {
    switch fault {
    case .notReadable: self = .notReadable
    case .noKey: self = .noKey
    case .badBlock(.badTag): self = .badTag
    default: self = .badPayload
    }
  }
}

package struct BlockRow: Sendable {
  package var sequence: Int64
  package var ref: BlockRef
  package var lamport: UInt32
  package var size: Int
  package var changes: Int
  package var state: BlockState
  /// The reason why the block was not read. For a block that was read, `noKey` means that the block is hidden.
  package var unread: UnreadReason?
  /// Whether the Lamport time follows from heads that are all present, so that other blocks can rely on it.
  package var isEarned: Bool
  package var time: Int64
  package var arrived: Int64
  package var label: String?
  /// The original size of a removed block; 0 for any other block.
  package var whole: Int

  /// Whether the block's key is unconfirmed. If so, its control entries are read, but its changes are not applied.
  package var isHidden: Bool { state != .unread && unread == .noKey }

  package var isRemoved: Bool { whole > 0 }
  /// The state that the block has if it counts.
  package var counting: BlockState { isRemoved ? .purged : .applied }
  package var branch: BranchID { ref.branch }
  package var instance: UUID { ref.instance }
  package var index: UInt32 { ref.index }
  package var digest: Digest { ref.digest }
  package var place: String { ref.description }
  package var tail: String { ref.tail }

  package init(
    sequence: Int64, ref: BlockRef, lamport: UInt32, size: Int, changes: Int, state: BlockState,
    unread: UnreadReason? = nil, isEarned: Bool = true, time: Int64, arrived: Int64, label: String?,
    whole: Int = 0
  ) {
    self.sequence = sequence
    self.ref = ref
    self.lamport = lamport
    self.size = size
    self.changes = changes
    self.state = state
    self.unread = unread
    self.isEarned = isEarned
    self.time = time
    self.arrived = arrived
    self.label = label
    self.whole = whole
  }

  /// Whether the block precedes another block in Lamport order, which is the same on every instance.
  package func isBefore(_ other: BlockRow) -> Bool {
    if lamport != other.lamport { return lamport < other.lamport }
    if instance != other.instance { return instance < other.instance }
    return index != other.index ? index < other.index : digest < other.digest
  }
}

/// An invalid or incomplete block. A quarantined block is reported, but never applied or passed on.
package struct QuarantineRow: Sendable {
  package var container: String
  package var branch: BranchID
  package var index: UInt32
  /// A reason code documented in sea-verify(1).
  package var reason: String
  package var since: Int64
  package var syncs: Int
  package var size: Int?

  package init(
    container: String, branch: BranchID, index: UInt32, reason: String, since: Int64, syncs: Int, size: Int?
  ) {
    self.container = container
    self.branch = branch
    self.index = index
    self.reason = reason
    self.since = since
    self.syncs = syncs
    self.size = size
  }
}

package struct BlockOutline: Equatable, Sendable {
  package var index: UInt32
  package var size: Int
  package var digest: Digest
  package var isRemoved: Bool

  package init(index: UInt32, size: Int, digest: Digest, isRemoved: Bool) {
    self.index = index
    self.size = size
    self.digest = digest
    self.isRemoved = isRemoved
  }
}
