import SeaCore

/// Purged blocks that no purge order allows. These blocks and all later blocks are not passed on to other instances.
package struct UnauthorizedPurges {
  private var lowest: [BranchID: UInt32] = [:]
  private var forkPoints: [BranchID: (branch: BranchID, index: UInt32)] = [:]

  package init(_ blocks: [BlockRow], _ table: BranchTable) throws(StoreError) {
    for row in blocks { lowest[row.branch] = min(row.index, lowest[row.branch] ?? .max) }
    guard !blocks.isEmpty else { return }
    for branch in try table.siblings() {
      if let base = try table.base(of: branch) { forkPoints[branch.id] = (base.branch, base.index) }
    }
  }

  /// Returns the part of a run that precedes the first purged block not allowed by any order; nil if there is no such
  /// part.
  package func before(_ run: BlockRun) -> BlockRun? {
    if lowest.isEmpty { return run }
    var branch = run.branch
    while let base = forkPoints[branch] {
      if let gap = lowest[base.branch], gap <= base.index { return nil }
      branch = base.branch
    }
    guard let gap = lowest[run.branch], gap <= run.last else { return run }
    return gap > run.first ? BlockRun(run.branch, first: run.first, last: gap - 1) : nil
  }
}
