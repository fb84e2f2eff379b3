import SeaCore

/// A control entry that decides about others, with the place where it stands.
package struct ControlRow: Sendable {
  package var entry: ControlEntry
  /// The block that it is in.
  package var block: BlockRef
  package var lamport: UInt32
  /// Which of the block's control entries it is.
  package var item: Int
  /// Whether the block that it stands in is applied.
  package var isApplied: Bool
}

extension ControlEntry {
  /// The name under which an entry is kept apart, nil if nobody asks for it by name.
  fileprivate var kind: String? {
    switch self {
    case .authorise: "authorise"
    case .revoke: "revoke"
    case .epoch: "epoch"
    case .shared: "shared"
    case .instance, .heads, .unknown: nil
    }
  }
}

extension Store {
  /// Whether the blocks of this database are sealed.
  package func isSealed() throws(StoreError) -> Bool {
    if let knownSealed { return knownSealed }
    let sealed = try metaInt("sealed") == 1
    knownSealed = sealed
    return sealed
  }

  /// Keeps the entries of a block that decide about others.
  func keep(_ controls: [ControlEntry], sequence: Int64) throws(StoreError) {
    for (item, entry) in controls.enumerated() {
      guard let kind = entry.kind else { continue }
      var writer = ByteWriter()
      entry.write(into: &writer)
      let insert = try connection.statement(
        "INSERT OR IGNORE INTO control(seq, item, kind, bytes) VALUES(?, ?, ?, ?)")
      insert.bind(1, sequence as Int64?).bind(2, item).bind(3, kind).bind(4, copy: writer.array())
      try insert.run()
    }
  }

  /// The entries of some kinds, in no particular order.
  package func controls(_ kinds: [String]) throws(StoreError) -> [ControlRow] {
    var rows: [ControlRow] = []
    for kind in kinds {
      let scan = try connection.statement(
        """
        SELECT k.bytes, ifnull(c.instance, s.instance), b.idx, b.lamport, k.item, b.applied, b.digest
        FROM control k JOIN block b ON b.seq = k.seq LEFT JOIN chain c ON c.id = b.chain
          LEFT JOIN branch s ON s.id = b.chain
        WHERE k.kind = ?
        """)
      defer { scan.reset() }
      scan.bind(1, kind)
      while try scan.step() {
        let bytes = scan.array(0)
        guard scan.bytes(1).count == 16, let entry = ControlEntry(stored: bytes), let digest = Digest(scan.array(6))
        else { throw .damaged("control") }
        let author = UUID(scan.bytes(1).baseAddress!)
        rows.append(
          ControlRow(
            entry: entry,
            block: BlockRef(instance: author, index: UInt32(truncatingIfNeeded: scan.int(2)), digest: digest),
            lamport: UInt32(truncatingIfNeeded: scan.int(3)), item: scan.int(4), isApplied: scan.int(5) == 1))
      }
    }
    return rows
  }

  /// The X25519 key that an instance has announced.
  package func exchangeKey(of instance: UUID) throws(StoreError) -> [UInt8]? {
    let find = try connection.statement("SELECT exchange FROM chain WHERE instance = ?")
    defer { find.reset() }
    find.bind(1, copy: instance.bytes)
    return try find.step() ? find.array(0) : nil
  }

  // MARK: - Blocks that are not applied

  /// Blocks in a state other than `applied`, oldest first.
  package func blocks(_ state: BlockState, of instance: UUID? = nil) throws(StoreError) -> [BlockRow] {
    precondition(state != .applied)
    let scan = try connection.statement(
      """
      SELECT b.seq, ifnull(c.instance, s.instance), b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time,
        b.arrived, b.label, s.fork
      FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain
      WHERE b.applied <> 1 AND b.applied = ?1 AND (?2 IS NULL OR ifnull(c.instance, s.instance) = ?2) ORDER BY b.seq
      """)
    defer { scan.reset() }
    scan.bind(1, state.rawValue).bind(2, copy: instance?.bytes)
    var rows: [BlockRow] = []
    while try scan.step() { rows.append(try blockRow(scan)) }
    return rows
  }

  /// How many blocks of each instance are held.
  package func heldBlocks() throws(StoreError) -> [(instance: UUID, blocks: Int, first: UInt32)] {
    let scan = try connection.statement(
      """
      SELECT ifnull(c.instance, s.instance) i, count(*), min(b.idx)
      FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain
      WHERE b.applied <> 1 AND b.applied = 2 GROUP BY i ORDER BY i
      """)
    defer { scan.reset() }
    var found: [(instance: UUID, blocks: Int, first: UInt32)] = []
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("block") }
      found.append((UUID(scan.bytes(0).baseAddress!), scan.int(1), UInt32(truncatingIfNeeded: scan.int(2))))
    }
    return found
  }

  /// Applies a block that was held, in the current transaction.
  package func release(_ row: BlockRow) throws(StoreError) -> Applied {
    precondition(inTransaction && row.state == .held)
    guard let bytes = try clearBytes(of: row) else { throw .damaged("block") }
    try setState(.applied, of: row)
    return try bytes.withUnsafeBufferPointer { bytes throws(StoreError) -> Applied in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard let payload = try? BlockReader.payload(ofKept: bytes) else {
        throw .damaged("block \(row.instance)/\(row.index)")
      }
      return try count(payload, of: bytes, sequence: row.sequence)
    }
  }

  /// Takes in what a block says that could not be read before, in the current transaction.
  package func read(_ row: BlockRow, clear: [UInt8], _ payload: Payload, isHeld: Bool) throws(StoreError) -> Applied {
    precondition(inTransaction && row.state == .unread)
    let update = try connection.statement(
      "UPDATE block SET applied = ?, changes = ?, time = ?, label = ? WHERE seq = ?")
    update.bind(1, (isHeld ? BlockState.held : .applied).rawValue).bind(2, payload.changes.count)
    try update.bind(3, payload.time as Int64?).bind(4, payload.label).bind(5, row.sequence as Int64?).run()
    return try clear.withUnsafeBufferPointer { bytes throws(StoreError) -> Applied in
      let bytes = UnsafeRawBufferPointer(bytes)
      if try isSealed() { try copyPieces(bytes, sequence: row.sequence) }
      return try take(payload, of: bytes, sequence: row.sequence, isHeld: isHeld)
    }
  }

  package func setState(_ state: BlockState, of row: BlockRow) throws(StoreError) {
    let update = try connection.statement("UPDATE block SET applied = ? WHERE seq = ?")
    try update.bind(1, state.rawValue).bind(2, row.sequence as Int64?).run()
  }

  /// The applied blocks of an instance behind an index, in all branches.
  package func appliedBlocks(of instance: UUID, after index: Int64) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT b.seq, ifnull(c.instance, s.instance), b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time,
        b.arrived, b.label, s.fork
      FROM block b LEFT JOIN chain c ON c.id = b.chain LEFT JOIN branch s ON s.id = b.chain
      WHERE b.chain IN (SELECT id FROM chain WHERE instance = ?1 UNION ALL SELECT id FROM branch WHERE instance = ?1)
        AND b.idx > ?2 AND b.applied = 1
      ORDER BY b.seq
      """)
    defer { scan.reset() }
    scan.bind(1, copy: instance.bytes).bind(2, index as Int64?)
    var rows: [BlockRow] = []
    while try scan.step() { rows.append(try blockRow(scan)) }
    return rows
  }

  // MARK: - Requests

  package func requests() throws(StoreError) -> [[UInt8]] {
    let scan = try connection.statement("SELECT bytes FROM request ORDER BY instance")
    defer { scan.reset() }
    var found: [[UInt8]] = []
    while try scan.step() { found.append(scan.array(0)) }
    return found
  }

  package func keepRequest(_ bytes: [UInt8], of instance: UUID) throws(StoreError) {
    let insert = try connection.statement("INSERT OR REPLACE INTO request(instance, bytes) VALUES(?, ?)")
    try insert.bind(1, copy: instance.bytes).bind(2, copy: bytes).run()
  }

  package func removeRequest(of instance: UUID) throws(StoreError) {
    try connection.statement("DELETE FROM request WHERE instance = ?").bind(1, copy: instance.bytes).run()
  }

  // MARK: - Slots

  package func slots() throws(StoreError) -> [Slot] {
    let scan = try connection.statement("SELECT bytes FROM slot ORDER BY digest")
    defer { scan.reset() }
    var slots: [Slot] = []
    while try scan.step() {
      guard let slot = try? Slot(scan.array(0)) else { throw .damaged("slot") }
      slots.append(slot)
    }
    return slots
  }

  package func keep(_ slot: Slot) throws(StoreError) {
    let insert = try connection.statement("INSERT OR IGNORE INTO slot(digest, bytes) VALUES(?, ?)")
    try insert.bind(1, copy: slot.digest.bytes).bind(2, copy: slot.bytes).run()
  }
}
