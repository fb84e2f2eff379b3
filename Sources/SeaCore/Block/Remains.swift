/// What is known of a removed block: what the order says that allows it. A store keeps it behind the header that is left of the block.
///
/// It says of every revision all but the body, and which heads the block named.
package struct Remains: Sendable {
  /// The block that the order stands in.
  package let source: BlockRef
  package let heads: [BlockRef]
  /// Without bodies; their ranges count from the end of the header, as those of a whole block do.
  package let changes: [Change]

  /// What is kept of an order that stands in a block.
  package static func encoded(_ order: PurgeOrder, in source: BlockRef) -> [UInt8] {
    var writer = ByteWriter()
    source.instance.withBytes { writer.append($0) }
    writer.uint32(source.index)
    source.digest.withBytes { writer.append($0) }
    writer.cborHeads(order.heads)
    writer.cborArray(order.changes.count)
    for change in order.changes { change.writeRemains(into: &writer) }
    return writer.array()
  }

  /// - Parameter bytes: the removed block and what is kept behind it.
  package init(ofKept bytes: UnsafeRawBufferPointer) throws(CoreError) {
    guard let source = Remains.source(ofKept: bytes) else { throw .badBlock(.badSize) }
    self.source = source
    var cursor = CBORCursor(
      UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...]).bindMemory(to: UInt8.self),
      at: Remains.sourceSize)
    heads = try Payload.heads(&cursor)
    let count = try cursor.count(4, least: 6)
    var changes: [Change] = []
    changes.reserveCapacity(count)
    for _ in 0..<count { changes.append(try Change(remains: &cursor)) }
    guard cursor.atEnd else { throw cursor.fail(.trailingBytes) }
    self.changes = changes
  }

  /// The block that the order stands in; nil if nothing is kept.
  package static func source(ofKept bytes: UnsafeRawBufferPointer) -> BlockRef? {
    guard bytes.count >= BlockHeader.size + sourceSize, let base = bytes.baseAddress else { return nil }
    let start = base + BlockHeader.size
    return BlockRef(
      instance: UUID(start), index: UInt32(bigEndian: start.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
      digest: Digest(start + 20))
  }

  package static let sourceSize = 16 + 4 + Digest.size
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
