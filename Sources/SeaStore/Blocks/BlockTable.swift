import SeaCore

package final class BlockTable {
  let connection: Connection
  let content: StoredBytes

  init(_ connection: Connection, _ content: StoredBytes) {
    self.connection = connection
    self.content = content
  }

  // MARK: - One block

  func row(_ row: Statement) throws(StoreError) -> BlockRow {
    guard row.bytes(1).count == 16, let digest = Digest(row.array(6)) else { throw .damaged("block") }
    let branch = BranchID(UUID(row.bytes(1).baseAddress!), fork: try row.fork(2))
    return BlockRow(
      sequence: Int64(row.int(0)),
      ref: BlockRef(branch, index: UInt32(truncatingIfNeeded: row.int(3)), digest: digest),
      lamport: UInt32(truncatingIfNeeded: row.int(4)), size: row.int(5), changes: row.int(7),
      state: BlockState(rawValue: row.int(8)) ?? .unread,
      unread: row.optionalInt(12).flatMap { UnreadReason(rawValue: Int($0)) },
      isEarned: row.int(13) != 0, time: Int64(row.int(9)), arrived: Int64(row.int(10)),
      label: row.optionalText(11), whole: row.int(14))
  }

  func rows(_ scan: Statement) throws(StoreError) -> [BlockRow] {
    defer { scan.reset() }
    var rows: [BlockRow] = []
    while try scan.step() { rows.append(try row(scan)) }
    return rows
  }

  private func first(_ find: Statement) throws(StoreError) -> BlockRow? {
    defer { find.reset() }
    return try find.step() ? try row(find) : nil
  }

  package func block(_ branch: BranchID, _ index: UInt32) throws(StoreError) -> BlockRow? {
    let find = try connection.statement("SELECT * FROM block_row WHERE instance = ? AND fork = ? AND idx = ?")
    return try first(find.bind(1, copy: branch.instance.bytes).bind(2, fork: branch.fork).bind(3, Int(index)))
  }

  package func block(_ ref: BlockRef) throws(StoreError) -> BlockRow? {
    if let row = try block(ref.branch.mainBranch, ref.index), row.digest == ref.digest { return row }
    let find = try connection.statement(
      """
      SELECT b.seq, s.instance, s.fork, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
        b.unread, s.earned >= b.idx, b.whole
      FROM block b INDEXED BY block_sibling JOIN branch s ON s.id = b.branch
      WHERE b.sibling = 1 AND b.digest = ? AND b.idx = ? AND s.instance = ?
      """)
    find.bind(1, copy: ref.digest.bytes).bind(2, Int(ref.index))
    return try first(find.bind(3, copy: ref.instance.bytes))
  }

  package func block(sequence: Int64) throws(StoreError) -> BlockRow? {
    try first(connection.statement("SELECT * FROM block_row WHERE seq = ?").bind(1, sequence as Int64?))
  }

  func block(after sequence: Int64) throws(StoreError) -> BlockRow? {
    let find = try connection.statement("SELECT min(seq) FROM block WHERE seq > ?")
    defer { find.reset() }
    find.bind(1, sequence as Int64?)
    guard try find.step(), let next = find.optionalInt(0) else { return nil }
    return try block(sequence: next)
  }

  package func lastSequence() throws(StoreError) -> Int64 {
    if connection.isInTransaction { return connection.state.nextSequence - 1 }
    let find = try connection.statement("SELECT ifnull(max(seq), 0) FROM block")
    defer { find.reset() }
    return try find.step() ? Int64(find.int(0)) : 0
  }

  // MARK: - States

  /// Sets the state of a block. The caller must then update the projection.
  package func setState(_ state: BlockState, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET applied = ? WHERE seq = ?")
    try update.bind(1, state.rawValue).bind(2, row.sequence as Int64?).run()
  }

  package func setUnread(_ reason: UnreadReason, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET unread = ? WHERE seq = ?")
    try update.bind(1, reason.rawValue).bind(2, row.sequence as Int64?).run()
  }

  /// Sets whether a readable block's changes are hidden. The caller must then update the projection.
  func setHidden(_ isHidden: Bool, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET unread = ? WHERE seq = ?")
    update.bind(1, isHidden ? Int64(UnreadReason.noKey.rawValue) : nil)
    try update.bind(2, row.sequence as Int64?).run()
  }
}

// MARK: - Purged blocks and the data of the purge orders that allow them

extension BlockTable {
  package func purgedBlocks() throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND whole > 0 ORDER BY +seq")
    return try rows(scan)
  }

  /// Returns the purged blocks that are not allowed by an accepted purge order. Later blocks in their branches count as
  /// missing.
  package func unauthorizedPurges() throws(StoreError) -> [BlockRow] {
    // Every write calls this method, usually without finding anything. SQLite prepares this query in a sixth of the
    // time.
    let any = try connection.statement("SELECT 1 FROM block WHERE applied <> 1 AND applied = ? AND whole > 0")
    defer { any.reset() }
    guard try any.bind(1, BlockState.unread.rawValue).step() else { return [] }
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND applied = ? AND whole > 0 ORDER BY +seq")
    return try rows(scan.bind(1, BlockState.unread.rawValue))
  }
}

extension BlockTable {
  /// Returns the sequence number of the last block that had arrived by a given local time, or 0. If the clock was set
  /// back, later blocks count as having arrived at the latest time recorded before. A past point in time thus never
  /// gains blocks.
  package func sequence(arrivedBy time: Int64) throws(StoreError) -> Int64 {
    // All blocks up to `low` had arrived by then, but block `high` and later blocks had not.
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

  /// Records the arrival time of a block if it is earlier than the arrival time of the previous block.
  func recordSetBack(_ arrived: Int64, of sequence: Int64) throws(StoreError) {
    let last = connection.state.lastArrived
    connection.state.lastArrived = arrived
    guard arrived < last else { return }
    let insert = try connection.statement(
      """
      INSERT INTO set_back(seq, time)
      SELECT ?1, ?2 WHERE ifnull((SELECT time < ?2 FROM set_back ORDER BY seq DESC LIMIT 1), 1)
      """)
    try insert.bind(1, sequence as Int64?).bind(2, last as Int64?).run()
  }

  /// Visits the applied blocks in order of arrival until `body` returns false.
  package func forEachBlock(
    after first: Moment, through last: Moment, _ body: (BlockRow) throws -> Bool
  ) throws {
    // The blocks are read in batches, because `body` can take a long time.
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

extension BlockTable {
  package func forEachBlock(
    of branch: BranchID, from index: UInt32, _ body: (BlockRow, [UInt8]) throws -> Bool
  ) throws {
    var next = index
    while let row = try block(branch, next) {
      guard try body(row, try content.bytes(of: row)), next < .max else { return }
      next += 1
    }
  }

  package func sums(
    of branch: BranchID, _ range: ClosedRange<UInt32>
  ) throws(StoreError) -> (changes: Int, bytes: Int64) {
    let sum = try connection.statement(
      """
      SELECT ifnull(sum(changes), 0), ifnull(sum(size), 0) FROM block_row
      WHERE instance = ? AND fork = ? AND idx BETWEEN ? AND ?
      """)
    defer { sum.reset() }
    sum.bind(1, copy: branch.instance.bytes).bind(2, fork: branch.fork)
    sum.bind(3, Int(range.lowerBound)).bind(4, Int(range.upperBound))
    return try sum.step() ? (sum.int(0), Int64(sum.int(1))) : (0, 0)
  }

  /// The message of a block that only repeats the remaining content of purged blocks. Such a block is not an operation.
  package static let rewriteMessage = "kept by purge"

  /// Returns the newest operations on a chain's main branch, below an index or, if the index is nil, up to the head.
  package func operations(of instance: UUID, below index: UInt32?, limit: Int) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND idx < ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT ?
      """)
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index.map { Int($0) } ?? .max).bind(3, limit))
  }

  /// Returns the operation with this number; the newest operation has number 0.
  package func operation(of instance: UUID, number: Int) throws(StoreError) -> BlockRow? {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT 1 OFFSET ?
      """)
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, number)).first
  }

  /// Returns the number of operations after an index, and the operations whose messages begin with `start`, newest
  /// first.
  package func operations(
    of instance: UUID, above index: UInt32, labeled start: String
  ) throws(StoreError) -> (count: Int, labeled: [BlockRow]) {
    let count = try connection.statement(
      """
      SELECT count(*) FROM block_row
      WHERE instance = ? AND fork = x'' AND idx > ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      """)
    count.bind(1, copy: instance.bytes).bind(2, Int(index))
    defer { count.reset() }
    let newer = try count.step() ? count.int(0) : 0
    if newer == 0 { return (0, []) }
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND idx > ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND substr(label, 1, length(?3)) = ?3
      ORDER BY idx DESC
      """)
    return (newer, try rows(scan.bind(1, copy: instance.bytes).bind(2, Int(index)).bind(3, start)))
  }

  package func operations(
    of instance: UUID, from first: Digest, through last: Digest, limit: Int
  ) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT * FROM block_row
      WHERE instance = ? AND fork = x'' AND digest BETWEEN ? AND ? AND changes > 0 AND applied = 1 AND unread IS NULL
        AND label IS NOT 'kept by purge'
      ORDER BY idx DESC LIMIT ?
      """)
    scan.bind(1, copy: instance.bytes).bind(2, copy: first.bytes).bind(3, copy: last.bytes)
    return try rows(scan.bind(4, limit))
  }

  package func appliedBlocks(of instance: UUID, after index: Int64) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE instance = ? AND idx > ? AND applied IN (1, 5) ORDER BY seq")
    return try rows(scan.bind(1, copy: instance.bytes).bind(2, index as Int64?))
  }

  // MARK: - Blocks whose changes are hidden

  /// Returns the blocks that were decrypted with a key for which no trusted instance vouches, oldest first.
  package func hiddenBlocks() throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement("SELECT * FROM block_row WHERE unread = ? AND +applied <> 0 ORDER BY +seq")
    return try rows(scan.bind(1, UnreadReason.noKey.rawValue))
  }

  /// Returns the encrypted blocks that use one of these keys and whose changes are visible, oldest first.
  package func shownBlocks(under keys: Set<Digest>) throws -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE unread IS NULL AND applied <> 0 AND whole = 0 ORDER BY seq")
    defer { scan.reset() }
    var found: [BlockRow] = []
    while try scan.step() {
      let row = try row(scan)
      if try keys.contains(content.key(of: row)) { found.append(row) }
    }
    return found
  }

  // MARK: - Blocks that are not applied

  // `+seq` makes SQLite use the small index of unapplied blocks instead of scanning all blocks in order.

  package func blocks(_ state: BlockState, of instance: UUID? = nil) throws(StoreError) -> [BlockRow] {
    precondition(state != .applied)
    let scan = try connection.statement(
      """
      SELECT * FROM block_row WHERE applied <> 1 AND applied = ?1 AND (?2 IS NULL OR instance = ?2) ORDER BY +seq
      """)
    return try rows(scan.bind(1, state.rawValue).bind(2, copy: instance?.bytes))
  }

  /// Returns the blocks that only a newer version of the program can read.
  package func notReadable() throws(StoreError) -> [BlockRow] {
    try rows(connection.statement("SELECT * FROM block_row WHERE unread = 1 AND +applied = 0 ORDER BY +seq"))
  }

  package func unreadBlocks() throws(StoreError) -> [(branch: BranchID, reason: UnreadReason, first: UInt32)] {
    let scan = try connection.statement(
      """
      SELECT instance, fork, unread, min(idx) FROM block_row
      WHERE applied <> 1 AND applied = 0 AND whole = 0 GROUP BY instance, fork, unread ORDER BY instance, fork, unread
      """)
    defer { scan.reset() }
    var found: [(branch: BranchID, reason: UnreadReason, first: UInt32)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("block") }
      let branch = BranchID(UUID(scan.bytes(0).baseAddress!), fork: try scan.fork(1))
      let reason = UnreadReason(rawValue: scan.int(2)) ?? .notReadable
      found.append((branch, reason, UInt32(truncatingIfNeeded: scan.int(3))))
    }
    return found
  }

  package func pendingBlocks() throws(StoreError) -> [(instance: UUID, blocks: Int, first: UInt32)] {
    let scan = try connection.statement(
      """
      SELECT instance, count(*), min(idx) FROM block_row WHERE applied <> 1 AND applied IN (2, 4)
      GROUP BY instance ORDER BY instance
      """)
    defer { scan.reset() }
    var found: [(instance: UUID, blocks: Int, first: UInt32)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("block") }
      found.append((UUID(scan.bytes(0).baseAddress!), scan.int(1), UInt32(truncatingIfNeeded: scan.int(2))))
    }
    return found
  }
}
