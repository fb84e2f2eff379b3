import SeaCore

/// What settling the clocks has found.
package struct SettledClocks: Sendable {
  /// Branches that were found to be wrong now, from an index on.
  package var wrong: [(branch: BranchID, index: UInt32)] = []
  /// Records after blocks that were applied had to be taken back.
  package var records: Int?
}

extension Store {
  /// Works out which clocks are earned and which are wrong, now that more has come, in the current transaction. What was
  /// applied of blocks with a wrong clock is taken back.
  ///
  /// Every block and every head is looked at once, however chains are interwoven: a branch that cannot go on waits for one
  /// head, and goes on where it stopped when that is earned.
  /// - Parameter unread: the heads of a block that was not read; nil if they cannot be read.
  package func settleClocks(_ unread: (BlockRow) throws -> [BlockRef]?) throws -> SettledClocks {
    precondition(connection.isInTransaction)
    guard try blocks.hasOpenClocks() else { return SettledClocks() }
    var settlement = try ClockSettlement(connection, blocks)
    try settlement.run(unread)
    var settled = SettledClocks(wrong: settlement.wrong)
    // Conflicts may have an answer now that had none.
    if let first = settlement.firstEarned, first <= connection.state.mergedUpTo {
      connection.state.mergedUpTo = first - 1
      try connection.setMeta(RecordTable.mergedUpTo, .int(first - 1))
    }
    if settlement.takenBack > 0 { settled.records = try rebuildInTransaction() }
    return settled
  }
}
