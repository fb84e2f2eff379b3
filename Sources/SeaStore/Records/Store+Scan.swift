import SeaCore

/// Which records a scan visits, in the order of their ids.
package struct RecordFilter: Sendable {
  package var type: String?
  /// Only records that refer to this id.
  package var refersTo: String?
  package var after: String?
  package var withDeleted = false
  package var onlyConflicts = false

  package init() {}
}

extension Store {
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
    if filter.type != nil { conditions.append("r.type = ?1") }
    if filter.after != nil { conditions.append("r.id > ?3") }
    if !filter.withDeleted { conditions.append("r.live > 0") }
    if filter.onlyConflicts { conditions.append("r.conflict > 0") }
    sql += " WHERE " + conditions.joined(separator: " AND ") + " ORDER BY r.id"
    let scan = try Statement(connection, sql)
    scan.bind(1, filter.type).bind(2, filter.refersTo).bind(3, filter.after)
    while try scan.step() { guard try body(recordRow(scan)) else { return } }
  }

  package struct TypeCount: Sendable {
    package var type: String?
    package var count: Int
  }

  /// The types of live records, by name.
  package func types() throws(StoreError) -> [TypeCount] {
    let scan = try connection.statement(
      "SELECT type, count(*) FROM record WHERE live > 0 GROUP BY type ORDER BY type")
    defer { scan.reset() }
    var types: [TypeCount] = []
    while try scan.step() { types.append(TypeCount(type: scan.optionalText(0), count: scan.int(1))) }
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

  package func lastSequence() throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT ifnull(max(seq), 0) FROM block")
    defer { find.reset() }
    return try find.step() ? Int64(find.int(0)) : 0
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

  // MARK: - The projection as a whole

  /// One digest over everything the projection says: equal content, equal digest, whatever arrived when.
  ///
  /// Every revision is read from its block on the way, and must be what its name says.
  package func projectionDigest() throws -> Digest {
    var hash = SHA256()
    var filter = RecordFilter()
    filter.withDeleted = true
    try forEachRecord(filter) { row in
      hash.update("\(row.id)\n\(row.type ?? "-")\n\(row.leaves) \(row.live) \(row.conflict.rawValue)\n")
      for one in try revisions(of: row) {
        let items = try read(sequence: one.sequence, offset: one.offset, length: one.length)
        guard items.withUnsafeBytes({ Change.digest(items: $0) }) == one.revision.digest else {
          throw StoreError.damaged("revision \(one.revision) of \(row.id)")
        }
        let parent = one.parent.map { $0.description } ?? "-"
        hash.update("\(one.revision) \(one.kind.rawValue) \(one.isLeaf) \(one.isAttached) \(parent)\n")
      }
      return true
    }
    let targets = try connection.statement(
      "SELECT r.id, f.target FROM reference f JOIN record r ON r.key = f.record ORDER BY r.id, f.target")
    defer { targets.reset() }
    while try targets.step() { hash.update("\(targets.text(0))\n\(targets.text(1))\n") }
    try hashAssets(into: &hash)
    let waits = try connection.statement(
      """
      SELECT r.id, w.depth, hex(w.digest), hex(w.parent) FROM waiting w JOIN record r ON r.key = w.record
      ORDER BY 1, 2, 3, 4
      """)
    defer { waits.reset() }
    while try waits.step() {
      hash.update("\(waits.text(0))\n\(waits.int(1)) \(waits.text(2)) \(waits.text(3))\n")
    }
    return hash.digest()
  }

  /// Forgets the projection and builds it anew from the blocks, in one transaction.
  /// - Returns: how many blocks were read, and of those how many this program cannot apply.
  package func rebuildProjection() throws -> (blocks: Int, unread: Int) {
    try transaction { try rebuild() }
  }

  /// The same in the current transaction.
  /// - Returns: how many records there are.
  package func rebuildInTransaction() throws -> Int {
    _ = try rebuild()
    return try countRecords(RecordFilter())
  }

  private func rebuild() throws -> (blocks: Int, unread: Int) {
    precondition(inTransaction)
    try connection.execute(Schema.dropProjection)
    try connection.execute(Schema.projection)
    projection.nextRecord = 1
    projection.someWait = false
    return try replay(from: self)
  }

  /// The digest that the projection should have: that of one built aside from the same blocks.
  package func expectedProjectionDigest() throws -> Digest {
    let aside = try Store(temporary: ())
    return try aside.transaction {
      _ = try aside.replay(from: self)
      return try aside.projectionDigest()
    }
  }

  private func replay(from source: Store) throws -> (blocks: Int, unread: Int) {
    var counts = (blocks: 0, unread: 0)
    var last: Int64 = 0
    while let row = try source.nextBlock(after: last) {
      last = row.sequence
      counts.blocks += 1
      guard row.state == .applied, let bytes = try source.clearBytes(of: row) else {
        if row.state == .unread { counts.unread += 1 }
        continue
      }
      try bytes.withUnsafeBytes { bytes in
        guard let payload = try? BlockReader.payload(ofKept: bytes) else {
          counts.unread += 1
          return
        }
        if self !== source { try copyPieces(bytes, sequence: row.sequence) }
        _ = try apply(payload, of: bytes, sequence: row.sequence)
      }
    }
    return counts
  }

  func nextBlock(after sequence: Int64) throws(StoreError) -> BlockRow? {
    let find = try connection.statement("SELECT min(seq) FROM block WHERE seq > ?")
    defer { find.reset() }
    find.bind(1, sequence as Int64?)
    guard try find.step(), let next = find.optionalInt(0) else { return nil }
    return try block(sequence: next)
  }
}

extension Store {
  /// Whether no record was ever heard of.
  package func isEmpty() throws(StoreError) -> Bool {
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM record)")
    defer { find.reset() }
    return try !find.step() || find.int(0) == 0
  }
}
