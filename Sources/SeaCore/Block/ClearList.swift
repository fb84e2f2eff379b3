/// The list of blocks that a block orders to be purged. The list is not encrypted, so no key is needed to read it.
///
///     count (4) ‖ count times: instanceID (16) ‖ index (4) ‖ hash (32)
package enum ClearList {
  package static let mostRows = 65_536

  /// Returns the size of the list in bytes.
  /// - Parameter content: the content, followed by the signature.
  /// - Throws: `badBlock(.badPayload)` if the list is invalid or followed by too few bytes for a block.
  static func size(in content: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode) throws(CoreError) -> Int {
    guard mode.contains(.orders) else { return 0 }
    guard content.count >= 4 else { throw .badBlock(.badPayload) }
    let count = Int(UInt32(bigEndian: content.loadUnaligned(as: UInt32.self)))
    let least = mode.contains(.sealed) ? SealedBlock.overhead : Payload.signatureSize
    guard count >= 1, count <= mostRows, 4 + count * BlockRef.rowSize + least < content.count else {
      throw .badBlock(.badPayload)
    }
    for start in stride(from: 4 + BlockRef.rowSize, to: 4 + count * BlockRef.rowSize, by: BlockRef.rowSize) {
      let (before, row) = (content[start - BlockRef.rowSize..<start], content[start..<start + BlockRef.rowSize])
      guard before.lexicographicallyPrecedes(row) else { throw .badBlock(.badPayload) }
    }
    return 4 + count * BlockRef.rowSize
  }

  static func trustedSize(in content: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode) -> Int {
    guard mode.contains(.orders), content.count >= 4 else { return 0 }
    return min(4 + Int(UInt32(bigEndian: content.loadUnaligned(as: UInt32.self))) * BlockRef.rowSize, content.count)
  }

  /// Returns the offset of the decrypted content, or of its frames, in a validated block or its clear form.
  package static func end(in block: UnsafeRawBufferPointer) throws(CoreError) -> Int {
    let header = try BlockHeader(block)
    guard header.contentStart <= block.count else { throw .badBlock(.badSize) }
    let content = UnsafeRawBufferPointer(rebasing: block[header.contentStart...])
    return header.contentStart + trustedSize(in: content, header.mode)
  }

  /// - Throws: `badBlock(.badPayload)` if the list is invalid.
  package static func blocks(of block: UnsafeRawBufferPointer) throws(CoreError) -> [BlockRef] {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    let content = UnsafeRawBufferPointer(rebasing: block[header.contentStart...])
    return rows(in: content, try size(in: content, header.mode))
  }

  static func rows(in content: UnsafeRawBufferPointer, _ size: Int) -> [BlockRef] {
    size == 0 ? [] : BlockRef.rows(UnsafeRawBufferPointer(rebasing: content[4..<size]))
  }

  package static func write(_ blocks: [BlockRef], into writer: inout ByteWriter) {
    guard !blocks.isEmpty else { return }
    precondition(blocks.count <= mostRows)
    writer.uint32(UInt32(blocks.count))
    for block in blocks.sorted(by: precedes) { block.writeRow(into: &writer) }
  }

  static func precedes(_ x: BlockRef, _ y: BlockRef) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    return x.index != y.index ? x.index < y.index : x.digest < y.digest
  }
}
