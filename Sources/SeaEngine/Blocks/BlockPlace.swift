import SeaCore
import SeaStore

/// A place with blocks, the own store or a container, as needed to compare it with another one. The data of a container
/// is not verified here.
///
/// Places may disagree which of two branches is the main branch. Therefore branches are compared by their blocks. If
/// two blocks are equal, all blocks before them are too, because each block has the digest of the previous one.
protocol BlockPlace {
  /// Returns an index that no block of the instance here exceeds; nil if there is no block.
  func end(of instance: UUID) throws -> UInt32?
  /// Returns the digests of a block and of the one before it; nil if the block is missing or not whole.
  func link(_ branch: BranchID, _ index: UInt32) throws -> BlockLink?
  /// Returns the branch in which this place has a block; nil if it lacks the block.
  func branch(of block: BlockRef) throws -> BranchID?
}

/// The digests of a block and of the one before it.
struct BlockLink {
  var digest: Digest
  var previous: Digest
}

/// The part of a branch that another place has.
enum Overlap: Equatable {
  /// No block, and the branch begins with block 0.
  case none
  /// Every block up to an index, which is on the given branch of the other place.
  case upTo(UInt32, in: BranchID)
  /// No block, and the block before the branch, at this index, is missing there, too.
  case orphan(UInt32)
}

extension BlockPlace {
  /// Returns how much of a branch of `other` this place has.
  func overlap(with run: BlockRun, of other: BlockPlace) throws -> Overlap {
    func found(_ index: UInt32) throws -> BranchID? {
      guard let link = try other.link(run.branch, index) else { return nil }
      return try branch(of: BlockRef(run.branch, index: index, digest: link.digest))
    }
    // Blocks that this place cannot have are not read.
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

  /// Returns the place of the block before a branch that is entirely missing here.
  private func base(of run: BlockRun, in other: BlockPlace) throws -> Overlap {
    guard run.first > 0 else { return .none }
    guard let link = try other.link(run.branch, run.first),
      let there = try branch(of: BlockRef(run.branch, index: run.first - 1, digest: link.previous))
    else { return .orphan(run.first - 1) }
    return .upTo(run.first - 1, in: there)
  }
}

extension Store: BlockPlace {
  /// For a chain with several branches, `.max` is cheaper than computing the end.
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
