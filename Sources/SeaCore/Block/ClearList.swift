/// The blocks that a block orders to be purged, in front of what may be sealed or compressed: who has no key sees them too.
///
///     count (4) ‖ count times: instanceID (16) ‖ index (4) ‖ hash (32)
package enum ClearList {
  package static let mostRows = 65_536

  /// How many bytes of a content are such a list.
  /// - Parameter content: with the signature behind it.
  /// - Throws: `badBlock(.badPayload)` if it is none, or if less is behind it than any block has.
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

  /// The same of a list that was looked at before.
  static func trustedSize(in content: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode) -> Int {
    guard mode.contains(.orders), content.count >= 4 else { return 0 }
    return min(4 + Int(UInt32(bigEndian: content.loadUnaligned(as: UInt32.self))) * BlockRef.rowSize, content.count)
  }

  /// Where the clear array, or its frames, begin in a block, or in its clear form, that was looked at before.
  package static func end(in block: UnsafeRawBufferPointer) throws(CoreError) -> Int {
    let header = try BlockHeader(block)
    guard header.contentStart <= block.count else { throw .badBlock(.badSize) }
    let content = UnsafeRawBufferPointer(rebasing: block[header.contentStart...])
    return header.contentStart + trustedSize(in: content, header.mode)
  }

  /// The blocks that a block orders to be purged, as anybody can see.
  /// - Throws: `badBlock(.badPayload)` if the list is none.
  package static func blocks(of block: UnsafeRawBufferPointer) throws(CoreError) -> [BlockRef] {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    let content = UnsafeRawBufferPointer(rebasing: block[header.contentStart...])
    return rows(in: content, try size(in: content, header.mode))
  }

  /// Those of a list of so many bytes.
  static func rows(in content: UnsafeRawBufferPointer, _ size: Int) -> [BlockRef] {
    size == 0 ? [] : BlockRef.rows(UnsafeRawBufferPointer(rebasing: content[4..<size]))
  }

  /// Nothing for no blocks.
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
