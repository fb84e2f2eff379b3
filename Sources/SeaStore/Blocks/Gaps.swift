import SeaCore

/// Removed blocks that nothing allows: they are not handed on, and neither is what is behind them.
package struct Gaps {
  /// Of each branch with one the lowest.
  private var lowest: [BranchID: UInt32] = [:]
  /// Of each branch that left another one: where.
  private var left: [BranchID: (branch: BranchID, index: UInt32)] = [:]

  package init(_ blocks: [BlockRow], _ table: BranchTable) throws(StoreError) {
    for row in blocks { lowest[row.branch] = min(row.index, lowest[row.branch] ?? .max) }
    guard !blocks.isEmpty else { return }
    for branch in try table.siblings() {
      if let base = try table.base(of: branch) { left[branch.id] = (base.branch, base.index) }
    }
  }

  /// As much of a run as has none of them before it; nil if that is nothing.
  package func before(_ run: BlockRun) -> BlockRun? {
    if lowest.isEmpty { return run }
    var branch = run.branch
    while let base = left[branch] {
      if let gap = lowest[base.branch], gap <= base.index { return nil }
      branch = base.branch
    }
    guard let gap = lowest[run.branch], gap <= run.last else { return run }
    return gap > run.first ? BlockRun(run.branch, first: run.first, last: gap - 1) : nil
  }
}
