import SeaCore

/// What a transaction must know of the tables while it appends; read once when it begins.
struct TransactionState {
  var nextSequence: Int64 = 1
  var nextRecord: Int64 = 1
  /// The block up to which conflicts were looked at for what merges alone.
  var mergedUpTo: Int64 = 0
  /// Whether any revision waits for its parent.
  var someWait = false
  /// Whether there are indexes, which have to be told of what changes.
  var hasIndexes = false
  /// Whether two orders, or an order and a block, say different things of a revision: which of them holds shows when all
  /// are brought in anew.
  var mustRebuild = false
  /// Where in the feed the next change stands, and where the first one of this transaction does.
  var nextPosition: Int64?
  var firstPosition: Int64?
  /// When the last block came, by the clock of this device.
  var lastArrived = Int64.min
  /// The id and the new head of the branch that was appended to last, until the tables have it.
  var head: UnwrittenHead?

  init() {}

  init(_ connection: Connection) throws(StoreError) {
    let statement = try connection.statement(
      """
      SELECT (SELECT ifnull(max(seq), 0) FROM block), (SELECT ifnull(max(key), 0) FROM record),
        EXISTS(SELECT 1 FROM waiting), (SELECT value FROM meta WHERE key = 'mergedUpTo'),
        EXISTS(SELECT 1 FROM property_index), (SELECT arrived FROM block ORDER BY seq DESC LIMIT 1)
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

/// A head that the table of branches does not have yet: while a run of blocks is appended it is written down once.
struct UnwrittenHead {
  var key: Int64
  var index: UInt32
  var digest: Digest
  var lamport: UInt32
  var time: Int64
  var earned: Int64
  var isWrong: Bool
}
