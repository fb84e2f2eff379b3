import SeaCore

extension RecordTable {
  /// Visits records by rising id until `body` returns false. Records of which only waiting revisions are known are no
  /// records yet.
  package func forEachRecord(_ filter: RecordFilter, _ body: (RecordRow) throws -> Bool) throws {
    let columns = "SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers FROM record r"
    var sql = columns
    var conditions = ["r.leaves > 0"]
    if filter.refersTo != nil {
      sql += " JOIN reference f ON f.record = r.key"
      conditions.append("f.target = ?2")
    }
    if filter.isDangling { conditions.append(RecordTable.dangling) }
    if filter.type != nil { conditions.append("r.type = ?1") }
    if filter.after != nil { conditions.append("r.id > ?3") }
    if !filter.withDeleted { conditions.append("r.live > 0") }
    if filter.onlyConflicts { conditions.append("r.conflict > 0") }
    sql += " WHERE " + conditions.joined(separator: " AND ") + " ORDER BY r.id"
    let scan = try Statement(connection, sql)
    scan.bind(1, filter.type).bind(2, filter.refersTo).bind(3, filter.after)
    while try scan.step() { guard try body(recordRow(scan)) else { return } }
  }

  /// Of the records `r` those that refer to one that is not there, or that was deleted.
  static let dangling = """
    EXISTS(SELECT 1 FROM reference f WHERE f.record = r.key AND NOT EXISTS(
      SELECT 1 FROM record t WHERE t.id = f.target AND t.live > 0))
    """

  /// Whether any record refers to one of this id, be it there or not.
  package func isTarget(_ id: String) throws(StoreError) -> Bool {
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM reference WHERE target = ?)")
    defer { find.reset() }
    find.bind(1, id)
    return try find.step() && find.int(0) != 0
  }

  /// The types of live records, by name.
  package func types() throws(StoreError) -> [(type: String?, count: Int)] {
    let scan = try connection.statement(
      "SELECT type, count(*) FROM record WHERE live > 0 GROUP BY type ORDER BY type")
    defer { scan.reset() }
    var types: [(type: String?, count: Int)] = []
    while try scan.step() { types.append((type: scan.optionalText(0), count: scan.int(1))) }
    return types
  }

  package func countRecords(_ filter: RecordFilter) throws -> Int {
    var count = 0
    try forEachRecord(filter) { _ in
      count += 1
      return true
    }
    return count
  }

  package func countConflicts() throws(StoreError) -> Int {
    let count = try connection.statement("SELECT count(*) FROM record WHERE conflict > 0")
    defer { count.reset() }
    return try count.step() ? count.int(0) : 0
  }

  /// The records in conflict of which a block after this one says something, by rising id.
  package func contested(since sequence: Int64) throws(StoreError) -> [RecordRow] {
    let scan = try connection.statement(
      """
      SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers FROM record r
      WHERE r.conflict > 0 AND EXISTS(SELECT 1 FROM revision v WHERE v.record = r.key AND v.block > ?) ORDER BY r.id
      """)
    defer { scan.reset() }
    scan.bind(1, sequence as Int64?)
    var rows: [RecordRow] = []
    while try scan.step() { rows.append(recordRow(scan)) }
    return rows
  }

  /// How many revisions wait for a parent.
  package func countWaiting() throws(StoreError) -> Int {
    let count = try connection.statement("SELECT count(*) FROM waiting")
    defer { count.reset() }
    return try count.step() ? count.int(0) : 0
  }

  /// The ids of records with a revision that names its parent's digest at a depth that the parent does not have.
  package func badDepths() throws(StoreError) -> [String] {
    let scan = try connection.statement(
      """
      SELECT DISTINCT r.id FROM waiting w JOIN record r ON r.key = w.record
      JOIN revision v ON v.record = w.record AND v.digest = w.parent WHERE v.depth <> w.depth - 1 ORDER BY r.id
      """)
    defer { scan.reset() }
    var ids: [String] = []
    while try scan.step() { ids.append(scan.text(0)) }
    return ids
  }

  /// Whether no record was ever heard of.
  package func isEmpty() throws(StoreError) -> Bool {
    if connection.isInTransaction { return connection.state.nextRecord == 1 }
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM record)")
    defer { find.reset() }
    return try !find.step() || find.int(0) == 0
  }

  /// The Lamport time of the first block with a revision whose clock is earned; nil if there is none.
  package func earnedLamport(of leaf: Leaf, in record: RecordRow) throws(StoreError) -> UInt32? {
    if let first = try blocks.block(sequence: leaf.sequence), first.isEarned { return first.lamport }
    let whole = try leaf.place == leaf.sequence ? nil : blocks.block(sequence: leaf.place)
    let find = try connection.statement(
      """
      SELECT b.lamport FROM repeated r JOIN block b ON b.seq = r.block JOIN branch s ON s.id = b.branch
      WHERE r.record = ? AND r.depth = ? AND r.digest = ? AND b.applied IN (1, 5) AND s.earned >= b.idx ORDER BY b.lamport
      """)
    defer { find.reset() }
    find.bind(1, record.key as Int64?).bind(2, Int(leaf.revision.depth)).bind(3, copy: leaf.revision.digest.bytes)
    let other = try find.step() ? UInt32(truncatingIfNeeded: find.int(0)) : nil
    guard let whole, whole.isEarned else { return other }
    return min(whole.lamport, other ?? .max)
  }
}
