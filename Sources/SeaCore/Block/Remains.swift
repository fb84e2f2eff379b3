/// What is known of a removed block: what the order says that allows it. A store keeps it behind the removed block.
///
/// It says of every revision all but the body.
package struct Remains: Sendable {
  /// The block that the order stands in.
  package let source: BlockRef
  /// Without bodies; their ranges count from the end of the header, as those of a whole block do.
  package let changes: [Change]

  /// What is kept of an order that stands in a block.
  package static func encoded(_ order: PurgeOrder, in source: BlockRef) -> [UInt8] {
    var writer = ByteWriter()
    source.writeRow(into: &writer)
    writer.cborArray(order.changes.count)
    for change in order.changes { change.writeRemains(into: &writer) }
    return writer.array()
  }

  /// - Parameter bytes: the removed block and what is kept behind it.
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
  /// The revision, then of the six items of its change all but the body.
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
