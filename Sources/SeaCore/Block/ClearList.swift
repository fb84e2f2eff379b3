/// The blocks that a block orders to be purged, in front of what may be sealed or compressed: who has no key sees them too.
///
///     count (4) ‖ count times: instanceID (16) ‖ index (4) ‖ hash (32)
package enum ClearList {
  package static let mostRows = 65_536
  static let rowSize = 16 + 4 + Digest.size

  /// How many bytes of a payload are such a list.
  /// - Parameter payload: with the signature.
  /// - Throws: `badBlock(.badPayload)` if it is none, or if less is behind it than any block has.
  static func size(in payload: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode) throws(CoreError) -> Int {
    guard mode.contains(.orders) else { return 0 }
    guard payload.count >= 4 else { throw .badBlock(.badPayload) }
    let count = Int(UInt32(bigEndian: payload.loadUnaligned(as: UInt32.self)))
    let least = mode.contains(.sealed) ? SealedBlock.overhead : Payload.signatureSize
    guard count >= 1, count <= mostRows, 4 + count * rowSize + least < payload.count else {
      throw .badBlock(.badPayload)
    }
    for start in stride(from: 4 + rowSize, to: 4 + count * rowSize, by: rowSize) {
      let (before, row) = (payload[start - rowSize..<start], payload[start..<start + rowSize])
      guard before.lexicographicallyPrecedes(row) else { throw .badBlock(.badPayload) }
    }
    return 4 + count * rowSize
  }

  /// The same of a list that was looked at before.
  static func trustedSize(in payload: UnsafeRawBufferPointer, _ mode: BlockHeader.Mode) -> Int {
    guard mode.contains(.orders), payload.count >= 4 else { return 0 }
    return min(4 + Int(UInt32(bigEndian: payload.loadUnaligned(as: UInt32.self))) * rowSize, payload.count)
  }

  /// Where the clear array, or its frames, begin in a block, or in its clear form, that was looked at before.
  package static func end(in block: UnsafeRawBufferPointer) throws(CoreError) -> Int {
    let mode = try BlockHeader(block).mode
    return BlockHeader.size + trustedSize(in: UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...]), mode)
  }

  /// The blocks that a block orders to be purged, as anybody can see.
  /// - Throws: `badBlock(.badPayload)` if the list is none.
  package static func blocks(of block: UnsafeRawBufferPointer) throws(CoreError) -> [BlockRef] {
    let header = try BlockHeader(block)
    guard block.count == header.blockSize else { throw .badBlock(.badSize) }
    let payload = UnsafeRawBufferPointer(rebasing: block[BlockHeader.size...])
    return rows(in: payload, try size(in: payload, header.mode))
  }

  /// Those of a list of so many bytes.
  static func rows(in payload: UnsafeRawBufferPointer, _ size: Int) -> [BlockRef] {
    stride(from: 4, to: size, by: rowSize).map { start in
      let row = payload.baseAddress! + start
      return BlockRef(
        instance: UUID(row), index: UInt32(bigEndian: row.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
        digest: Digest(row + 20))
    }
  }

  /// Nothing for no blocks.
  package static func write(_ blocks: [BlockRef], into writer: inout ByteWriter) {
    guard !blocks.isEmpty else { return }
    precondition(blocks.count <= mostRows)
    writer.uint32(UInt32(blocks.count))
    for block in blocks.sorted(by: precedes) {
      block.instance.withBytes { writer.append($0) }
      writer.uint32(block.index)
      block.digest.withBytes { writer.append($0) }
    }
  }

  static func precedes(_ x: BlockRef, _ y: BlockRef) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    return x.index != y.index ? x.index < y.index : x.digest < y.digest
  }
}
