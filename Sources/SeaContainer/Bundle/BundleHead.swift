import SeaCore

/// A block before the content of a bundle, or at the end of a branch in the bundle: a HEAD of sea-bundle(5).
package struct BundleHead: Equatable, Sendable {
  package var block: BlockRef
  /// The Lamport time of the block, needed to verify the next block.
  package var lamport: UInt32?
  /// The Ed25519 key of the chain, needed to verify the next block.
  package var key: [UInt8]?

  package init(_ block: BlockRef, lamport: UInt32? = nil, key: [UInt8]? = nil) {
    self.block = block
    self.lamport = lamport
    self.key = key
  }

  package var branch: BranchID { block.branch }
  package var index: UInt32 { block.index }
}
