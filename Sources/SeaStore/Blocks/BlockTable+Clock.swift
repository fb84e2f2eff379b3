import SeaCore

// Whether clocks are earned: what is known when a block comes. What has to wait for others is for `ClockSettlement`.

extension BlockTable {
  /// The clock of a block that is here, and whether it is earned.
  private func clock(of head: BlockRef) throws(StoreError) -> (lamport: UInt32, isEarned: Bool)? {
    let find = try connection.statement(
      """
      SELECT b.lamport, s.earned >= b.idx FROM branch s JOIN block b ON b.branch = s.id
      WHERE s.instance = ? AND b.idx = ? AND b.digest = ?
      """)
    defer { find.reset() }
    find.bind(1, copy: head.instance.bytes).bind(2, Int(head.index)).bind(3, copy: head.digest.bytes)
    guard try find.step() else { return nil }
    return (UInt32(truncatingIfNeeded: find.int(0)), find.int(1) != 0)
  }

  /// Looks whether the clock of the next block of a branch is earned or wrong, if that can be told now.
  /// - Parameter before: the clock of the block before it; nil if it is not known whether that is earned.
  func judge(_ block: VerifiedBlock, after before: UInt32?, in branch: inout BranchRow) throws(StoreError) {
    guard !branch.isWrong, branch.earned == Int64(block.header.index) - 1, let before, let heads = block.heads else {
      return
    }
    var greatest = before
    for head in heads {
      guard let clock = try clock(of: head), clock.isEarned else { return }
      greatest = max(greatest, clock.lamport)
    }
    if block.header.lamport == LamportClock.next(after: greatest) {
      branch.earned = Int64(block.header.index)
    } else {
      branch.isWrong = true
    }
  }

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
