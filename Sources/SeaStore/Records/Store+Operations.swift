import SeaCore

extension Store {
  /// The newest blocks in the trunk of a chain that have changed records, from below an index on (nil: from the head).
  package func operations(of instance: UUID, below index: UInt32?, limit: Int) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT b.seq, c.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label, NULL
      FROM block b JOIN chain c ON c.id = b.chain
      WHERE c.instance = ? AND b.idx < ? AND b.changes > 0 AND b.applied = 1 ORDER BY b.idx DESC LIMIT ?
      """)
    defer { scan.reset() }
    scan.bind(1, copy: instance.bytes).bind(2, index.map { Int($0) } ?? .max).bind(3, limit)
    var rows: [BlockRow] = []
    while try scan.step() { rows.append(try blockRow(scan)) }
    return rows
  }

  /// Those of them whose digests lie between two, at most `limit`.
  package func operations(
    of instance: UUID, from first: Digest, through last: Digest, limit: Int
  ) throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      """
      SELECT b.seq, c.instance, b.idx, b.lamport, b.size, b.digest, b.changes, b.applied, b.time, b.arrived, b.label, NULL
      FROM block b JOIN chain c ON c.id = b.chain
      WHERE c.instance = ? AND b.digest BETWEEN ? AND ? AND b.changes > 0 AND b.applied = 1 LIMIT ?
      """)
    defer { scan.reset() }
    scan.bind(1, copy: instance.bytes).bind(2, copy: first.bytes).bind(3, copy: last.bytes).bind(4, limit)
    var rows: [BlockRow] = []
    while try scan.step() { rows.append(try blockRow(scan)) }
    return rows
  }
}
