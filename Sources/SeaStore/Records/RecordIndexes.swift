import SeaCore

struct RecordIndexes {
  private let records: RecordTable
  private var indexes: IndexTable { records.indexes }
  private var connection: Connection { records.connection }

  init(_ records: RecordTable) { self.records = records }

  /// Updates the indexes after a record has changed.
  /// - Parameters:
  ///   - wasLive: the former number of live leaves.
  ///   - before: the former winner.
  func follow(_ row: RecordRow, wasLive: Int, before: Leaf?) throws(StoreError) {
    let winner = try records.winner(of: row)
    let isSame = winner?.revision == before?.revision && winner?.place == before?.place && wasLive == row.live
    if isSame, row.live < 2 { return }
    if before != nil { try indexes.remove(row.key) }
    guard row.live > 0 else { return }
    try indexes.insert(row.key, type: row.type, bodies(of: row), isMerged: row.live > 1)
  }

  func fill(_ index: KeptIndex) throws {
    try indexes.clear(index)
    let filter = RecordFilter(type: index.definition.type)
    try records.forEachRecord(filter) { row in
      try indexes.insert(row.key, into: index, bodies(of: row), isMerged: row.live > 1)
      return true
    }
  }

  /// Creates a temporary text index of the past state, if necessary.
  func makePastTextIndex(_ index: KeptIndex) throws {
    guard connection.past != nil, index.definition.kind == .text else { return }
    let find = try Statement(connection, "SELECT 1 FROM temp.sqlite_schema WHERE name = '\(index.words)'")
    if try find.step() { return }
    try connection.execute(IndexTable.making(index, in: "temp."))
    let insert = try IndexTable.insertion(index, connection)
    let filter = RecordFilter(type: index.definition.type)
    try records.forEachRecord(filter) { row in
      try IndexTable.insert(row.key, into: index, bodies(of: row), insert)
      return true
    }
  }

  /// Returns the bodies of the live leaves, best first, at most as many as the indexes use. Purged bodies are omitted.
  private func bodies(of row: RecordRow) throws(StoreError) -> [[UInt8]] {
    var leaves: [Leaf] = []
    if row.live == 1 {
      if let winner = try records.winner(of: row), winner.kind == .put { leaves = [winner] }
    } else {
      let scan = try connection.statement(
        """
        SELECT depth, digest, flags, parent, block, offset, length, record FROM revision INDEXED BY revision_listed
        WHERE record = ? AND flags & 64 AND flags & 6 = 0 ORDER BY depth DESC, digest DESC LIMIT ?
        """)
      defer { scan.reset() }
      scan.bind(1, row.key as Int64?).bind(2, IndexTable.mostLeaves)
      while try scan.step() { leaves.append(try records.leaf(scan)) }
    }
    var bodies: [[UInt8]] = []
    for leaf in leaves { if let body = try records.change(of: leaf).body { bodies.append(body) } }
    return bodies
  }
}
