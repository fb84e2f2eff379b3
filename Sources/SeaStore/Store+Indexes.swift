import SeaCore

// Indexes as a whole: to have one or not, and whether they are right.

extension Store {
  /// The indexes that there are, by name.
  package func indexes() throws -> [KeptIndex] { try records.indexes.all() }

  /// Makes an index, in the place of one of that name, in one transaction.
  package func makeIndex(_ name: String, _ definition: IndexDefinition) throws {
    try write { try records.fill(records.indexes.create(name, definition)) }
  }

  /// Ends an index.
  /// - Returns: whether there was one.
  @discardableResult package func dropIndex(_ name: String) throws -> Bool {
    try write { try records.indexes.drop(name) }
  }

  /// What the indexes say, in one digest; nil if there are none.
  package func indexDigest() throws -> Digest? {
    let all = try indexes()
    guard !all.isEmpty else { return nil }
    var hash = SHA256()
    for index in all {
      hash.update("\(index.name)\n\(index.definition.kind.rawValue)\n\(index.definition.description)\n")
      var sum = RowSum()
      if index.definition.kind == .values {
        let rows = try connection.statement(
          "SELECT r.id, e.key FROM index_entry e JOIN record r ON r.key = e.record WHERE e.slot = ?")
        rows.bind(1, index.slot)
        try sum.add(rows, columns: 2)
      } else {
        let names = index.definition.paths.indices.map { ", w.c\($0)" }.joined()
        try sum.add(
          Statement(connection, "SELECT r.id\(names) FROM \(index.words) w JOIN record r ON r.key = w.rowid"),
          columns: Int32(index.definition.paths.count) + 1)
        // A name is all that it keeps.
        try connection.execute("PRAGMA temp_store=MEMORY")
        try connection.execute(
          "CREATE VIRTUAL TABLE temp.\(index.words)_seen USING fts5vocab(main, '\(index.words)', 'instance')")
        defer { try? connection.execute("DROP TABLE temp.\(index.words)_seen") }
        try sum.add(
          Statement(
            connection,
            "SELECT r.id, s.term, s.col, s.offset FROM temp.\(index.words)_seen s JOIN record r ON r.key = s.doc"),
          columns: 4)
      }
      hash.update(sum.bytes)
    }
    return hash.digest()
  }

  /// The digest that the indexes of another store should have here, made anew.
  func indexDigest(as other: Store) throws -> Digest? {
    for index in try other.indexes() { try makeIndex(index.name, index.definition) }
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
