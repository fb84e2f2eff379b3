import SeaCore

/// Removed blocks that nothing allows, and what is behind them: it is as if it were not here.
package struct Gaps {
  package let blocks: [BlockRow]
  /// Of each branch with one the lowest.
  private var lowest: [BranchID: UInt32] = [:]
  private var refs: [BranchID: BlockRef] = [:]
  /// Of each branch that left another one: where.
  private var left: [BranchID: (branch: BranchID, index: UInt32)] = [:]

  package init(_ blocks: [BlockRow], _ table: BranchTable) throws(StoreError) {
    self.blocks = blocks
    for row in blocks where row.index <= lowest[row.branch] ?? .max {
      lowest[row.branch] = row.index
      refs[row.branch] = row.ref
    }
    guard !blocks.isEmpty else { return }
    for branch in try table.siblings() {
      if let base = try table.base(of: branch) { left[branch.id] = (base.branch, base.index) }
    }
  }

  /// Whether a block is one of them, or stands behind one.
  /// - Parameter block: in the branch that it lies in here.
  package func isBehind(_ block: BlockRef) -> Bool { gap(before: block) != nil }

  /// The one of them that a block stands behind, or is.
  package func gap(before block: BlockRef) -> BlockRef? {
    if lowest.isEmpty { return nil }
    var (branch, index) = (block.branch, block.index)
    while true {
      if let gap = refs[branch], gap.index <= index { return gap }
      guard let before = left[branch] else { return nil }
      (branch, index) = before
    }
  }

  /// As much of a run as has none of them before it; nil if that is nothing.
  package func before(_ run: BlockRun) -> BlockRun? {
    if lowest.isEmpty { return run }
    let isCutOff = left[run.branch].map {
      isBehind(BlockRef($0.branch, index: $0.index, digest: .zero))
    }
    if isCutOff == true { return nil }
    guard let gap = lowest[run.branch], gap <= run.last else { return run }
    return gap > run.first ? BlockRun(run.branch, first: run.first, last: gap - 1) : nil
  }

  /// The lowest index of one in the chain of an instance.
  package func first(of instance: UUID) -> UInt32? {
    lowest.filter { $0.key.instance == instance }.map(\.value).min()
  }
}
