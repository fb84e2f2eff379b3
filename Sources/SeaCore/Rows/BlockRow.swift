/// What has become of a block that is kept.
package enum BlockState: Int, Sendable {
  /// It cannot be read here, or what it says is wrong: see `UnreadReason`.
  case unread = 0
  case applied = 1
  /// Its author is not entitled to what it says.
  case held = 2
  /// Its clock, or that of a block before it, is not what follows from the heads that it names: for ever.
  case badLamport = 3
  /// Somebody senior to its author may have decided about it in a block that cannot be read here.
  case heldBack = 4
  /// It was removed by an order that counts, and what that says of its revisions is applied.
  case purged = 5
}

/// Why nothing of a block that is kept was read.
package enum UnreadReason: Int, Sendable {
  /// Only a newer program can read it.
  case notReadable = 1
  /// The key that it names is not here.
  case noKey = 2
  /// The key that it names does not open it.
  case badTag = 3
  /// What its author has signed is no payload.
  case badPayload = 4

  /// - Parameter fault: what reading a block that verifies has thrown.
  package init(_ fault: CoreError) {
    switch fault {
    case .notReadable: self = .notReadable
    case .noKey: self = .noKey
    case .badBlock(.badTag): self = .badTag
    default: self = .badPayload
    }
  }
}

/// A block that is kept.
package struct BlockRow: Sendable {
  package var sequence: Int64
  /// In the branch that it lies in here.
  package var ref: BlockRef
  package var lamport: UInt32
  package var size: Int
  /// How many revisions it holds.
  package var changes: Int
  package var state: BlockState
  /// Of a block that was not read. Of one that was read: `noKey` if it is hidden.
  package var unread: UnreadReason?
  /// Whether its Lamport time follows from heads that are all here, so that others may go by it.
  package var isEarned: Bool
  package var time: Int64
  package var arrived: Int64
  package var label: String?
  /// Of a removed block the size that it had, else 0.
  package var whole: Int

  /// Whether the block was read with a key that nothing vouches for: its entries say what they say, and its changes are not
  /// applied.
  package var isHidden: Bool { state != .unread && unread == .noKey }

  /// Whether the digest of its content is in the place of the content.
  package var isRemoved: Bool { whole > 0 }
  /// The state that it has where it counts.
  package var counting: BlockState { isRemoved ? .purged : .applied }
  package var branch: BranchID { ref.branch }
  package var instance: UUID { ref.instance }
  package var index: UInt32 { ref.index }
  package var digest: Digest { ref.digest }
  /// `INSTANCE/INDEX`, or `INSTANCE~DIGITS/INDEX`.
  package var place: String { ref.description }
  /// What people see of it behind the name of the instance.
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

  /// The order of the Lamport clock, the same on every instance.
  package func isBefore(_ other: BlockRow) -> Bool {
    if lamport != other.lamport { return lamport < other.lamport }
    if instance != other.instance { return instance < other.instance }
    return index != other.index ? index < other.index : digest < other.digest
  }
}

/// What does not verify, or is not whole yet: kept apart, shown, never applied and never passed on.
package struct QuarantineRow: Sendable {
  package var container: String
  /// As the container names it.
  package var branch: BranchID
  package var index: UInt32
  /// A code of sea-verify(1).
  package var reason: String
  package var since: Int64
  /// How many syncs in a row have met it.
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

/// What a block at an index is, without its bytes.
package struct BlockOutline: Equatable, Sendable {
  package var index: UInt32
  /// As it is stored.
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
