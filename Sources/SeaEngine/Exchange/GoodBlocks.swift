import SeaContainer
import SeaCore
import SeaStore

/// A source of valid blocks to copy: the local store, or a container whose chains were verified.
protocol GoodBlocks {
  /// Returns the branches of an instance with their heads: the main branch first, and each branch before its forks.
  func branches(of instance: UUID) throws -> [GoodBranch]
  func find(_ block: BlockRef) throws -> BlockRef?
  /// Returns the block before a branch's first block; nil if the branch begins at block 0 or that block is missing.
  func base(of branch: BranchID) throws -> BlockRef?
  /// Returns the runs of blocks from an index up to and including a block, which may be on several branches.
  func path(to block: BlockRef, from first: UInt32) throws -> [BlockRun]
  func outlines(_ run: BlockRun) throws -> [BlockOutline]
  /// Returns the bytes of a block in the form that other instances receive.
  /// - Throws: an error if the source's copy of the block is damaged.
  func bytes(_ branch: BranchID, _ index: UInt32) throws -> [UInt8]
  /// Returns a verifier for the block after `block`, or for block 0 if `block` is nil.
  func verifier(behind block: BlockRef?, of instance: UUID) throws -> ChainVerifier
  /// Returns whether an authorized instance has ordered a block to be purged.
  func isOrdered(_ block: BlockRef) throws -> Bool
}

struct GoodBranch {
  var run: BlockRun
  var head: BlockRef
}

extension GoodBlocks {
  func ancestor(of block: BlockRef, at index: UInt32) throws -> BlockRef? {
    guard index <= block.index, let run = try path(to: block, from: index).first, run.first == index else { return nil }
    return try outlines(BlockRun(run.branch, first: index, last: index)).first.map {
      BlockRef(run.branch, index: index, digest: $0.digest)
    }
  }

  func outlines(_ range: ClosedRange<UInt32>, to block: BlockRef) throws -> [BlockOutline] {
    try path(to: block, from: range.lowerBound).flatMap { run in
      run.first > range.upperBound
        ? [] : try outlines(BlockRun(run.branch, first: run.first, last: min(run.last, range.upperBound)))
    }
  }
}

/// The part of the local store that other instances may receive.
struct StoreBlocks: GoodBlocks {
  let folder: SeaFolder
  let ordered: OrderedBlocks
  /// Blocks that were purged without a valid order. Neither these blocks nor later ones are copied.
  var invalidPurges: [BlockRow] = []

  private var store: Store { folder.store }

  func branches(of instance: UUID) throws -> [GoodBranch] {
    try store.branches.branches(of: instance).compactMap { branch in
      try sound(branch).map { GoodBranch(run: $0.run, head: $0.head) }
    }
  }

  private func sound(_ branch: BranchRow) throws -> BranchRow? {
    guard !invalidPurges.isEmpty, let end = try store.blocks.block(branch.id, branch.head.index) else { return branch }
    let stops = try invalidPurges.filter {
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

  func path(to block: BlockRef, from first: UInt32) throws -> [BlockRun] {
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
