import SeaCore

/// Values that a transaction reads from the tables when it begins, and keeps in memory while it appends blocks.
struct TransactionState {
  var nextSequence: Int64 = 1
  var nextRecord: Int64 = 1
  /// The sequence number up to which conflicts have been checked for automatic merges.
  var mergedUpTo: Int64 = 0
  var someWait = false
  var hasIndexes = false
  /// Whether two purge orders, or an order and a block, disagree about a revision. Only a rebuild can decide which of
  /// them is valid.
  var mustRebuild = false
  /// The feed positions of the next change and of the first change of this transaction.
  var nextPosition: Int64?
  var firstPosition: Int64?
  var lastArrived = Int64.min
  /// The head, not written yet, of the branch that received the last block.
  var head: UnwrittenHead?

  init() {}

  init(_ connection: Connection) throws(StoreError) {
    let statement = try connection.statement(
      """
      SELECT ifnull(max(seq), 0), (SELECT ifnull(max(key), 0) FROM record), EXISTS(SELECT 1 FROM waiting),
        (SELECT value FROM meta WHERE key = 'mergedUpTo'), EXISTS(SELECT 1 FROM property_index), arrived
      FROM block
      """)
    defer { statement.reset() }
    guard try statement.step() else { throw .damaged("projection") }
    nextSequence = Int64(statement.int(0)) + 1
    nextRecord = Int64(statement.int(1)) + 1
    someWait = statement.int(2) != 0
    mergedUpTo = statement.optionalInt(3) ?? 0
    hasIndexes = statement.int(4) != 0
    lastArrived = statement.optionalInt(5) ?? .min
  }
}

/// A head that has not been written to the table of branches. The head is written only once for a whole run of blocks.
struct UnwrittenHead {
  var key: Int64
  var index: UInt32
  var digest: Digest
  var lamport: UInt32
  var time: Int64
  var earned: Int64
  var isWrong: Bool
}
