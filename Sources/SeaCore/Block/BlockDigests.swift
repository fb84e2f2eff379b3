/// The digests of a block's parts, computed from the block alone.
///
///     data = SHA-256(SHA-256(heads) ‖ SHA-256(content) ‖ signature)
///
/// The digest of the content is enough to verify the other parts, so the content itself can be removed.
package struct BlockDigests: Sendable {
  package let heads: Digest
  package let content: Digest
  package let data: Digest

  private static let noHeads = SHA256.hash([])

  package init?(_ block: UnsafeRawBufferPointer) {
    guard let header = try? BlockHeader(block), header.blockSize == block.count else { return nil }
    self.init(block, header)
  }

  package init(_ block: UnsafeRawBufferPointer, _ header: BlockHeader) {
    let end = block.count - Payload.signatureSize
    // Most blocks have no heads.
    let heads =
      header.heads == 0
      ? BlockDigests.noHeads
      : SHA256.hash(UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<header.contentStart]))
    let content =
      header.mode.contains(.removed)
      ? Digest(block.baseAddress! + header.contentStart)
      : SHA256.hash(UnsafeRawBufferPointer(rebasing: block[header.contentStart..<end]))
    self.init(heads: heads, content: content, signature: UnsafeRawBufferPointer(rebasing: block[end...]))
  }

  init(heads: Digest, content: Digest, signature: UnsafeRawBufferPointer) {
    (self.heads, self.content) = (heads, content)
    var data = SHA256()
    heads.withBytes { data.update($0) }
    content.withBytes { data.update($0) }
    data.update(signature)
    self.data = data.digest()
  }
}
