import SeaCore

package struct BranchRow: Sendable {
  var key: Int64
  package var id: BranchID
  package var first: UInt32
  /// The digest of the block before `first`, which is in another branch. For block 0, the digest in its header.
  package var previous: Digest
  package var head: BlockRef
  package var lamport: UInt32
  /// The author's clock in the newest block, in milliseconds since 1970.
  package var time: Int64
  /// The index of the last block whose clock is earned, or the index before `first`.
  package var lastProvenIndex: Int64
  /// Whether the clock of the block after `lastProvenIndex` is wrong. If so, that block and later blocks do not count.
  package var isWrong = false

  package var instance: UUID { id.instance }
  package var wrongFrom: UInt32? { isWrong ? UInt32(lastProvenIndex + 1) : nil }
  var isOpen: Bool { !isWrong && lastProvenIndex < Int64(head.index) }
  package var next: UInt32 { key == 0 ? first : head.index &+ 1 }
  package var isNew: Bool { key == 0 }
}

package struct ChainRow: Sendable {
  package var trunk: BranchRow
  package var publicKey: [UInt8]
  package var name: String

  package var instance: UUID { trunk.instance }
  package var head: BlockRef { trunk.head }
  package var lamport: UInt32 { trunk.lamport }
  package var time: Int64 { trunk.time }
}

package struct AppendPoint: Sendable {
  package var trunk: BranchRow?
  package var publicKey: [UInt8]?
  /// Whether another writer uses the chain (see `BranchTable.isContested`).
  package var isContested = false
  /// The greatest Lamport time in the author's main branch and in the heads that the next block refers to.
  package var lamport: UInt32 = 0
  /// The earned heads of other main branches to which the author's blocks do not refer yet.
  package var unannounced: [BlockRef] = []
}
