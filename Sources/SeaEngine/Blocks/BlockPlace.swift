import SeaCore
import SeaStore

/// A store or container whose blocks can be compared with those in another place. The blocks in a container are not
/// verified.
///
/// Two places may disagree about which branch is the main branch, so branches are compared by their blocks. If two
/// blocks are equal, so are all earlier blocks, because each block contains the digest of the previous block.
protocol BlockPlace {
  /// Returns an upper bound for the indexes of an instance's blocks; nil if the instance has no blocks here.
  func end(of instance: UUID) throws -> UInt32?
  /// Returns nil if the block is missing or incomplete.
  func link(_ branch: BranchID, _ index: UInt32) throws -> BlockLink?
  /// Returns the branch in which this place stores a block; nil if the block is missing.
  func branch(of block: BlockRef) throws -> BranchID?
}

struct BlockLink {
  var digest: Digest
  var previous: Digest
}

/// How much of a branch exists in another place.
enum Overlap: Equatable {
  /// The other place has no block of the branch, which begins with block 0.
  case none
  /// The other place has every block up to an index, on the given branch.
  case upTo(UInt32, in: BranchID)
  /// The other place has no block of the branch. It also lacks the block at this index, which precedes the branch.
  case orphan(UInt32)
}

extension BlockPlace {
  /// Returns how much of another place's branch also exists in this place.
  func overlap(with run: BlockRun, of other: BlockPlace) throws -> Overlap {
    func found(_ index: UInt32) throws -> BranchID? {
      guard let link = try other.link(run.branch, index) else { return nil }
      return try branch(of: BlockRef(run.branch, index: index, digest: link.digest))
    }
    // Skip blocks that this place cannot have.
    let end = try end(of: run.branch.instance)
    guard let end, end >= run.first else { return try base(of: run, in: other) }
    var high = min(run.last, end)
    if let there = try found(high) { return .upTo(high, in: there) }
    guard high > run.first, var there = try found(run.first) else { return try base(of: run, in: other) }
    var low = run.first
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let branch = try found(middle) { (low, there) = (middle, branch) } else { high = middle }
    }
    return .upTo(low, in: there)
  }

  private func base(of run: BlockRun, in other: BlockPlace) throws -> Overlap {
    guard run.first > 0 else { return .none }
    guard let link = try other.link(run.branch, run.first),
      let there = try branch(of: BlockRef(run.branch, index: run.first - 1, digest: link.previous))
    else { return .orphan(run.first - 1) }
    return .upTo(run.first - 1, in: there)
  }
}

extension Store: BlockPlace {
  /// For a chain with several branches, `.max` is cheaper than finding the actual end.
  func end(of instance: UUID) throws -> UInt32? {
    guard let trunk = try branches.branch(BranchID(instance)) else { return nil }
    return try branches.isForked(instance) ? .max : trunk.head.index
  }

  func link(_ branch: BranchID, _ index: UInt32) throws -> BlockLink? {
    guard let row = try blocks.block(branch, index) else { return nil }
    let before = index == 0 ? nil : try branches.ancestor(of: row, at: index - 1)
    return BlockLink(digest: row.digest, previous: before?.digest ?? .zero)
  }

  func branch(of block: BlockRef) throws -> BranchID? { try blocks.block(block)?.branch }
}
