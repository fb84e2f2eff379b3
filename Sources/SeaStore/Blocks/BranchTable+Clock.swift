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

  /// The branches from which on clocks are wrong, and the first block of which that is true.
  package func wrongClocks() throws(StoreError) -> [(branch: BranchID, index: UInt32)] {
    try branches().compactMap { row in row.wrongFrom.map { (row.id, $0) } }
  }
}
