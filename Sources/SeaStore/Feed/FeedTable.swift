import SeaCore

/// The changes feed, in the order in which changes took effect. The table `feed` has a row for each block that changed
/// records, and a row for each rebuild. The records of a block, sorted by id, have consecutive positions.
///
/// For most records, the block says everything: its change replaces the old winner and becomes the new one. For other
/// records, the table `feed_note` contains the old and the new winner. Unlike the projection, the feed is never
/// rebuilt, and its entries never change.
package final class FeedTable {
  let connection: Connection
  var isOn = true
  /// The entries that were added by this connection and are durable.
  private var added: [(first: Int64, last: Int64)] = []

  init(_ connection: Connection) { self.connection = connection }

  // MARK: - Writing

  func next() throws(StoreError) -> Int64 {
    if let next = connection.state.nextPosition { return next }
    let next = try lastRow().map { $0.last + 1 } ?? 1
    connection.state.nextPosition = next
    return next
  }

  func add(count: Int64, block: Int64?) throws(StoreError) {
    let first = try next()
    let insert = try connection.statement(
      "INSERT INTO feed(first, last, block, tag) VALUES(?, ?, ?, random() & 0xFFFFFFFFFFFF)")
    try insert.bind(1, first as Int64?).bind(2, (first + count - 1) as Int64?).bind(3, block).run()
    connection.state.nextPosition = first + count
    if connection.state.firstPosition == nil { connection.state.firstPosition = first }
  }

  /// Deletes the notes that do not belong to any entry.
  func drop() throws(StoreError) {
    try connection.statement("DELETE FROM feed_note WHERE position >= ?").bind(1, try next() as Int64?).run()
  }

  func insert(
    _ position: Int64, _ id: UnsafeBufferPointer<UInt8>, type: String? = nil, old: RevisionID?, new: RevisionID?,
    _ state: FeedState
  ) throws(StoreError) {
    let insert = try connection.statement(
      "INSERT INTO feed_note(position, id, type, old, new, state) VALUES(?, ?, ?, ?, ?, ?)")
    insert.bind(1, position as Int64?).bind(2, text: id).bind(3, type)
    insert.bind(4, copy: old.map(FeedTable.bytes)).bind(5, copy: new.map(FeedTable.bytes))
    try insert.bind(6, state.rawValue).run()
  }

  /// Throws an error if the tables are not readable.
  func checkReadable() throws(StoreError) {
    try connection.execute(
      "SELECT first, last, block, tag FROM feed LIMIT 0; SELECT position, id, type, old, new, state FROM feed_note LIMIT 0"
    )
  }

  /// Deletes all entries. Later entries get positions greater than those of all deleted entries.
  func clear() throws(StoreError) {
    // Even an unreadable feed must be cleared.
    connection.state.nextPosition = (try? next()) ?? 1
    connection.state.firstPosition = nil
    try connection.execute("DROP TABLE IF EXISTS feed; DROP TABLE IF EXISTS feed_note;" + Schema.feed)
  }

  func committed() {
    guard let first = connection.state.firstPosition, let next = connection.state.nextPosition, first < next else {
      return
    }
    if let last = added.last, last.last == first - 1 {
      added[added.count - 1].last = next - 1
    } else {
      added.append((first, next - 1))
    }
  }

  package var hasAdded: Bool { !added.isEmpty }

  package func drainAdded() -> [ClosedRange<Int64>] {
    defer { added = [] }
    return added.map { $0.first...$0.last }
  }

  // MARK: - Reading

  private func row(_ row: Statement) -> FeedRow {
    FeedRow(first: Int64(row.int(0)), last: Int64(row.int(1)), block: row.optionalInt(2), tag: Int64(row.int(3)))
  }

  package func lastRow() throws(StoreError) -> FeedRow? {
    let find = try connection.statement("SELECT first, last, block, tag FROM feed ORDER BY first DESC LIMIT 1")
    defer { find.reset() }
    return try find.step() ? row(find) : nil
  }

  package func row(at position: Int64) throws(StoreError) -> FeedRow? {
    let find = try connection.statement(
      "SELECT first, last, block, tag FROM feed WHERE first <= ? ORDER BY first DESC LIMIT 1")
    defer { find.reset() }
    find.bind(1, position as Int64?)
    guard try find.step() else { return nil }
    let row = row(find)
    return row.last >= position ? row : nil
  }

  package func block(upTo position: Int64) throws(StoreError) -> Int64? {
    let find = try connection.statement(
      "SELECT block FROM feed WHERE first <= ? AND block IS NOT NULL ORDER BY first DESC LIMIT 1")
    defer { find.reset() }
    find.bind(1, position as Int64?)
    return try find.step() ? find.optionalInt(0) : nil
  }

  package func row(after position: Int64) throws(StoreError) -> FeedRow? {
    if let row = try row(at: position + 1) { return row }
    let find = try connection.statement(
      "SELECT first, last, block, tag FROM feed WHERE first > ? ORDER BY first LIMIT 1")
    defer { find.reset() }
    find.bind(1, position as Int64?)
    return try find.step() ? row(find) : nil
  }

  package func notes(from position: Int64, through last: Int64) throws(StoreError) -> [FeedNote] {
    let scan = try connection.statement(
      """
      SELECT position, id, type, old, new, state FROM feed_note WHERE position BETWEEN ? AND ?
      ORDER BY position LIMIT 256
      """)
    defer { scan.reset() }
    scan.bind(1, position as Int64?).bind(2, last as Int64?)
    var notes: [FeedNote] = []
    while try scan.step() {
      notes.append(
        FeedNote(
          position: Int64(scan.int(0)), id: scan.text(1), type: scan.optionalText(2),
          old: try FeedTable.revision(scan, 3), new: try FeedTable.revision(scan, 4),
          state: FeedState(rawValue: scan.int(5))))
    }
    return notes
  }

  static func bytes(_ revision: RevisionID) -> [UInt8] {
    withUnsafeBytes(of: revision.depth.bigEndian) { Array($0) } + revision.digest.bytes
  }

  private static func revision(_ row: Statement, _ column: Int32) throws(StoreError) -> RevisionID? {
    if row.isNull(column) { return nil }
    let bytes = row.bytes(column)
    guard bytes.count == 4 + Digest.size else { throw .damaged("feed") }
    let depth = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    return RevisionID(depth: depth, digest: Digest(bytes.baseAddress! + 4))
  }
}
