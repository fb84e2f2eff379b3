import SeaCore

extension BranchTable {
  /// Of each branch the last block whose clock is earned, and where wrong ones begin.
  package func earnedClocks() throws(StoreError) -> [BranchID: [Int64]] {
    var clocks: [BranchID: [Int64]] = [:]
    for row in try branches() { clocks[row.id] = [row.earned, row.wrongFrom.map { Int64($0) } ?? -1] }
    return clocks
  }

  /// Whether there are branches whose clocks may follow from what has come, or will.
  package func hasOpenClocks() throws(StoreError) -> Bool {
    try writeHead()
    let some = try connection.statement("SELECT EXISTS(SELECT 1 FROM branch WHERE earned < head AND wrong = 0)")
    defer { some.reset() }
    return try some.step() && some.int(0) != 0
  }

  /// The Lamport time of the last block whose clock is earned of those up to one, in its branch and what that left; 0 if there is none.
  func earnedTime(upTo row: BlockRow) throws(StoreError) -> UInt32 {
    if row.isEarned { return row.lamport }
    var next = try branch(row.branch)
    var index = Int64(row.index)
    while let branch = next {
      let last = min(branch.earned, index)
      if last >= Int64(branch.first) { return try blocks.block(branch.id, UInt32(last))?.lamport ?? 0 }
      guard branch.first > 0, let base = try base(of: branch) else { return 0 }
      (next, index) = (try self.branch(base.branch), Int64(base.index))
    }
    return 0
  }

  /// The branches from which on clocks are wrong, and the first block of which that is true.
  package func wrongClocks() throws(StoreError) -> [(branch: BranchID, index: UInt32)] {
    try branches().compactMap { row in row.wrongFrom.map { (row.id, $0) } }
  }
}
