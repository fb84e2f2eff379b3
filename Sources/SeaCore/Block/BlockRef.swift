/// A block by what it is: whose, at which index, with which content; and the branch in which it lies at some place.
///
/// Two are equal if they are the same block, whatever the places that name them call their branches.
package struct BlockRef: Hashable, Sendable, CustomStringConvertible {
  package var branch: BranchID
  package var index: UInt32
  /// The hash of the block: SHA-256 of its header.
  package var digest: Digest

  package init(_ branch: BranchID, index: UInt32, digest: Digest) {
    self.branch = branch
    self.index = index
    self.digest = digest
  }

  /// For where branches have no names, as in blocks.
  package init(instance: UUID, index: UInt32, digest: Digest) {
    self.init(BranchID(instance), index: index, digest: digest)
  }

  package var instance: UUID { branch.instance }

  /// `INSTANCE/INDEX`, or `INSTANCE~DIGITS/INDEX`.
  package var description: String { "\(branch)/\(index)" }
  /// What people see behind the name of the instance.
  package var tail: String { "\(branch.tail)/\(index)" }

  package static func == (x: BlockRef, y: BlockRef) -> Bool {
    x.index == y.index && x.digest == y.digest && x.instance == y.instance
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(digest)
  }
}

// Rows of 52 bytes, as heads and clear lists have them: instanceID (16) ‖ index (4) ‖ hash (32).

extension BlockRef {
  package static let rowSize = 16 + 4 + Digest.size

  /// The blocks that rows name.
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
  /// The heads that a block names, which anybody can read.
  /// - Parameter block: at least the bytes up to its content.
  package func heads(in block: UnsafeRawBufferPointer) -> [BlockRef] {
    heads == 0 ? [] : BlockRef.rows(UnsafeRawBufferPointer(rebasing: block[BlockHeader.size..<contentStart]))
  }

  /// Whether heads ascend by instance, none of them the author's own, and each is a block that there may be.
  func areSound(_ heads: [BlockRef], of author: UUID) -> Bool {
    heads.allSatisfy { $0.instance != author && $0.index < .max }
      && zip(heads, heads.dropFirst()).allSatisfy { $0.instance < $1.instance }
  }
}
