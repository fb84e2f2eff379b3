import SeaCore

/// A branch of a chain as this instance keeps it: the trunk, or what left it or another branch.
package struct BranchRow: Sendable {
  /// The id in the table; 0 for one that is to begin with the next block.
  var key: Int64
  package var id: BranchID
  package var first: UInt32
  /// The digest of the block before the first, which is in another branch; of block 0, what stands in its place.
  package var previous: Digest
  package var head: BlockRef
  package var lamport: UInt32
  /// The author's clock in the newest block, milliseconds since 1970.
  package var time: Int64
  /// The last block whose clock is earned; the one before the first if none is.
  package var earned: Int64
  /// Whether the clock of the block behind `earned` is wrong: from there on nothing counts.
  package var isWrong = false

  package var instance: UUID { id.instance }
  /// Where the clock is wrong.
  package var wrongFrom: UInt32? { isWrong ? UInt32(earned + 1) : nil }
  /// Whether a clock is yet to be looked at.
  var isOpen: Bool { !isWrong && earned < Int64(head.index) }
  package var next: UInt32 { key == 0 ? first : head.index &+ 1 }
  /// Whether the next block begins it.
  package var isNew: Bool { key == 0 }
}

/// What this instance knows of whose chain it is, with its trunk.
package struct ChainRow: Sendable {
  package var trunk: BranchRow
  /// Ed25519.
  package var publicKey: [UInt8]
  package var name: String

  package var instance: UUID { trunk.instance }
  package var head: BlockRef { trunk.head }
  package var lamport: UInt32 { trunk.lamport }
  package var time: Int64 { trunk.time }
}

/// Where the next block of an author goes, and what it has to take into account.
package struct AppendPoint: Sendable {
  /// The own trunk; nil if the chain has not begun.
  package var trunk: BranchRow?
  /// Ed25519; nil if the chain had not begun.
  package var publicKey: [UInt8]?
  /// Whether somebody else writes to the chain: see `BranchTable.isContested`.
  package var isContested = false
  /// What the next block's Lamport time follows from: the greatest of the own trunk and of the heads that it names.
  package var lamport: UInt32 = 0
  /// The heads of other trunks that are earned and that no block of the author has named yet, by instance.
  package var unannounced: [BlockRef] = []
}
