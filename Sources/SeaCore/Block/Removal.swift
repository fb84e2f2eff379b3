extension PurgeOrder {
  /// - Parameter clear: the block or its clear form.
  package init(_ block: BlockRef, clear: [UInt8]) throws {
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
      return PurgeOrder(block, changes: changes)
    }
  }
}

package struct RemovedBlock: Sendable {
  package let bytes: [UInt8]
  /// The size of the complete block that the removed block replaces.
  package let wholeSize: Int
  private let hash: Digest

  package init?(_ bytes: [UInt8]) {
    let read = bytes.withUnsafeBytes { bytes in
      (try? BlockHeader(bytes)).flatMap { header in
        header.mode.contains(.removed) ? header.hash(ofIntact: bytes).map { (header.wholeSize, $0) } : nil
      }
    }
    guard let read else { return nil }
    (self.bytes, (wholeSize, hash)) = (bytes, read)
  }

  /// Whether removing the content of the given complete block yields this removed block.
  package func isLeft(of block: UnsafeRawBufferPointer) -> Bool {
    (try? BlockHeader(block).isWhole(block, hash)) ?? false
  }
}
