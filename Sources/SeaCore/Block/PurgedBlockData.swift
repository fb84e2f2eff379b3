/// The data about a removed block that outlives its content, which is each revision without the body. Stores copy the
/// data from the purge order and keep it directly after the removed block.
package struct PurgedBlockData: Sendable {
  package let source: BlockRef
  /// The changes without bodies. Ranges are relative to the end of the header, as in a complete block.
  package let changes: [Change]

  package static func encoded(_ order: PurgeOrder, in source: BlockRef) -> [UInt8] {
    var writer = ByteWriter()
    source.writeRow(into: &writer)
    writer.cborArray(order.changes.count)
    for change in order.changes { change.writeRemains(into: &writer) }
    return writer.array()
  }

  /// - Parameter bytes: the removed block, followed by the data that the store keeps about it.
  package init(ofKept bytes: UnsafeRawBufferPointer) throws(CoreError) {
    let start = try BlockHeader(bytes).blockSize
    guard bytes.count >= start + BlockRef.rowSize else { throw .badBlock(.badSize) }
    source = BlockRef.rows(UnsafeRawBufferPointer(rebasing: bytes[start..<start + BlockRef.rowSize]))[0]
    var cursor = CBORCursor(
      UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...]).bindMemory(to: UInt8.self),
      at: start - BlockHeader.size + BlockRef.rowSize)
    let count = try cursor.count(4, least: 6)
    var changes: [Change] = []
    changes.reserveCapacity(count)
    for _ in 0..<count { changes.append(try Change(remains: &cursor)) }
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    self.changes = changes
  }
}

extension PurgeOrder.Revision {
  fileprivate func writeRemains(into w: inout ByteWriter) {
    revision.write(into: &w)
    w.cborText(id)
    if let type { w.cborText(type) } else { w.cborNull() }
    if let parent { parent.write(into: &w) } else { w.cborNull() }
    w.cborArray(merged.count)
    for one in merged { one.write(into: &w) }
    w.cborText(kind.rawValue)
  }
}
