/// Identifies a block by instance, index and hash, and names a branch that contains it. Comparisons ignore the branch.
package struct BlockRef: Hashable, Sendable, CustomStringConvertible {
  package var branch: BranchID
  package var index: UInt32
  package var digest: Digest

  package init(_ branch: BranchID, index: UInt32, digest: Digest) {
    self.branch = branch
    self.index = index
    self.digest = digest
  }

  /// Creates a reference without a branch name, as used within blocks.
  package init(instance: UUID, index: UInt32, digest: Digest) {
    self.init(BranchID(instance), index: index, digest: digest)
  }

  package var instance: UUID { branch.instance }

  /// `INSTANCE/INDEX`, or `INSTANCE~DIGITS/INDEX`.
  package var description: String { "\(branch)/\(index)" }
  package var tail: String { "\(branch.tail)/\(index)" }

  package static func == (x: BlockRef, y: BlockRef) -> Bool {
    x.index == y.index && x.digest == y.digest && x.instance == y.instance
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(digest)
  }
}

// Heads and clear lists consist of rows of 52 bytes: instanceID (16) ‖ index (4) ‖ hash (32).

extension BlockRef {
  package static let rowSize = 16 + 4 + Digest.size

  package static func rows(_ bytes: UnsafeRawBufferPointer) -> [BlockRef] {
    stride(from: 0, to: bytes.count, by: rowSize).map { start in
      let row = bytes.baseAddress! + start
      return BlockRef(
        instance: UUID(row), index: UInt32(bigEndian: row.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
        digest: Digest(row + 20))
    }
  }

  package func writeRow(into writer: inout ByteWriter) {
    instance.withBytes { writer.append($0) }
    writer.uint32(index)
    digest.withBytes { writer.append($0) }
  }
}

extension BlockHeader {
  /// - Parameter block: the block, or at least the bytes before its content.
  package func heads(in block: UnsafeRawBufferPointer) -> [BlockRef] {
    heads == 0 ? [] : BlockRef.rows(UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<contentStart]))
  }

  /// Whether the heads are sorted by instance, do not include the author's instance, and have valid indices.
  func areSound(_ heads: [BlockRef], of author: UUID) -> Bool {
    heads.allSatisfy { $0.instance != author && $0.index < .max }
      && zip(heads, heads.dropFirst()).allSatisfy { $0.instance < $1.instance }
  }
}
