import SeaCore

extension BlockTable {
  /// The last block that was here at a time by this device's clock; 0 if there was none. Where that clock was set back, what came then
  /// is taken to have come at the latest time before: so nothing is added to a moment that a later one has followed.
  package func sequence(arrivedBy time: Int64) throws(StoreError) -> Int64 {
    // Below `low` all had arrived, and from `high` on none.
    var (low, high) = (Int64(0), try lastSequence() + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let find = try connection.statement(
        """
        SELECT seq, max(arrived, ifnull((SELECT time FROM set_back s WHERE s.seq <= b.seq ORDER BY s.seq DESC LIMIT 1), arrived))
        FROM block b WHERE seq <= ? ORDER BY seq DESC LIMIT 1
        """)
      defer { find.reset() }
      find.bind(1, middle as Int64?)
      guard try find.step(), Int64(find.int(0)) > low else {
        low = middle
        continue
      }
      if Int64(find.int(1)) <= time { low = middle } else { high = Int64(find.int(0)) }
    }
    return low
  }

  /// Notes when a block comes, where that is before the last one.
  func note(_ arrived: Int64, of sequence: Int64) throws(StoreError) {
    let last = connection.state.lastArrived
    connection.state.lastArrived = arrived
    guard arrived < last else { return }
    // Where the clock was behind already that is noted.
    let insert = try connection.statement(
      """
      INSERT INTO set_back(seq, time)
      SELECT ?1, ?2 WHERE ifnull((SELECT time < ?2 FROM set_back ORDER BY seq DESC LIMIT 1), 1)
      """)
    try insert.bind(1, sequence as Int64?).bind(2, last as Int64?).run()
  }

  /// The blocks that count and arrived behind one moment and up to another, in that order, until `body` returns false.
  package func forEachBlock(
    after first: Moment, through last: Moment, _ body: (BlockRow) throws -> Bool
  ) throws {
    // A page at a time: what `body` does may be long.
    var next = first.sequence
    while next < last.sequence {
      let scan = try connection.statement(
        "SELECT * FROM block_row WHERE seq > ? AND seq <= ? AND applied IN (1, 5) ORDER BY seq LIMIT 256")
      let page = try rows(scan.bind(1, next as Int64?).bind(2, last.sequence as Int64?))
      for row in page { guard try body(row) else { return } }
      guard let end = page.last else { return }
      next = end.sequence
    }
  }
}
