import SeaCore

/// The blocks that are kept, and the branches that they lie in.
package final class BlockTable {
  let connection: Connection
  /// The frames of compressed blocks that were looked into, and what came out of those that were opened last.
  var knownFrames = SmallMap<StoredFrames>()
  var opened = OpenedFrames()
  static let mostKnownFrames = 4096

  init(_ connection: Connection) { self.connection = connection }

  // MARK: - One block

  func row(_ row: Statement) throws(StoreError) -> BlockRow {
    guard row.bytes(1).count == 16, let digest = Digest(row.array(6)) else { throw .damaged("block") }
    let branch = BranchID(UUID(row.bytes(1).baseAddress!), fork: fork(row.int(2)))
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
    return try first(find.bind(1, copy: branch.instance.bytes).bind(2, number(branch.fork)).bind(3, Int(index)))
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

  // MARK: - Keeping

  /// Keeps a block behind the head of its branch, or as the first of a new one, in the current transaction.
  /// - Returns: what has become of it.
  func keep(
    _ block: VerifiedBlock, in branch: inout BranchRow, sequence: Int64, arrived: Int64
  ) throws(StoreError) -> BlockState {
    guard branch.next == block.header.index, branch.instance == block.ref.instance else {
      throw .defect("a block that does not follow")
    }
    if let open = connection.state.head, open.key != branch.key { try writeHead() }
    let before = try branch.isNew ? begin(&branch, with: block) : branch.lamport
    try judge(block, after: before, in: &branch)
    let time = block.payload?.time ?? arrived
    let insert = try connection.statement(
      """
      INSERT INTO block(seq, branch, idx, lamport, size, digest, changes, applied, time, arrived, label, unread, sibling)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(1, sequence as Int64?).bind(2, branch.key as Int64?).bind(3, Int(block.header.index))
    insert.bind(4, Int(block.header.lamport)).bind(5, block.bytes.count).bind(6, copy: block.ref.digest.bytes)
    let isRead = block.payload != nil || block.remains != nil
    let state: BlockState =
      !isRead
      ? .unread : branch.isWrong ? .badLamport : block.isHeld ? .held : block.payload == nil ? .purged : .applied
    insert.bind(7, block.payload?.changes.count ?? block.orderedChanges).bind(8, state.rawValue)
    insert.bind(9, time as Int64?).bind(10, arrived as Int64?)
    insert.bind(11, block.payload?.label)
    let unread = !isRead ? block.unread : block.isHidden ? .noKey : nil
    insert.bind(12, unread.map { Int64($0.rawValue) })
    try insert.bind(13, branch.id.isTrunk ? nil : 1 as Int64?).run()
    branch.head = BlockRef(branch.id, index: block.header.index, digest: block.ref.digest)
    branch.lamport = block.header.lamport
    branch.time = time
    connection.state.head = UnwrittenHead(
      key: branch.key, index: branch.head.index, digest: branch.head.digest, lamport: branch.lamport, time: time,
      earned: branch.earned, isWrong: branch.isWrong)
    try copyBytes(of: block, sequence: sequence)
    if block.header.mode.contains(.sealed), let clear = block.clear {
      try copyClear(clear, framed: block.framed, sequence: sequence)
    }
    return state
  }

  /// Keeps a block as others get it.
  private func copyBytes(of block: VerifiedBlock, sequence: Int64) throws(StoreError) {
    if block.header.mode.contains(.sealed) {
      return try copyPieces(block.bytes, first: sequence << 16, "INSERT INTO sealed(key, bytes) VALUES(?, ?)")
    }
    if block.remains != nil {
      return try block.kept.withUnsafeBufferPointer { bytes throws(StoreError) in
        try copyPieces(UnsafeRawBufferPointer(bytes), sequence: sequence)
      }
    }
    var isFramed = block.header.mode.contains(.compressed)
    if isFramed { isFramed = try copyFrames(block.bytes, tail: Payload.signatureSize, sequence: sequence) }
    if !isFramed { try copyPieces(block.bytes, sequence: sequence) }
  }

  /// Keeps the whole of a block of which only the hash was here.
  func replace(_ row: BlockRow, with block: VerifiedBlock) throws(StoreError) {
    try removePieces(row)
    // The hash that is left of a block does not bind its clock.
    let update = try connection.statement("UPDATE block SET size = ?, lamport = ? WHERE seq = ?")
    try update.bind(1, block.bytes.count).bind(2, Int(block.header.lamport)).bind(3, row.sequence as Int64?).run()
    try copyBytes(of: block, sequence: row.sequence)
  }

  /// - Returns: the clock that the first block goes on from; nil if it is not known yet whether that is earned.
  private func begin(_ branch: inout BranchRow, with block: VerifiedBlock) throws(StoreError) -> UInt32? {
    if branch.id.isTrunk {
      guard case .instance(let name, let key, let exchange, _)? = block.payload?.controls.first else {
        throw .defect("block 0 without its announcement")
      }
      let chain = try connection.statement("INSERT INTO chain(instance, name, key, exchange) VALUES(?, ?, ?, ?)")
      try chain.bind(1, copy: branch.instance.bytes).bind(2, name).bind(3, copy: key).bind(4, copy: exchange).run()
    }
    let insert = try connection.statement(
      """
      INSERT INTO branch(instance, fork, first, previous, head, digest, lamport, time, earned)
      VALUES(?, ?, ?, ?, -1, zeroblob(32), 0, 0, ?) RETURNING id
      """)
    insert.bind(1, copy: branch.instance.bytes).bind(2, number(branch.id.fork)).bind(3, Int(branch.first))
    branch.earned = Int64(branch.first) - 1
    insert.bind(4, copy: branch.previous.bytes).bind(5, branch.earned as Int64?)
    guard try insert.step() else { throw .damaged("branch") }
    branch.key = Int64(insert.int(0))
    insert.reset()
    guard branch.first > 0 else { return 0 }
    guard let base = try base(of: branch), let left = try self.branch(base.branch) else { return nil }
    branch.isWrong = left.isWrong && Int64(base.index) > left.earned
    return base.isEarned ? base.lamport : nil
  }

  /// Writes down how far the branch is that blocks were appended to: once for all of them.
  func writeHead() throws(StoreError) {
    guard let open = connection.state.head else { return }
    connection.state.head = nil
    let head = try connection.statement(
      "UPDATE branch SET head = ?, digest = ?, lamport = ?, time = ?, earned = ?, wrong = ? WHERE id = ?")
    head.bind(1, Int(open.index)).bind(2, copy: open.digest.bytes).bind(3, Int(open.lamport))
    head.bind(4, open.time as Int64?).bind(5, open.earned as Int64?).bind(6, open.isWrong ? 1 : 0)
    try head.bind(7, open.key as Int64?).run()
  }

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

  /// Keeps what a block says that could not be read before.
  func keep(
    _ clear: [UInt8], framed: [UInt8]?, _ payload: Payload, of row: BlockRow, as state: BlockState, isHidden: Bool
  ) throws(StoreError) {
    let update = try connection.statement(
      "UPDATE block SET applied = ?, changes = ?, time = ?, label = ?, unread = ? WHERE seq = ?")
    update.bind(1, state.rawValue).bind(2, payload.changes.count).bind(3, payload.time as Int64?)
    update.bind(4, payload.label).bind(5, isHidden ? Int64(UnreadReason.noKey.rawValue) : nil)
    try update.bind(6, row.sequence as Int64?).run()
    guard try connection.isSealed() else { return }
    try clear.withUnsafeBufferPointer { bytes throws(StoreError) in
      try copyClear(UnsafeRawBufferPointer(bytes), framed: framed, sequence: row.sequence)
    }
  }
}
