import SeaCore

extension Projection {
  /// What the indexes say, in one digest; nil if there are none.
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
        // A name is all that it keeps.
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

  /// The digest that the indexes of another store should have here, made anew.
  func indexDigest(as other: Store) throws -> Digest? {
    for index in try other.indexes() { try store.makeIndex(index.name, index.definition) }
    return try indexDigest()
  }
}

/// A digest of rows whatever their order: the sum of theirs.
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
