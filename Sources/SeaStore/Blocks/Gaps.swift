import SeaCore

/// Purged blocks that no order allows. They and the blocks after them are not passed on.
package struct Gaps {
  /// The lowest such index in each branch.
  private var lowest: [BranchID: UInt32] = [:]
  /// The position at which each fork branch left another one.
  private var left: [BranchID: (branch: BranchID, index: UInt32)] = [:]

  package init(_ blocks: [BlockRow], _ table: BranchTable) throws(StoreError) {
    for row in blocks { lowest[row.branch] = min(row.index, lowest[row.branch] ?? .max) }
    guard !blocks.isEmpty else { return }
    for branch in try table.siblings() {
      if let base = try table.base(of: branch) { left[branch.id] = (base.branch, base.index) }
    }
  }

  /// The part of a run before the first such block; nil if it is empty.
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
