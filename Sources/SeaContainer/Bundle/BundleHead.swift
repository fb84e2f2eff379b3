import SeaCore

/// The block before the content of a bundle, or the last block of a branch in the bundle (HEAD in sea-bundle(5)).
package struct BundleHead: Equatable, Sendable {
  package var block: BlockRef
  /// The block's Lamport time, which is needed to verify the next block.
  package var lamport: UInt32?
  /// The chain's Ed25519 key, which is needed to verify the next block.
  package var key: [UInt8]?

  package init(_ block: BlockRef, lamport: UInt32? = nil, key: [UInt8]? = nil) {
    self.block = block
    self.lamport = lamport
    self.key = key
  }

  package var branch: BranchID { block.branch }
  package var index: UInt32 { block.index }
}
