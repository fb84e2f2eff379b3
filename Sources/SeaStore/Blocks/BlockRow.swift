import SeaCore

/// A block that was verified and is to be kept.
package struct VerifiedBlock {
  /// The complete block, header and payload, as others get it.
  package var bytes: UnsafeRawBufferPointer
  /// Of a sealed block that can be read: its header and the clear map.
  package var clear: UnsafeRawBufferPointer?
  package var header: BlockHeader
  package var ref: BlockRef
  /// What it says; nil if this program cannot read it. Its ranges count from the start of the payload.
  package var payload: Payload?
  /// Whether its author is not entitled to what it says: it is kept, and not applied.
  package var isHeld = false

  package init(
    bytes: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer? = nil, header: BlockHeader, _ ref: BlockRef,
    payload: Payload?
  ) {
    self.bytes = bytes
    self.clear = clear
    self.header = header
    self.ref = ref
    self.payload = payload
  }
}

/// What has become of a block that is kept.
package enum BlockState: Int, Sendable {
  /// Only a newer program, or one with a key, can read it.
  case unread = 0
  case applied = 1
  /// Its author is not entitled to what it says.
  case held = 2
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
  package var time: Int64
  package var arrived: Int64
  package var label: String?

  package var branch: BranchID { ref.branch }
  package var instance: UUID { ref.instance }
  package var index: UInt32 { ref.index }
  package var digest: Digest { ref.digest }

  /// The order of the Lamport clock, the same on every instance.
  func isBefore(_ other: BlockRow) -> Bool {
    if lamport != other.lamport { return lamport < other.lamport }
    if instance != other.instance { return instance < other.instance }
    return index != other.index ? index < other.index : digest < other.digest
  }
}
