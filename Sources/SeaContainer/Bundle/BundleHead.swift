import SeaCore

/// A block that a bundle starts behind, or that ends one of its branches: a HEAD of sea-bundle(5).
package struct BundleHead: Equatable, Sendable {
  package var block: BlockRef
  /// Of the block; so that what follows it can be verified from here.
  package var lamport: UInt32?
  /// The Ed25519 key of the chain, 32 bytes, for the same.
  package var key: [UInt8]?

  package init(_ block: BlockRef, lamport: UInt32? = nil, key: [UInt8]? = nil) {
    self.block = block
    self.lamport = lamport
    self.key = key
  }

  package var branch: BranchID { block.branch }
  package var index: UInt32 { block.index }
}
