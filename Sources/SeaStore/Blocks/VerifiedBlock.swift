import SeaCore

/// A block that was verified and is to be kept.
package struct VerifiedBlock {
  /// The complete block, header and payload, as others get it.
  package var bytes: UnsafeRawBufferPointer
  /// Of a sealed or compressed block that can be read: its clear form.
  package var clear: UnsafeRawBufferPointer?
  /// Of a sealed and compressed block that can be read: header, heads, clear list and frames.
  package var framed: [UInt8]?
  package var header: BlockHeader
  package var ref: BlockRef
  /// What it says; nil if nothing of it can be applied. Its ranges count from the start of the payload.
  package var payload: Payload?
  /// Why not, then.
  package var unread = UnreadReason.notReadable
  /// Whether its author is not entitled to what it says: it is kept, and not applied.
  package var isHeld = false
  /// Whether nothing vouches for the key that opened it: its changes are not applied.
  package var isHidden = false

  package init(
    bytes: UnsafeRawBufferPointer, clear: UnsafeRawBufferPointer? = nil, framed: [UInt8]? = nil, header: BlockHeader,
    _ ref: BlockRef, payload: Payload?
  ) {
    self.bytes = bytes
    self.clear = clear
    self.framed = framed
    self.header = header
    self.ref = ref
    self.payload = payload
  }

  /// Hands over a block with what was read of it.
  /// - Parameter bytes: the complete block, which was verified.
  package static func with<Result>(
    _ bytes: [UInt8], _ header: BlockHeader, _ ref: BlockRef, _ content: BlockContent,
    _ body: (inout VerifiedBlock) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { bytes in
      var block = VerifiedBlock(bytes: bytes, framed: content.framed, header: header, ref, payload: content.payload)
      if let fault = content.fault { block.unread = UnreadReason(fault) }
      block.isHidden = content.isHidden
      guard content.payload != nil, let clear = content.clear else { return try body(&block) }
      return try clear.withUnsafeBytes {
        block.clear = $0
        return try body(&block)
      }
    }
  }
}
