import SeaCore

package struct VerifiedBlock {
  /// The complete block, header and payload, in the form that other instances receive.
  package var bytes: UnsafeRawBufferPointer
  /// The plain form of the block, if the block is readable and is encrypted or compressed.
  package var clear: UnsafeRawBufferPointer?
  /// The header, heads, clear list and frames, if the block is readable and is both encrypted and compressed.
  package var framed: [UInt8]?
  package var header: BlockHeader
  package var ref: BlockRef
  /// The content, or nil if this program cannot apply any of it. Ranges are relative to the start of the payload.
  package var payload: Payload?
  package var unread = UnreadReason.notReadable
  package var isPending = false
  /// Whether the block's changes are not applied because no trusted instance vouches for its key.
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
