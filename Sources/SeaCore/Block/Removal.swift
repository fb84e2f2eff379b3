// What is left of a block that is purged, and what an order has to repeat of it.

extension PurgeOrder {
  /// An order that a block be purged, with what it has to repeat.
  /// - Parameters:
  ///   - header: as the block is handed on.
  ///   - clear: the block, or its clear form.
  package init(_ block: BlockRef, header: BlockHeader, clear: [UInt8]) throws {
    self = try clear.withUnsafeBytes { bytes in
      let payload = try BlockReader.payload(ofKept: bytes)
      let content = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[BlockHeader.size...])
      func text(_ range: Range<Int>) -> String { String(decoding: content[range], as: UTF8.self) }
      let changes = try payload.changes.map { change in
        var merged: [RevisionID] = []
        var cursor = CBORCursor(UnsafeBufferPointer(rebasing: content[change.merged]))
        while !cursor.atEnd { merged.append(try RevisionID(&cursor)) }
        return Revision(
          id: text(change.id), type: change.type.map(text), revision: change.revision, parent: change.parent,
          merged: merged, kind: change.kind)
      }
      return PurgeOrder(block, header: header, heads: payload.heads, changes: changes)
    }
  }
}

extension BlockHeader {
  /// What is left of a block with this header: anybody can make it.
  package func removed(_ digest: Digest) -> [UInt8] {
    var header = self
    header.mode = .removed
    header.payloadSize = UInt32(Digest.size)
    header.data = SHA256.hash(digest.bytes)
    return header.encoded() + digest.bytes
  }
}

/// A removed block as containers have it: what stays in the place of one certain whole block.
package struct RemovedBlock: Sendable {
  package let bytes: [UInt8]
  private let header: BlockHeader
  private let digest: Digest

  /// Nil if the bytes are not a removed block.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Remains.blockSize, let header = bytes.withUnsafeBytes({ try? BlockHeader($0) }),
      header.mode.contains(.removed), let digest = Digest(Array(bytes[BlockHeader.size...]))
    else { return nil }
    (self.bytes, self.header, self.digest) = (bytes, header, digest)
  }

  /// Whether these are all bytes of the block that it stays for.
  package func isLeft(of block: UnsafeRawBufferPointer) -> Bool {
    guard let whole = try? BlockHeader(block), whole.blockSize == block.count, !whole.mode.contains(.removed),
      whole.index == header.index, whole.lamport == header.lamport, whole.previous == header.previous
    else { return false }
    return SHA256.hash(block) == digest
  }
}
