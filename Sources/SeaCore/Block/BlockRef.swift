/// A block by what it is: whose, at which index, with which content; and the branch in which it lies at some place.
///
/// Two are equal if they are the same block, whatever the places that name them call their branches.
package struct BlockRef: Hashable, Sendable, CustomStringConvertible {
  package var branch: BranchID
  package var index: UInt32
  /// SHA-256 of the complete block, as stored; of a removed block that of the one which stood there.
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
