import SeaCore

/// Adds blocks to the store: stores their bytes, records their control entries and heads, and applies those changes
/// that count.
package struct Intake {
  let store: Store
  var connection: Connection { store.connection }
  var blocks: BlockTable { store.blocks }
  var branches: BranchTable { store.branches }
  var content: StoredBytes { store.content }
  private var tree: RevisionTree { store.tree }

  /// Stores a verified block and applies its content as part of the current transaction.
  /// - Parameter branch: a result of `BranchTable.position`; afterwards, the position of the next block.
  package func append(_ block: VerifiedBlock, to branch: inout BranchRow, arrived: Int64) throws(StoreError)
    -> ApplyResult
  {
    precondition(store.isInTransaction)
    let sequence = connection.state.nextSequence
    connection.state.nextSequence += 1
    try blocks.recordSetBack(arrived, of: sequence)
    let state = try storeBlock(block, in: &branch, sequence: sequence, arrived: arrived)
    return try storeAndApply(
      block.payload, of: block.clear ?? block.bytes, sequence: sequence, as: state, isHidden: block.isHidden)
  }

  package func append(_ block: VerifiedBlock, arrived: Int64) throws(StoreError) -> ApplyResult {
    var trunk =
      try branches.branch(block.ref.branch.mainBranch)
      ?? BranchRow(
        key: 0, id: block.ref.branch.mainBranch, first: 0, previous: block.header.previous, head: block.ref, lamport: 0,
        time: 0, lastProvenIndex: -1)
    return try append(block, to: &trunk, arrived: arrived)
  }

  /// Appends a block of this instance at `point` and moves the point past the block. The block refers to the heads in
  /// `unannounced`.
  package func append(_ block: VerifiedBlock, at point: inout AppendPoint, arrived: Int64) throws(StoreError)
    -> ApplyResult
  {
    guard var trunk = point.trunk else {
      let applied = try append(block, arrived: arrived)
      try branches.announce(point.unannounced)
      point.unannounced = []
      point.trunk = try branches.branch(block.ref.branch.mainBranch)
      point.lamport = block.header.lamport
      return applied
    }
    let applied = try append(block, to: &trunk, arrived: arrived)
    try branches.announce(point.unannounced)
    point.unannounced = []
    point.trunk = trunk
    point.lamport = trunk.lamport
    return applied
  }

  package func release(_ row: BlockRow) throws(StoreError) -> ApplyResult {
    precondition(store.isInTransaction && (row.state == .held || row.state == .heldBack))
    if row.isRemoved {
      try blocks.setState(.purged, of: row)
      return try countRemains(of: row)
    }
    guard let bytes = try content.clearBytes(of: row) else { throw .damaged("block") }
    try blocks.setState(.applied, of: row)
    return try bytes.withUnsafeBufferPointer { bytes throws(StoreError) -> ApplyResult in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard let payload = try? BlockReader.payload(ofKept: bytes) else { throw .damaged("block \(row.ref)") }
      return try count(payload, of: bytes, sequence: row.sequence, isHidden: row.isHidden)
    }
  }

  package func show(_ shown: [BlockRow], hide hidden: [BlockRow]) throws -> ApplyResult {
    precondition(store.isInTransaction)
    var applied = ApplyResult()
    for row in hidden { try blocks.setHidden(true, of: row) }
    for row in shown { try blocks.setHidden(false, of: row) }
    if hidden.contains(where: { $0.state == .applied }) {
      applied.records = try store.projection.rebuildInTransaction()
      return applied
    }
    for row in shown where row.state == .applied {
      guard let bytes = try content.clearBytes(of: row) else { throw StoreError.damaged("block") }
      try bytes.withUnsafeBytes { bytes in
        guard let payload = try? BlockReader.payload(ofKept: bytes) else {
          throw StoreError.damaged("block \(row.ref)")
        }
        applied.add(try apply(payload, of: bytes, sequence: row.sequence))
      }
    }
    return applied
  }

  package func read(
    _ row: BlockRow, clear: [UInt8], framed: [UInt8]?, _ payload: Payload, isHeld: Bool, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    precondition(store.isInTransaction && row.state == .unread)
    try store.forgetJudgedRemovals()
    let branch = try branches.branch(row.branch)
    let isWrong = branch?.wrongFrom.map { $0 <= row.index } ?? false
    let state: BlockState = isWrong ? .badLamport : isHeld ? .held : .applied
    try storeBlock(clear, framed: framed, payload, of: row, as: state, isHidden: isHidden)
    return try clear.withUnsafeBufferPointer { bytes throws(StoreError) -> ApplyResult in
      try storeAndApply(
        payload, of: UnsafeRawBufferPointer(bytes), sequence: row.sequence, as: state, isHidden: isHidden)
    }
  }

  /// Replaces a purged block with the complete block, as part of the current transaction. The block is pending until
  /// its authorization is checked.
  package func restorePurgedBlock(_ row: BlockRow, with block: VerifiedBlock) throws(StoreError) {
    precondition(store.isInTransaction && row.state == .unread && row.digest == block.ref.digest)
    try store.forgetJudgedClocks()
    try replace(row, with: block)
    guard let payload = block.payload else { return try blocks.setUnread(block.unread, of: row) }
    _ = try read(
      row, clear: Array(block.clear ?? block.bytes), framed: block.framed, payload, isHeld: true,
      isHidden: block.isHidden)
  }

  /// Stores the data that a purge order has about a purged block, as part of the current transaction. If no purge order
  /// allows the block anymore, `remains` is nil. The block is pending until its authorization is checked. The caller
  /// must update the projection.
  package func setRemains(_ remains: [UInt8]?, of row: BlockRow) throws(StoreError) {
    precondition(store.isInTransaction && row.isRemoved)
    let isWrong = try branches.branch(row.branch)?.wrongFrom.map { $0 <= row.index } ?? false
    try setRemains(remains, of: row, as: remains == nil ? .unread : isWrong ? .badLamport : .held)
  }

  private func countRemains(of row: BlockRow) throws(StoreError) -> ApplyResult {
    try content.remains(of: row).withUnsafeBufferPointer { kept throws(StoreError) in
      let bytes = UnsafeRawBufferPointer(kept)
      guard let remains = try? PurgedBlockData(ofKept: bytes) else { throw .damaged("block \(row.ref)") }
      let heads = try content.heads(of: row)
      if !heads.isEmpty { try store.peers.recordAnnounced(heads) }
      return try tree.apply(remains.changes, of: bytes, sequence: row.sequence)
    }
  }

  private func storeAndApply(
    _ payload: Payload?, of clear: UnsafeRawBufferPointer, sequence: Int64, as state: BlockState, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    guard let payload else { return ApplyResult() }
    try store.control.keep(payload.controls, sequence: sequence)
    guard state == .applied else { return ApplyResult() }
    return try count(payload, of: clear, sequence: sequence, isHidden: isHidden)
  }

  private func count(
    _ payload: Payload, of clear: UnsafeRawBufferPointer, sequence: Int64, isHidden: Bool
  ) throws(StoreError) -> ApplyResult {
    if !payload.heads.isEmpty { try store.peers.recordAnnounced(payload.heads) }
    return isHidden ? ApplyResult() : try apply(payload, of: clear, sequence: sequence)
  }

  func apply(_ payload: Payload, of clear: UnsafeRawBufferPointer, sequence: Int64) throws(StoreError) -> ApplyResult {
    let applied = try tree.apply(payload.changes, of: clear, sequence: sequence)
    try store.assets.insertReferences(from: payload, of: clear)
    return applied
  }
}

// Clocks are judged when their blocks are stored, if possible. `StoredClockSource` later judges the clocks that depend on
// missing blocks.

extension Intake {
  /// Stores a block after the head of its branch, or as the first block of a new branch, as part of the current
  /// transaction.
  /// - Returns: the state of the block.
  func storeBlock(
    _ block: VerifiedBlock, in branch: inout BranchRow, sequence: Int64, arrived: Int64
  ) throws(StoreError) -> BlockState {
    guard branch.next == block.header.index, branch.instance == block.ref.instance else {
      throw .damaged("a block that does not follow its branch")
    }
    if let open = connection.state.head, open.key != branch.key { try branches.writeHead() }
    let before = try branch.isNew ? begin(&branch, with: block) : branch.lamport
    try judge(block, after: before, in: &branch)
    let time = block.payload?.time ?? arrived
    let insert = try connection.statement(
      """
      INSERT INTO block(seq, branch, idx, lamport, size, digest, changes, applied, time, arrived, label, unread, sibling, whole)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.bind(1, sequence as Int64?).bind(2, branch.key as Int64?).bind(3, Int(block.header.index))
    insert.bind(4, Int(block.header.lamport)).bind(5, block.bytes.count).bind(6, copy: block.ref.digest.bytes)
    let isRead = block.payload != nil
    let state: BlockState = !isRead ? .unread : branch.isWrong ? .badLamport : block.isPending ? .held : .applied
    insert.bind(7, block.payload?.changes.count ?? 0).bind(8, state.rawValue)
    insert.bind(9, time as Int64?).bind(10, arrived as Int64?)
    insert.bind(11, block.payload?.label)
    let unread = !isRead ? block.unread : block.isHidden ? .noKey : nil
    insert.bind(12, unread.map { Int64($0.rawValue) })
    insert.bind(13, branch.id.isMainBranch ? nil : 1 as Int64?)
    try insert.bind(14, block.header.mode.contains(.removed) ? block.header.wholeSize : 0).run()
    branch.head = BlockRef(branch.id, index: block.header.index, digest: block.ref.digest)
    branch.lamport = block.header.lamport
    branch.time = time
    connection.state.head = UnwrittenHead(
      key: branch.key, index: branch.head.index, digest: branch.head.digest, lamport: branch.lamport, time: time,
      earned: branch.lastProvenIndex, isWrong: branch.isWrong)
    try copyBytes(of: block, sequence: sequence)
    if block.header.mode.contains(.sealed), let clear = block.clear {
      try content.copyClear(clear, framed: block.framed, sequence: sequence)
    }
    return state
  }

  private func copyBytes(of block: VerifiedBlock, sequence: Int64) throws(StoreError) {
    if block.header.mode.contains(.sealed), !block.header.mode.contains(.removed) {
      return try content.copyPieces(block.bytes, first: sequence << 16, "INSERT INTO sealed(key, bytes) VALUES(?, ?)")
    }
    var isFramed = block.header.mode.contains(.compressed) && !block.header.mode.contains(.removed)
    if isFramed { isFramed = try content.copyFrames(block.bytes, tail: Payload.signatureSize, sequence: sequence) }
    if !isFramed { try content.copyPieces(block.bytes, sequence: sequence) }
  }

  func replace(_ row: BlockRow, with block: VerifiedBlock) throws(StoreError) {
    try content.removePieces(row)
    let update = try connection.statement("UPDATE block SET size = ?, whole = 0 WHERE seq = ?")
    try update.bind(1, block.bytes.count).bind(2, row.sequence as Int64?).run()
    try copyBytes(of: block, sequence: row.sequence)
  }

  /// - Returns: the clock before the first block; nil if it is not known whether that clock is earned.
  private func begin(_ branch: inout BranchRow, with block: VerifiedBlock) throws(StoreError) -> UInt32? {
    if branch.id.isMainBranch {
      guard case .instance(let name, let key, let exchange, _)? = block.payload?.controls.first else {
        throw .damaged("block 0 without its announcement")
      }
      let chain = try connection.statement("INSERT INTO chain(instance, name, key, exchange) VALUES(?, ?, ?, ?)")
      try chain.bind(1, copy: branch.instance.bytes).bind(2, name).bind(3, copy: key).bind(4, copy: exchange).run()
    }
    let insert = try connection.statement(
      """
      INSERT INTO branch(instance, fork, first, previous, head, digest, lamport, time, earned)
      VALUES(?, ?, ?, ?, -1, zeroblob(32), 0, 0, ?) RETURNING id
      """)
    insert.bind(1, copy: branch.instance.bytes).bind(2, fork: branch.id.fork).bind(3, Int(branch.first))
    branch.lastProvenIndex = Int64(branch.first) - 1
    insert.bind(4, copy: branch.previous.bytes).bind(5, branch.lastProvenIndex as Int64?)
    guard try insert.step() else { throw .damaged("branch") }
    branch.key = Int64(insert.int(0))
    insert.reset()
    guard branch.first > 0 else { return 0 }
    guard let base = try branches.base(of: branch), let left = try branches.branch(base.branch) else { return nil }
    branch.isWrong = left.isWrong && Int64(base.index) > left.lastProvenIndex
    return base.isEarned ? base.lamport : nil
  }

  func storeBlock(
    _ clear: [UInt8], framed: [UInt8]?, _ payload: Payload, of row: BlockRow, as state: BlockState, isHidden: Bool
  ) throws(StoreError) {
    let update = try connection.statement(
      "UPDATE block SET applied = ?, changes = ?, time = ?, label = ?, unread = ? WHERE seq = ?")
    update.bind(1, state.rawValue).bind(2, payload.changes.count).bind(3, payload.time as Int64?)
    update.bind(4, payload.label).bind(5, isHidden ? Int64(UnreadReason.noKey.rawValue) : nil)
    try update.bind(6, row.sequence as Int64?).run()
    guard try connection.isSealed() else { return }
    try clear.withUnsafeBufferPointer { bytes throws(StoreError) in
      try content.copyClear(UnsafeRawBufferPointer(bytes), framed: framed, sequence: row.sequence)
    }
  }

  func setRemains(_ remains: [UInt8]?, of row: BlockRow, as state: BlockState) throws(StoreError) {
    let block = try content.bytes(of: row)
    try content.removePieces(row)
    let kept = block + (remains ?? [])
    try kept.withUnsafeBufferPointer { bytes throws(StoreError) in
      try content.copyPieces(UnsafeRawBufferPointer(bytes), sequence: row.sequence)
    }
    let said = remains == nil ? nil : kept.withUnsafeBytes { try? PurgedBlockData(ofKept: $0) }
    let update = try connection.statement("UPDATE block SET applied = ?, unread = ?, changes = ? WHERE seq = ?")
    update.bind(1, state.rawValue).bind(2, said == nil ? Int64(UnreadReason.notReadable.rawValue) : nil)
    try update.bind(3, said?.changes.count ?? 0).bind(4, row.sequence as Int64?).run()
  }

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

  /// Judges the clock of the next block of a branch as earned or wrong, if that can already be decided.
  /// - Parameter before: the clock of the previous block; nil if it is not known whether that clock is earned.
  func judge(_ block: VerifiedBlock, after before: UInt32?, in branch: inout BranchRow) throws(StoreError) {
    guard !branch.isWrong, branch.lastProvenIndex == Int64(block.header.index) - 1, let before else { return }
    var greatest = before
    for head in block.header.heads(in: block.bytes) {
      guard let clock = try clock(of: head), clock.isEarned else { return }
      greatest = max(greatest, clock.lamport)
    }
    if block.header.lamport == LamportClock.next(after: greatest) {
      branch.lastProvenIndex = Int64(block.header.index)
    } else {
      branch.isWrong = true
    }
  }

  func empty(_ row: BlockRow, _ remains: [UInt8]) throws(StoreError) {
    let header = try content.header(of: row)
    guard let removed = try content.bytes(of: row).withUnsafeBytes({ header.removed($0) }) else {
      throw .damaged("block \(row.ref)")
    }
    let kept = removed + remains
    guard let said = kept.withUnsafeBytes({ try? PurgedBlockData(ofKept: $0) }) else {
      throw .damaged("block \(row.ref)")
    }
    for sql in ["DELETE FROM piece WHERE key BETWEEN ? AND ?", "DELETE FROM sealed WHERE key BETWEEN ? AND ?"]
      as [StaticString]
    {
      let remove = try connection.statement(sql)
      remove.bind(1, (row.sequence << 16) as Int64?)
      try remove.bind(2, (row.sequence << 16 | 0xFFFF) as Int64?).run()
    }
    try kept.withUnsafeBufferPointer { bytes throws(StoreError) in
      try content.copyPieces(UnsafeRawBufferPointer(bytes), sequence: row.sequence)
    }
    let state: BlockState =
      switch row.state {
      case .applied: .purged
      case .unread: .held
      default: row.state
      }
    let update = try connection.statement(
      "UPDATE block SET whole = size, size = ?, applied = ?, changes = ?, unread = NULL, label = NULL WHERE seq = ?")
    update.bind(1, removed.count).bind(2, state.rawValue).bind(3, said.changes.count)
    try update.bind(4, row.sequence as Int64?).run()
  }
}
