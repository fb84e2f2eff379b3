import SeaCore

/// The projection at a point in time. The projection uses temporary tables with the same names as the real ones. SQLite
/// finds the temporary tables first, so all reads see only the past state.
struct PastProjection {
  private let connection: Connection
  private let records: RecordTable
  private let tree: RevisionTree

  init(_ connection: Connection, _ records: RecordTable, _ tree: RevisionTree) {
    (self.connection, self.records, self.tree) = (connection, records, tree)
  }

  /// Copies the records that have not changed since `moment`, and rebuilds the past trees of the others.
  func make(_ moment: Moment) throws {
    let last = moment.sequence
    try connection.execute(
      """
      CREATE TABLE temp.touched(key INTEGER PRIMARY KEY);
      INSERT OR IGNORE INTO touched SELECT record FROM revision WHERE block > \(last);
      INSERT OR IGNORE INTO touched SELECT record FROM repeated WHERE block > \(last);
      CREATE TABLE temp.grown(
        record INTEGER NOT NULL, depth INTEGER NOT NULL, digest BLOB NOT NULL, flags INTEGER NOT NULL, parent BLOB,
        block INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY(record, depth, digest)) WITHOUT ROWID;
      """)
    let touched = try connection.statement(
      """
      SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers FROM touched t JOIN record r ON r.key = t.key
      ORDER BY r.key
      """)
    while try touched.step() { try keep(records.recordRow(touched), moment) }
    touched.reset()
    try connection.execute(
      Schema.pastTables + """
        INSERT INTO temp.record SELECT * FROM main.record WHERE key NOT IN (SELECT key FROM touched);
        INSERT INTO temp.record(key, id, leaves, live, conflict, refers)
          SELECT key, id, 0, 0, 0, 0 FROM main.record WHERE key IN (SELECT record FROM grown);
        INSERT INTO temp.revision SELECT * FROM main.revision WHERE record NOT IN (SELECT key FROM touched);
        INSERT INTO temp.revision SELECT * FROM grown;
        INSERT INTO temp.waiting SELECT parent, record, depth, digest FROM temp.revision WHERE flags & 8 = 0;
        INSERT INTO temp.repeated SELECT * FROM main.repeated WHERE record NOT IN (SELECT key FROM touched);
        INSERT INTO temp.repeated SELECT p.* FROM main.repeated p
          JOIN grown g ON g.record = p.record AND g.depth = p.depth AND g.digest = p.digest
          WHERE p.block <= \(last) AND p.block <> g.block;
        INSERT INTO temp.reference SELECT * FROM main.reference WHERE record NOT IN (SELECT key FROM touched);
        INSERT INTO temp.shape SELECT * FROM main.shape WHERE key IN (SELECT shape FROM temp.record);
        """ + Schema.pastIndexes)
    records.shapes.forget()
    try summarize()
  }

  /// Keeps the revisions of a record that existed at that time, with the leaf flags that they had then.
  private func keep(_ row: RecordRow, _ moment: Moment) throws {
    let others = try records.firstOthers(of: row)
    let past = PastRecord(row, try records.revisions(of: row), at: moment) {
      min($0.place, others[$0.revision] ?? .max)
    }
    let isListed = past.leaves.count > 1 || !past.revisions.allSatisfy(\.isAttached)
    for leaf in past.revisions {
      var flags: RevisionFlags = []
      if leaf.isAttached { flags.insert(.attached) }
      if leaf.isLeaf { flags.formUnion(isListed ? .listedLeaf : .leaf) }
      // A block that arrived later can have an earlier clock. At that time, the revision was in another block.
      let place = leaf.place > moment.sequence ? try position(of: leaf, in: row, moment) : nil
      let keep = try connection.statement(
        """
        INSERT INTO grown SELECT record, depth, digest, flags & ~73 | ?, parent, ifnull(?, block), ifnull(?, offset),
          ifnull(?, length) FROM main.revision WHERE record = ? AND depth = ? AND digest = ?
        """)
      keep.bind(1, flags.rawValue).bind(2, place?.block).bind(3, place?.offset).bind(4, place?.length)
      keep.bind(5, row.key as Int64?).bind(6, Int(leaf.revision.depth))
      try keep.bind(7, copy: leaf.revision.digest.bytes).run()
    }
  }

  /// Returns the position of a revision in the block with the earliest clock among those stored at that time; nil if no
  /// such block is readable.
  private func position(
    of leaf: Leaf, in row: RecordRow, _ moment: Moment
  ) throws -> (block: Int64, offset: Int64, length: Int64)? {
    let find = try connection.statement(
      "SELECT block FROM repeated WHERE record = ? AND depth = ? AND digest = ? AND block <= ?")
    find.bind(1, row.key as Int64?).bind(2, Int(leaf.revision.depth)).bind(3, copy: leaf.revision.digest.bytes)
    find.bind(4, moment.sequence as Int64?)
    var known: [Int64] = []
    while try find.step() { known.append(Int64(find.int(0))) }
    find.reset()
    let rows = try known.compactMap { try records.blocks.block(sequence: $0) }.sorted { $0.isBefore($1) }
    for block in rows {
      guard let bytes = try records.content.clearBytes(of: block) else { continue }
      let changes = try bytes.withUnsafeBytes { try BlockReader.payload(ofKept: $0) }.changes
      let found = changes.first {
        $0.revision == leaf.revision
          && bytes[(BlockHeader.size + $0.id.lowerBound)..<(BlockHeader.size + $0.id.upperBound)].elementsEqual(
            row.id.utf8)
      }
      if let found {
        return (block.sequence, Int64(found.items.lowerBound + BlockHeader.size), Int64(found.items.count))
      }
    }
    return nil
  }

  private func summarize() throws {
    let grown = try Statement(
      connection,
      """
      SELECT g.record, r.id, NULL, g.leaves, g.live, 0, 0 FROM
        (SELECT record, count(*) AS leaves, sum(flags & 2 = 0) AS live FROM grown WHERE flags & 9 = 9 GROUP BY record) g
        JOIN main.record r ON r.key = g.record
      """ as String)
    while try grown.step() {
      var row = records.recordRow(grown)
      var applied = ApplyResult()
      try tree.summarize(&row, wasConflict: .none, before: nil, id: grown.text(at: 1), &applied)
    }
  }
}

extension Schema {
  private static let statements = projection.split(separator: ";").map { $0.drop { $0.isWhitespace } }

  static let pastTables = past("CREATE TABLE ")
  static let pastIndexes = past("CREATE INDEX ") + past("CREATE UNIQUE INDEX ")

  private static func past(_ start: String) -> String {
    statements.filter { $0.hasPrefix(start) }.map { "\(start)temp.\($0.dropFirst(start.count));" }
      .joined(separator: "\n")
  }
}
