import SeaCore

/// A block that was verified and is to be kept.
package struct VerifiedBlock {
  /// The complete block, header and payload, as others get it.
  package var bytes: UnsafeRawBufferPointer
  /// Of a sealed block that can be read: its clear form.
  package var clear: UnsafeRawBufferPointer?
  package var header: BlockHeader
  package var ref: BlockRef
  /// What it says; nil if nothing of it can be applied. Its ranges count from the start of the payload.
  package var payload: Payload?
  /// Why not, then.
  package var unread = UnreadReason.notReadable
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
