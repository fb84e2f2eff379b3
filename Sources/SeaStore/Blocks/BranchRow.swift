import SeaCore

/// A branch of a chain in this store: the main branch, or a fork branch.
package struct BranchRow: Sendable {
  /// The id in the table; 0 if the next block begins the branch.
  var key: Int64
  package var id: BranchID
  package var first: UInt32
  /// The digest of the block before the first, which is in another branch; for block 0, the value of its header field.
  package var previous: Digest
  package var head: BlockRef
  package var lamport: UInt32
  /// The author's clock in the newest block, in milliseconds since 1970.
  package var time: Int64
  /// The index of the last block with an earned clock; otherwise one before the first block.
  package var earned: Int64
  /// Whether the clock of the block after `earned` is wrong; no block from there on counts.
  package var isWrong = false

  package var instance: UUID { id.instance }
  /// The first index with a wrong clock.
  package var wrongFrom: UInt32? { isWrong ? UInt32(earned + 1) : nil }
  /// Whether a clock is not yet judged.
  var isOpen: Bool { !isWrong && earned < Int64(head.index) }
  package var next: UInt32 { key == 0 ? first : head.index &+ 1 }
  package var isNew: Bool { key == 0 }
}

/// An instance's data and its main branch.
package struct ChainRow: Sendable {
  package var trunk: BranchRow
  /// The Ed25519 key.
  package var publicKey: [UInt8]
  package var name: String

  package var instance: UUID { trunk.instance }
  package var head: BlockRef { trunk.head }
  package var lamport: UInt32 { trunk.lamport }
  package var time: Int64 { trunk.time }
}

/// The position of an author's next block, and the values that it depends on.
package struct AppendPoint: Sendable {
  /// The author's main branch; nil if the chain has not begun.
  package var trunk: BranchRow?
  /// The Ed25519 key; nil if the chain had not begun.
  package var publicKey: [UInt8]?
  /// Whether another writer uses the chain: see `BranchTable.isContested`.
  package var isContested = false
  /// The greatest Lamport time of the author's main branch and of the heads that the next block names.
  package var lamport: UInt32 = 0
  /// The earned heads of other main branches that no block of the author has named yet, by instance.
  package var unannounced: [BlockRef] = []
}
