import SeaCore

/// A block that a bundle starts behind, or that ends one of its chains.
package struct BundleHead: Equatable, Sendable {
  package var chain: ChainName
  package var index: UInt32
  /// The hash of the block.
  package var digest: Digest
  /// Of the block; so that the chain behind it can be verified from here.
  package var lamport: UInt32?
  /// The Ed25519 key of the chain, 32 bytes, for the same.
  package var key: [UInt8]?

  package init(chain: ChainName, index: UInt32, digest: Digest, lamport: UInt32? = nil, key: [UInt8]? = nil) {
    self.chain = chain
    self.index = index
    self.digest = digest
    self.lamport = lamport
    self.key = key
  }
}
