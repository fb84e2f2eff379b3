// What is left of a block that is purged, and what an order has to repeat of it.

extension PurgeOrder {
  /// An order that a block be purged, with what it has to repeat.
  /// - Parameters:
  ///   - header: that of the block as it is handed on.
  ///   - clear: the block, or its clear form.
  package init(_ instance: UUID, header: BlockHeader, clear: [UInt8]) throws {
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
      return PurgeOrder(instance, header: header, heads: payload.heads, changes: changes)
    }
  }
}

/// A removed block as containers have it: what stays in the place of one certain whole block.
package struct RemovedBlock: Sendable {
  package let bytes: [UInt8]
  private let hash: Digest

  /// Nil if the bytes are not a removed block.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == BlockHeader.size, let header = bytes.withUnsafeBytes({ try? BlockHeader($0) }),
      header.mode.contains(.removed)
    else { return nil }
    (self.bytes, hash) = (bytes, header.hash)
  }

  /// Whether these are all bytes of the block that it stays for.
  package func isLeft(of block: UnsafeRawBufferPointer) -> Bool {
    guard let whole = try? BlockHeader(block), !whole.mode.contains(.removed) else { return false }
    return whole.hash(ofIntact: block) == hash
  }
}
