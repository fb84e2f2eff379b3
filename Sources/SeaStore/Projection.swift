import CSQLite
import SeaCore

package struct Projection {
  let store: Store
  private var connection: Connection { store.connection }
  private var records: RecordTable { store.records }

  /// Returns a digest of the whole projection. Equal content has the same digest, regardless of the order of arrival.
  ///
  /// Every revision is read from its block and checked against its id.
  package func digest() throws -> Digest {
    var hash = SHA256()
    var filter = RecordFilter()
    filter.withDeleted = true
    try records.forEachRecord(filter) { row in
      hash.update("\(row.id)\n\(row.type ?? "-")\n\(row.leaves) \(row.live) \(row.conflict.rawValue)\n")
      if let shape = try records.shapes.shape(of: row) { hash.update(shape) }
      for one in try records.revisions(of: row) {
        let items = try store.content.read(sequence: one.place, offset: one.offset, length: one.length)
        if one.isOrdered {
          hash.update(items)
        } else if items.withUnsafeBytes({ Change.digest(items: $0) }) != one.revision.digest {
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
    try store.assets.hash(into: &hash)
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

  /// Discards the projection and rebuilds it from the blocks, in one transaction.
  /// - Returns: the number of blocks that were read, and how many of these this program cannot apply.
  package func rebuildAll() throws -> (blocks: Int, unread: Int) {
    try store.write {
      try renewControls()
      return try rebuild()
    }
  }

  /// Rereads unreadable control entries from their blocks. If this program cannot read a block, it is marked as unread.
  private func renewControls() throws {
    for sequence in try store.control.unreadable() {
      try store.control.forget(sequence: sequence)
      guard let row = try store.blocks.block(sequence: sequence), row.state != .unread,
        let bytes = try store.content.clearBytes(of: row)
      else { continue }
      let read = bytes.withUnsafeBytes { bytes in
        Result { () throws(CoreError) in try BlockReader.payload(ofKept: bytes) }
      }
      switch read {
      case .success(let payload): try store.control.keep(payload.controls, sequence: sequence)
      case .failure(let fault):
        try store.blocks.setState(.unread, of: row)
        try store.blocks.setUnread(UnreadReason(fault), of: row)
      }
    }
  }

  package func rebuildInTransaction() throws -> Int {
    _ = try rebuild()
    return try records.countRecords(RecordFilter())
  }

  /// Rebuilds the projection and adds the resulting differences to the feed.
  func rebuild() throws -> (blocks: Int, unread: Int) {
    precondition(connection.isInTransaction)
    let feeds = store.feed.isOn
    let comparesAfter = try feeds && store.tree.saveFormerState()
    if feeds, !comparesAfter { try store.feed.clear() }
    store.feed.isOn = feeds && !comparesAfter
    defer { store.feed.isOn = feeds }
    try connection.execute(Schema.dropProjection)
    try connection.execute(Schema.projection)
    // From now on, the shapes have different keys.
    records.shapes.forget()
    connection.state.nextRecord = 1
    connection.state.someWait = false
    let counts = try records.indexes.paused { try replay(from: store) }
    for index in try records.indexes.all() { try RecordIndexes(records).fill(index) }
    if comparesAfter { try store.tree.addDifferencesToFeed() }
    connection.state.mustRebuild = false
    return counts
  }

  /// Rebuilds the projection if blocks or purge orders in this transaction contradict each other.
  func rebuildIfNeeded() throws {
    if connection.state.mustRebuild { _ = try rebuild() }
  }

  /// Returns the correct digest, by building a temporary projection from the same blocks.
  package func expectedDigest() throws -> Digest { try withTemporaryProjection { try $0.digest() } }

  /// Whether the projection and every index match the blocks.
  /// - Throws: `damaged` if any part of the file is unreadable.
  package func isRight() throws -> Bool {
    try checkFile()
    return try withTemporaryProjection { aside in
      try aside.digest() == digest() && aside.indexDigest(as: store) == indexDigest()
    }
  }

  private func checkFile() throws(StoreError) {
    let check = try connection.statement("PRAGMA main.quick_check(1)")
    defer { check.reset() }
    guard try check.step() else { return }
    let said = check.text(0)
    // SQLite reports a failing disk as an invalid page.
    if said != "ok", sea_sqlite_disk_failed() != 0 { throw connection.failure(SQLITE_IOERR) }
    // The last line of SQLite's report contains the location of the damage.
    if said != "ok" { throw .damaged(said.split(separator: "\n").last.map(String.init) ?? said) }
  }

  private func withTemporaryProjection<Result>(_ body: (Projection) throws -> Result) throws -> Result {
    let aside = try Store(temporary: ())
    return try aside.write {
      _ = try aside.projection.replay(from: store)
      return try body(aside.projection)
    }
  }

  /// Replays the complete blocks first, and then the purge orders about purged blocks, ordered by clock. A false
  /// statement in a purge order thus comes too late to have any effect.
  private func replay(from source: Store) throws -> (blocks: Int, unread: Int) {
    var counts = (blocks: 0, unread: 0)
    var last: Int64 = 0
    var purged: [BlockRow] = []
    while let row = try source.blocks.block(after: last) {
      last = row.sequence
      counts.blocks += 1
      guard !row.isRemoved else {
        if row.state == .purged { purged.append(row) }
        continue
      }
      guard row.state == .applied, !row.isHidden, let bytes = try source.content.clearBytes(of: row) else {
        if row.state == .unread { counts.unread += 1 }
        continue
      }
      try bytes.withUnsafeBytes { bytes in
        guard let payload = try? BlockReader.payload(ofKept: bytes) else {
          counts.unread += 1
          return
        }
        if store !== source { try store.content.copyPieces(bytes, sequence: row.sequence) }
        _ = try store.intake.apply(payload, of: bytes, sequence: row.sequence)
      }
    }
    for row in purged.sorted(by: { $0.isBefore($1) }) {
      try source.content.remains(of: row).withUnsafeBytes { bytes in
        guard let remains = try? PurgedBlockData(ofKept: bytes) else { throw StoreError.damaged("block \(row.ref)") }
        if store !== source { try store.content.copyPieces(bytes, sequence: row.sequence) }
        _ = try store.tree.apply(remains.changes, of: bytes, sequence: row.sequence)
      }
    }
    return counts
  }
}

extension Projection {
  package func indexDigest() throws -> Digest? {
    let all = try store.indexes()
    guard !all.isEmpty else { return nil }
    var hash = SHA256()
    for index in all {
      hash.update("\(index.name)\n\(index.definition.kind.rawValue)\n\(index.definition.description)\n")
      var sum = RowSum()
      if index.definition.kind == .values {
        let rows = try store.connection.statement(
          "SELECT r.id, e.key FROM index_entry e JOIN record r ON r.key = e.record WHERE e.slot = ?")
        rows.bind(1, index.slot)
        try sum.add(rows, columns: 2)
      } else {
        let names = index.definition.paths.indices.map { ", w.c\($0)" }.joined()
        try sum.add(
          Statement(store.connection, "SELECT r.id\(names) FROM \(index.words) w JOIN record r ON r.key = w.rowid"),
          columns: Int32(index.definition.paths.count) + 1)
        // The temporary table stores only a name.
        try store.connection.execute("PRAGMA temp_store=MEMORY")
        try store.connection.execute(
          "CREATE VIRTUAL TABLE temp.\(index.words)_seen USING fts5vocab(main, '\(index.words)', 'instance')")
        defer { try? store.connection.execute("DROP TABLE temp.\(index.words)_seen") }
        try sum.add(
          Statement(
            store.connection,
            "SELECT r.id, s.term, s.col, s.offset FROM temp.\(index.words)_seen s JOIN record r ON r.key = s.doc"),
          columns: 4)
      }
      hash.update(sum.bytes)
    }
    return hash.digest()
  }

  func indexDigest(as other: Store) throws -> Digest? {
    for index in try other.indexes() { try store.makeIndex(index.name, index.definition) }
    return try indexDigest()
  }
}

/// The sum of the digests of rows, which does not depend on the order of the rows.
private struct RowSum {
  private var sum: (UInt64, UInt64) = (0, 0)
  private var count: UInt64 = 0

  mutating func add(_ rows: Statement, columns: Int32) throws(StoreError) {
    defer { rows.reset() }
    while try rows.step() {
      var hash = SHA256()
      for column in 0..<columns {
        let bytes = rows.array(column)
        hash.update("\(bytes.count):")
        hash.update(bytes)
      }
      let digest = hash.digest().bytes
      sum.0 &+= digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      sum.1 &+= digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
      count += 1
    }
  }

  var bytes: [UInt8] { Array("\(sum.0) \(sum.1) \(count)\n".utf8) }
}
