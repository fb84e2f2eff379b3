import SeaCore

/// The blocks that are kept: what is known of each, and which there are of a kind.
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
      label: row.optionalText(11))
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

  /// A block at a branch's own places.
  package func block(_ branch: BranchID, _ index: UInt32) throws(StoreError) -> BlockRow? {
    let find = try connection.statement("SELECT * FROM block_row WHERE instance = ? AND fork = ? AND idx = ?")
    return try first(find.bind(1, copy: branch.instance.bytes).bind(2, fork: branch.fork).bind(3, Int(index)))
  }

  /// A block by what it is, in whichever branch it lies.
  package func block(_ ref: BlockRef) throws(StoreError) -> BlockRow? {
    if let row = try block(ref.branch.trunk, ref.index), row.digest == ref.digest { return row }
    // One look, however many sibling branches there are.
    let find = try connection.statement(
      """
      SELECT b.seq, s.instance, s.fork, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label,
        b.unread, s.earned >= b.idx
      FROM block b INDEXED BY block_sibling JOIN branch s ON s.id = b.branch
      WHERE b.sibling = 1 AND b.digest = ? AND b.idx = ? AND s.instance = ?
      """)
    find.bind(1, copy: ref.digest.bytes).bind(2, Int(ref.index))
    return try first(find.bind(3, copy: ref.instance.bytes))
  }

  package func block(sequence: Int64) throws(StoreError) -> BlockRow? {
    try first(connection.statement("SELECT * FROM block_row WHERE seq = ?").bind(1, sequence as Int64?))
  }

  /// The first block after a sequence.
  func block(after sequence: Int64) throws(StoreError) -> BlockRow? {
    let find = try connection.statement("SELECT min(seq) FROM block WHERE seq > ?")
    defer { find.reset() }
    find.bind(1, sequence as Int64?)
    guard try find.step(), let next = find.optionalInt(0) else { return nil }
    return try block(sequence: next)
  }

  package func lastSequence() throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT ifnull(max(seq), 0) FROM block")
    defer { find.reset() }
    return try find.step() ? Int64(find.int(0)) : 0
  }

  // MARK: - Notes

  /// Notes in which state a block is; the projection is for the caller to bring in step.
  package func setState(_ state: BlockState, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET applied = ? WHERE seq = ?")
    try update.bind(1, state.rawValue).bind(2, row.sequence as Int64?).run()
  }

  /// Notes that a block is still not read, and why now.
  package func setUnread(_ reason: UnreadReason, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET unread = ? WHERE seq = ?")
    try update.bind(1, reason.rawValue).bind(2, row.sequence as Int64?).run()
  }

  /// Notes whether the changes of a block that was read are hidden; the projection is for the caller to bring in step.
  func setHidden(_ isHidden: Bool, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET unread = ? WHERE seq = ?")
    update.bind(1, isHidden ? Int64(UnreadReason.noKey.rawValue) : nil)
    try update.bind(2, row.sequence as Int64?).run()
  }
}
