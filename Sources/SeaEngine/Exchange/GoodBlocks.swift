import SeaContainer
import SeaCore
import SeaStore

/// A source of valid blocks to copy: the local store, or a container whose chains were verified. Branches have the
/// names that the source uses.
protocol GoodBlocks {
  /// Returns the branches of an instance with their heads: the main branch first, and each base before its forks.
  func branches(of instance: UUID) throws -> [GoodBranch]
  /// Returns the source's reference to a block; nil if the source lacks it.
  func find(_ block: BlockRef) throws -> BlockRef?
  /// Returns the block before the first block of a branch; nil for a branch from block 0, or if the base is missing.
  func base(of branch: BranchID) throws -> BlockRef?
  /// Returns the runs that lead from an index to a block and end with it.
  func way(to block: BlockRef, from first: UInt32) throws -> [BlockRun]
  func outlines(_ run: BlockRun) throws -> [BlockOutline]
  /// Returns a block in the form that others receive.
  /// - Throws: if the block is damaged here.
  func bytes(_ branch: BranchID, _ index: UInt32) throws -> [UInt8]
  /// Returns the verifier for the block after another one, or for block 0.
  func verifier(behind block: BlockRef?, of instance: UUID) throws -> ChainVerifier
  /// Returns whether an authorized instance ordered that a block be purged.
  func isOrdered(_ block: BlockRef) throws -> Bool
}

struct GoodBranch {
  var run: BlockRun
  var head: BlockRef
}

extension GoodBlocks {
  /// Returns the block at an index on the way to another block.
  func ancestor(of block: BlockRef, at index: UInt32) throws -> BlockRef? {
    guard index <= block.index, let run = try way(to: block, from: index).first, run.first == index else { return nil }
    return try outlines(BlockRun(run.branch, first: index, last: index)).first.map {
      BlockRef(run.branch, index: index, digest: $0.digest)
    }
  }

  /// Returns the outlines of a range of blocks on the way to a block.
  func outlines(_ range: ClosedRange<UInt32>, to block: BlockRef) throws -> [BlockOutline] {
    try way(to: block, from: range.lowerBound).flatMap { run in
      run.first > range.upperBound
        ? [] : try outlines(BlockRun(run.branch, first: run.first, last: min(run.last, range.upperBound)))
    }
  }
}

/// The local store, as far as it may be handed over.
struct StoreBlocks: GoodBlocks {
  let folder: SeaFolder
  let ordered: OrderedBlocks
  /// Purged blocks without a valid order; neither they nor later blocks are handed over.
  var unsound: [BlockRow] = []

  private var store: Store { folder.store }

  func branches(of instance: UUID) throws -> [GoodBranch] {
    try store.branches.branches(of: instance).compactMap { branch in
      try sound(branch).map { GoodBranch(run: $0.run, head: $0.head) }
    }
  }

  /// Returns the part of a branch that may be handed over.
  private func sound(_ branch: BranchRow) throws -> BranchRow? {
    guard !unsound.isEmpty, let end = try store.blocks.block(branch.id, branch.head.index) else { return branch }
    let stops = try unsound.filter {
      try $0.instance == branch.instance && store.branches.ancestor(of: end, at: $0.index)?.digest == $0.digest
    }
    guard let stop = stops.map(\.index).min() else { return branch }
    guard stop > branch.first, let last = try store.blocks.block(branch.id, stop - 1) else { return nil }
    var part = branch
    part.head = last.ref
    return part
  }

  func find(_ block: BlockRef) throws -> BlockRef? { try store.blocks.block(block)?.ref }

  func base(of branch: BranchID) throws -> BlockRef? {
    try store.branches.branch(branch).flatMap { try store.branches.base(of: $0)?.ref }
  }

  func way(to block: BlockRef, from first: UInt32) throws -> [BlockRun] {
    var runs: [BlockRun] = []
    var row = try store.blocks.block(block)
    while let at = row, let branch = try store.branches.branch(at.branch), at.index >= first {
      runs.append(BlockRun(branch.id, first: max(first, branch.first), last: at.index))
      row = branch.first > first ? try store.branches.base(of: branch) : nil
    }
    return runs.reversed()
  }

  func outlines(_ run: BlockRun) throws -> [BlockOutline] { try store.branches.outlines(run) }

  func bytes(_ branch: BranchID, _ index: UInt32) throws -> [UInt8] {
    guard let row = try store.blocks.block(branch, index) else { throw StoreError.damaged("block \(branch)/\(index)") }
    return try store.content.intactBytes(of: row)
  }

  func verifier(behind block: BlockRef?, of instance: UUID) throws -> ChainVerifier {
    let key = try store.branches.chain(instance)?.publicKey
    if let block, let key, let row = try store.blocks.block(block) { return try folder.verifier(behind: row, key: key) }
    return ChainVerifier(
      database: folder.databaseID, instance: instance, knownKey: key, isSealed: try folder.isSealed())
  }

  func isOrdered(_ block: BlockRef) throws -> Bool { try ordered.contains(block) }
}
