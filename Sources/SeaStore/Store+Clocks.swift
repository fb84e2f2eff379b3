import SeaCore

/// What judging the clocks has found.
package struct JudgedClocks: Sendable {
  /// Branches that were found to be wrong now, from an index on.
  package var wrong: [(branch: BranchID, index: UInt32)] = []
  /// Records after blocks that were applied had to be taken back.
  package var records: Int?
  /// Whether anything is known now that was not.
  package var isMoved = false
}

extension Store {
  /// Up to which block it was worked out which removed blocks are sound.
  package static let removalsUpTo = "removalsUpTo"

  /// What could not be read can be, or stands in the place of what was removed: it may decide about removed blocks.
  func forgetJudgedRemovals() throws(StoreError) { try connection.setMeta(Store.removalsUpTo, .int(-1)) }

  /// Up to which block conflicts were looked at, in the current transaction.
  package func setMergedUpTo(_ sequence: Int64) throws(StoreError) {
    precondition(connection.isInTransaction)
    connection.state.mergedUpTo = sequence
    try connection.setMeta(RecordTable.mergedUpTo, .int(sequence))
  }

  /// Forgets which clocks are earned and which are wrong, in the current transaction: heads that were known are known no more, or others
  /// are. What was not applied for its clock is held until somebody looks whether it counts.
  package func forgetClocks() throws(StoreError) {
    precondition(connection.isInTransaction)
    try branches.writeHead()
    try connection.execute(
      """
      UPDATE branch SET earned = first - 1, wrong = 0, awaits = NULL;
      UPDATE block SET applied = \(BlockState.held.rawValue) WHERE applied <> 1 AND applied = \(BlockState.badLamport.rawValue)
      """)
  }

  /// Works out which clocks are earned and which are wrong, now that more has come, in the current transaction. What was
  /// applied of blocks with a wrong clock is taken back.
  ///
  /// Every block and every head is looked at once, however chains are interwoven: a branch that cannot go on waits for one
  /// head, and goes on where it stopped when that is earned.
  /// - Parameter unread: the heads of a block that was not read; nil if they cannot be read.
  package func judgeClocks(_ unread: (BlockRow) throws -> [BlockRef]?) throws -> JudgedClocks {
    precondition(connection.isInTransaction)
    guard try branches.hasOpenClocks() else { return JudgedClocks() }
    var judgement = try ClockJudgement(connection, branches)
    try judgement.run(unread)
    var judged = JudgedClocks(wrong: judgement.wrong)
    judged.isMoved = judgement.firstEarned != nil || !judgement.wrong.isEmpty
    // Conflicts may have an answer now that had none.
    if let first = judgement.firstEarned, first <= connection.state.mergedUpTo {
      try setMergedUpTo(first - 1)
    }
    if judgement.takenBack > 0 { judged.records = try projection.rebuildInTransaction() }
    return judged
  }
}
