/// The state of a stored block.
package enum BlockState: Int, Sendable {
  /// It cannot be read here, or its content is invalid: see `UnreadReason`.
  case unread = 0
  case applied = 1
  /// Its author has no permission for it.
  case held = 2
  /// Its clock, or that of an earlier block, does not follow from the named heads. This state is permanent.
  case badLamport = 3
  /// A senior of its author may have decided about it in a block that cannot be read here.
  case heldBack = 4
  /// A valid order has removed it, and the revisions in the order are applied.
  case purged = 5
}

/// The reason why a stored block was not read.
package enum UnreadReason: Int, Sendable {
  /// Only a newer program can read it.
  case notReadable = 1
  /// The key that it names is missing.
  case noKey = 2
  /// The key that it names does not open it.
  case badTag = 3
  /// The signed content is not a valid payload.
  case badPayload = 4

  /// - Parameter fault: the error from reading a verified block.
  package init(_ fault: CoreError) {
    switch fault {
    case .notReadable: self = .notReadable
    case .noKey: self = .noKey
    case .badBlock(.badTag): self = .badTag
    default: self = .badPayload
    }
  }
}

/// A stored block.
package struct BlockRow: Sendable {
  package var sequence: Int64
  /// Names the local branch of the block.
  package var ref: BlockRef
  package var lamport: UInt32
  package var size: Int
  /// The number of revisions in the block.
  package var changes: Int
  package var state: BlockState
  /// The reason why the block was not read. For a block that was read: `noKey` if it is hidden.
  package var unread: UnreadReason?
  /// Whether its Lamport time follows from heads that are all present, so that other blocks may rely on it.
  package var isEarned: Bool
  package var time: Int64
  package var arrived: Int64
  package var label: String?
  /// The original size of a removed block, otherwise 0.
  package var whole: Int

  /// Whether the key of the block is not confirmed. Then its control entries are read, but its changes are not applied.
  package var isHidden: Bool { state != .unread && unread == .noKey }

  /// Whether the digest of the content has replaced the content.
  package var isRemoved: Bool { whole > 0 }
  /// The state of the block if it counts.
  package var counting: BlockState { isRemoved ? .purged : .applied }
  package var branch: BranchID { ref.branch }
  package var instance: UUID { ref.instance }
  package var index: UInt32 { ref.index }
  package var digest: Digest { ref.digest }
  /// `INSTANCE/INDEX`, or `INSTANCE~DIGITS/INDEX`.
  package var place: String { ref.description }
  /// The text after the instance's name in output.
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

  /// The order of the Lamport clock, which is the same on every instance.
  package func isBefore(_ other: BlockRow) -> Bool {
    if lamport != other.lamport { return lamport < other.lamport }
    if instance != other.instance { return instance < other.instance }
    return index != other.index ? index < other.index : digest < other.digest
  }
}

/// An invalid or incomplete block. It is quarantined and shown, but never applied or passed on.
package struct QuarantineRow: Sendable {
  package var container: String
  /// The branch name in the container.
  package var branch: BranchID
  package var index: UInt32
  /// A reason code of sea-verify(1).
  package var reason: String
  package var since: Int64
  /// The number of consecutive syncs that met it.
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

/// A block at an index, without its bytes.
package struct BlockOutline: Equatable, Sendable {
  package var index: UInt32
  /// The stored size.
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
