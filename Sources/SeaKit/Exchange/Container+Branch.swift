import SeaContainer
import SeaCore

extension Container {
  /// The hash of a block and what it names as previous; nil if it is not there, or not whole.
  func identity(of chain: BranchID, at index: UInt32) throws -> (digest: Digest, previous: Digest)? {
    var found: (digest: Digest, previous: Digest)?
    _ = try readBlocks(of: chain, from: index) { _, bytes in
      if let header = try? BlockHeader(bytes), header.blockSize == bytes.count {
        found = (Database.digest(of: bytes, header), header.previous)
      }
      return false
    }
    return found
  }

  /// The smallest index that the container names for a chain: 0, but of a fork's branch where it leaves another one.
  func firstIndex(of chain: BranchID) throws -> UInt32? {
    guard let last = try lastIndex(of: chain) else { return nil }
    if chain.fork == nil { return 0 }
    // Where the last run of blocks begins: mostly there is one.
    var low: UInt32 = 0
    var high = last
    while low < high {
      let middle = low + (high - low) / 2
      if try has(chain, middle) { high = middle } else { low = middle + 1 }
    }
    if let found = try identity(of: chain, at: high), BranchID(chain.instance, forkedAt: found.digest) == chain {
      return high
    }
    return try (0...last).first { try has(chain, $0) }
  }

  /// Hands over a chain from its first block on; before the blocks of a fork's branch those of the branches that lead
  /// to it.
  func readChain(
    _ chain: BranchID, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    guard chain.fork != nil else { return try readBlocks(of: chain, from: 0, body) }
    let tree = try BranchTree(self, chain.instance)
    guard let at = tree.index(of: chain) else { return .end(next: 0) }
    var path = tree.path(to: at)
    // What it left is not here: it is held against the trunk, which it does not follow.
    if path[0].branch.first > 0 {
      guard let trunk = tree.index(of: BranchID(chain.instance)) else {
        return .gap(index: 0, later: tree.branches[at].last)
      }
      path.insert((tree.branches[trunk], path[0].branch.first - 1), at: 0)
    }
    for (branch, last) in path {
      let end = try readBlocks(of: branch.chain, from: branch.first) { index, bytes in
        guard index <= last || branch.chain == chain else { return false }
        return try body(index, bytes)
      }
      if branch.chain == chain { return end }
      if end == .end(next: last + 1) || end == .stopped(next: last + 1) { continue }
      if case .end(let next) = end { return .gap(index: next, later: tree.branches[at].last) }
      return end
    }
    return .end(next: 0)
  }
}

extension Database {
  /// The hash of a block; of a removed one that of the block which stood there.
  static func digest(of block: UnsafeRawBufferPointer, _ header: BlockHeader) -> Digest {
    header.mode.contains(.removed) ? Digest(block.baseAddress! + BlockHeader.size) : SHA256.hash(block)
  }
}
