import SeaCore

/// A block that was verified and is to be kept.
package struct VerifiedBlock {
  /// The complete block, header and payload, as others get it.
  package var bytes: UnsafeRawBufferPointer
  /// Of a sealed block that can be read: its header and the clear map.
  package var clear: UnsafeRawBufferPointer?
  package var header: BlockHeader
  package var head: BlockRef
  /// What it says; nil if this program cannot read it. Its ranges count from the start of the payload.
  package var payload: Payload?
  /// Whether its author is not entitled to what it says: it is kept, and not applied.
  package var isHeld = false

  package init(
    bytes: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer? = nil, header: BlockHeader, head: BlockRef,
    payload: Payload?
  ) {
    self.bytes = bytes
    self.clear = clear
    self.header = header
    self.head = head
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

package struct BlockRow: Sendable {
  package var sequence: Int64
  package var instance: UUID
  package var index: UInt32
  package var lamport: UInt32
  package var size: Int
  package var digest: Digest
  /// How many revisions it holds.
  package var changes: Int
  package var state: BlockState
  package var time: Int64
  package var arrived: Int64
  package var label: String?
  /// Of a block in a sibling branch: the number that tells the branch from the others.
  package var fork: UInt32?

  /// The order of the Lamport clock, the same on every instance.
  func isBefore(_ other: BlockRow) -> Bool {
    if lamport != other.lamport { return lamport < other.lamport }
    if instance != other.instance { return instance < other.instance }
    return index != other.index ? index < other.index : digest < other.digest
  }
}
