import SeaCore
import SeaStore

/// A place that has blocks, our own store or a container, as far as it takes to hold it against another one. What a
/// container says is not verified.
///
/// Which of two branches is the trunk may differ between places. So they are held against each other by what the blocks
/// are: from two that are equal on everything is equal downwards, as each block holds the digest of the one before it.
protocol BlockPlace {
  /// An index that no block of an instance here is behind; nil if there is none of it.
  func end(of instance: UUID) throws -> UInt32?
  /// What a block is and what it names as the one before it; nil if it is not there, or not whole.
  func link(_ branch: BranchID, _ index: UInt32) throws -> BlockLink?
  /// The branch in which this place has a block; nil if it has not.
  func branch(of block: BlockRef) throws -> BranchID?
}

/// A block as it is found at a place.
struct BlockLink {
  var digest: Digest
  var previous: Digest
}

/// How much of a branch another place has.
enum Overlap: Equatable {
  /// Nothing, and the branch begins with block 0.
  case none
  /// Everything up to an index, which the other place has at the end of the way along that branch of its own.
  case upTo(UInt32, in: BranchID)
  /// Nothing, and what stands before the branch is not there either: the block of that index.
  case orphan(UInt32)
}

extension BlockPlace {
  /// How much of a branch of `other` this place has.
  func overlap(with run: BlockRun, of other: BlockPlace) throws -> Overlap {
    func found(_ index: UInt32) throws -> BranchID? {
      guard let link = try other.link(run.branch, index) else { return nil }
      return try branch(of: BlockRef(run.branch, index: index, digest: link.digest))
    }
    // No look at what this place cannot have.
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

  /// Where the block before a branch is, of which nothing is here.
  private func base(of run: BlockRun, in other: BlockPlace) throws -> Overlap {
    guard run.first > 0 else { return .none }
    guard let link = try other.link(run.branch, run.first),
      let there = try branch(of: BlockRef(run.branch, index: run.first - 1, digest: link.previous))
    else { return .orphan(run.first - 1) }
    return .upTo(run.first - 1, in: there)
  }
}

extension Store: BlockPlace {
  /// Of several branches nothing is worked out: one look more at what is asked for costs less.
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
