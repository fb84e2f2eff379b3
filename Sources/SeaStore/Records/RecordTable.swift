import SeaCore

package struct RevisionContent: Sendable {
  package var type: String?
  package var parent: RevisionID?
  package var merged: [RevisionID]
  package var kind: RevisionKind
  package var body: [UInt8]?
}

/// The records and their revisions, built from the applied blocks.
package final class RecordTable {
  package static let mergedUpTo = "mergedUpTo"

  let connection: Connection
  let blocks: BlockTable
  let content: StoredBytes
  package let shapes: ShapeTable
  package let indexes: IndexTable

  init(_ connection: Connection, _ blocks: BlockTable) {
    self.connection = connection
    self.blocks = blocks
    content = blocks.content
    shapes = ShapeTable(connection)
    indexes = IndexTable(connection)
  }

  package func record(id: UnsafeBufferPointer<UInt8>) throws(StoreError) -> RecordRow? {
    let find = try connection.statement(
      "SELECT key, id, type, leaves, live, conflict, refers FROM record WHERE id = ?")
    defer { find.reset() }
    find.bind(1, text: id)
    return try find.step() ? recordRow(find) : nil
  }

  package func record(_ id: String) throws(StoreError) -> RecordRow? {
    let find = try connection.statement(
      "SELECT key, id, type, leaves, live, conflict, refers FROM record WHERE id = ?")
    defer { find.reset() }
    find.bind(1, id)
    return try find.step() ? recordRow(find) : nil
  }

  package func record(key: Int64) throws(StoreError) -> RecordRow? {
    let find = try connection.statement(
      "SELECT key, id, type, leaves, live, conflict, refers FROM record WHERE key = ?")
    defer { find.reset() }
    find.bind(1, key as Int64?)
    return try find.step() ? recordRow(find) : nil
  }

  func recordRow(_ row: Statement) -> RecordRow {
    RecordRow(
      key: Int64(row.int(0)), id: row.text(1), type: row.optionalText(2), leaves: row.int(3), live: row.int(4),
      conflict: ConflictState(rawValue: row.int(5)) ?? .none, refers: row.int(6) != 0)
  }

  package func ids(prefix: String, limit: Int) throws(StoreError) -> [String] {
    let find = try connection.statement("SELECT id FROM record WHERE id >= ?1 AND id < ?2 AND leaves > 0 LIMIT ?3")
    defer { find.reset() }
    // The byte FF never occurs in valid UTF-8, so `after` sorts after every id with the prefix.
    let after = Array(prefix.utf8) + [0xFF]
    find.bind(1, prefix).bind(3, limit)
    return try after.withUnsafeBufferPointer { after throws(StoreError) -> [String] in
      find.bind(2, text: after)
      var ids: [String] = []
      while try find.step() { ids.append(find.text(0)) }
      return ids
    }
  }

  /// Returns the attached leaves of a record, best first. The first leaf is the winner.
  package func leaves(of record: RecordRow) throws(StoreError) -> [Leaf] {
    try leaves(of: record.key, count: record.leaves)
  }

  private func leaves(of record: Int64, count: Int) throws(StoreError) -> [Leaf] {
    if count == 0 { return [] }
    if count == 1, let only = try greatest(of: record), only.isLeaf { return [only] }
    let scan = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision INDEXED BY revision_listed
      WHERE record = ? AND flags & 64 ORDER BY flags & 6, depth DESC, digest DESC
      """)
    defer { scan.reset() }
    scan.bind(1, record as Int64?)
    var leaves: [Leaf] = []
    leaves.reserveCapacity(count)
    while try scan.step() { leaves.append(try leaf(scan)) }
    // The query sorts deletions and resolved leaves separately, but `isBetter` does not.
    leaves.sort(by: Leaf.isBetter)
    return leaves
  }

  package func winner(of record: RecordRow) throws(StoreError) -> Leaf? {
    try winner(of: record.key, leaves: record.leaves)
  }

  func winner(of record: Int64, leaves count: Int) throws(StoreError) -> Leaf? {
    if count == 1 { return try leaves(of: record, count: count).first }
    return try count == 0 ? nil : bestListed(of: record)
  }

  private func greatest(of record: Int64) throws(StoreError) -> Leaf? {
    let scan = try scan(record)
    defer { scan.reset() }
    return try scan.step() ? try leaf(scan) : nil
  }

  private func bestListed(of record: Int64) throws(StoreError) -> Leaf? {
    var best: Leaf?
    for kind in [[], [.dead], [.dead, .resolved]] as [RevisionFlags] {
      if let one = try greatestListed(of: record, kind), best.map({ Leaf.isBetter(one, $0) }) ?? true { best = one }
      if best?.kind == .put { break }
    }
    return best
  }

  func greatestListed(of record: Int64, _ kind: RevisionFlags) throws(StoreError) -> Leaf? {
    let find = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision INDEXED BY revision_listed
      WHERE record = ? AND flags & 64 AND flags & 6 = ? ORDER BY depth DESC, digest DESC LIMIT 1
      """)
    defer { find.reset() }
    find.bind(1, record as Int64?).bind(2, kind.rawValue)
    return try find.step() ? try leaf(find) : nil
  }

  private func scan(_ record: Int64) throws(StoreError) -> Statement {
    try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision
      WHERE record = ? ORDER BY depth DESC, digest DESC
      """
    ).bind(1, record as Int64?)
  }

  /// Returns every known revision of a record, greatest first.
  package func revisions(of record: RecordRow) throws(StoreError) -> [Leaf] {
    let scan = try scan(record.key)
    defer { scan.reset() }
    var all: [Leaf] = []
    while try scan.step() { all.append(try leaf(scan)) }
    return all
  }

  package func revision(_ revision: RevisionID, of record: RecordRow) throws(StoreError) -> Leaf? {
    let find = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision
      WHERE record = ? AND depth = ? AND digest = ?
      """)
    defer { find.reset() }
    find.bind(1, record.key as Int64?).bind(2, Int(revision.depth)).bind(3, copy: revision.digest.bytes)
    return try find.step() ? try leaf(find) : nil
  }

  func leaf(_ row: Statement) throws(StoreError) -> Leaf {
    guard row.bytes(1).count == Digest.size else { throw .damaged("revision") }
    let flags = RevisionFlags(rawValue: row.int(2))
    var parent: Digest?
    if !row.isNull(3) {
      guard row.bytes(3).count == Digest.size else { throw .damaged("revision") }
      parent = Digest(row.bytes(3).baseAddress!)
    }
    let place = Int64(row.int(4))
    var leaf = Leaf(
      revision: RevisionID(depth: UInt32(truncatingIfNeeded: row.int(0)), digest: Digest(row.bytes(1).baseAddress!)),
      kind: flags.kind, isLeaf: flags.isSuperset(of: [.leaf, .attached]), isAttached: flags.contains(.attached),
      isListed: flags.contains(.listed), isOrdered: flags.contains(.ordered), parent: parent, sequence: place,
      place: place, offset: row.int(5),
      length: row.int(6))
    if flags.contains(.wasPurged) { leaf.sequence = try firstBlock(of: leaf, in: Int64(row.int(7))) }
    return leaf
  }

  /// Returns the block that comes first, according to `isBefore`, among those that contain a revision. Purged blocks
  /// count, too.
  private func firstBlock(of leaf: Leaf, in record: Int64) throws(StoreError) -> Int64 {
    let find = try connection.statement("SELECT block FROM repeated WHERE record = ? AND depth = ? AND digest = ?")
    defer { find.reset() }
    find.bind(1, record as Int64?).bind(2, Int(leaf.revision.depth)).bind(3, copy: leaf.revision.digest.bytes)
    var others: [Int64] = []
    while try find.step() { others.append(Int64(find.int(0))) }
    guard var first = try blocks.block(sequence: leaf.place) else { return leaf.place }
    for other in others { if let row = try blocks.block(sequence: other), row.isBefore(first) { first = row } }
    return first.sequence
  }

  package func change(of leaf: Leaf) throws(StoreError) -> RevisionContent {
    var bytes = try content.read(sequence: leaf.place, offset: leaf.offset, length: leaf.length)
    var (found, end): (RevisionContent, Int)
    do throws(CoreError) { (found, end) = try RecordTable.front(of: bytes) } catch {
      throw .damaged("revision \(leaf.revision)")
    }
    guard found.kind == .put, !leaf.isOrdered else { return found }
    // The body may be large, so it is extracted without being copied.
    bytes.removeFirst(end)
    found.body = bytes
    return found
  }

  /// Decodes everything before the body. Also returns the offset at which the body begins.
  private static func front(of bytes: [UInt8]) throws(CoreError) -> (RevisionContent, end: Int) {
    try bytes.withUnsafeBufferPointer { bytes throws(CoreError) in
      var cursor = CBORCursor(bytes)
      _ = try cursor.text()
      let type = cursor.null() ? nil : String(decoding: try cursor.text(), as: UTF8.self)
      let parent = cursor.null() ? nil : try RevisionID(&cursor)
      var merged: [RevisionID] = []
      for _ in 0..<(try cursor.count(4, least: 35)) { merged.append(try RevisionID(&cursor)) }
      guard let kind = RevisionKind(rawValue: String(decoding: try cursor.text(), as: UTF8.self)) else {
        throw cursor.fail(.badReserved)
      }
      return (RevisionContent(type: type, parent: parent, merged: merged, kind: kind), cursor.offset)
    }
  }

  /// Reads everything before the body. A short read is usually enough, because the body comes last.
  package func front(of leaf: Leaf) throws(StoreError) -> RevisionContent {
    for length in [RecordTable.frontSize, leaf.length] {
      let bytes = try content.read(sequence: leaf.place, offset: leaf.offset, length: min(length, leaf.length))
      if let found = try? RecordTable.front(of: bytes) { return found.0 }
    }
    throw .damaged("revision \(leaf.revision)")
  }

  package func merged(by leaf: Leaf) throws(StoreError) -> [RevisionID] { try front(of: leaf).merged }

  /// The number of bytes to read first, which in most cases includes everything before the body.
  private static let frontSize = 512

  /// Returns the body of a revision; nil if the revision has no body or its body was purged.
  package func body(of leaf: Leaf) throws(StoreError) -> [UInt8]? { try change(of: leaf).body }

  func flags(_ record: Int64, _ revision: RevisionID) throws(StoreError) -> RevisionFlags? {
    let find = try connection.statement("SELECT flags FROM revision WHERE record = ? AND depth = ? AND digest = ?")
    defer { find.reset() }
    find.bind(1, record as Int64?).bind(2, Int(revision.depth)).bind(3, copy: revision.digest.bytes)
    return try find.step() ? RevisionFlags(rawValue: find.int(0)) : nil
  }
}

extension RecordTable {
  /// Returns a record as it was at a point in time, or nil if it did not yet exist. The cost depends only on the
  /// record's number of revisions.
  package func past(_ row: RecordRow, at moment: Moment) throws(StoreError) -> PastRecord? {
    let others = try firstOthers(of: row)
    var past = PastRecord(row, try revisions(of: row), at: moment) { leaf in
      min(leaf.place, others[leaf.revision] ?? .max)
    }
    guard let winner = past.winner else { return nil }
    past.row.type = try change(of: winner).type
    return past
  }

  package func forEachRecord(_ filter: RecordFilter, at moment: Moment, _ body: (PastRecord) throws -> Bool) throws {
    var all = RecordFilter()
    all.after = filter.after
    all.withDeleted = true
    try forEachRecord(all) { row in
      guard let past = try past(row, at: moment) else { return true }
      if !filter.withDeleted, past.row.live == 0 { return true }
      if filter.onlyConflicts, past.row.conflict == .none { return true }
      if !filter.selects(type: past.row.type) { return true }
      if let target = filter.refersTo, try !refers(past, to: target) { return true }
      if filter.isDangling, try !dangles(past, at: moment) { return true }
      return try body(past)
    }
  }

  private func dangles(_ past: PastRecord, at moment: Moment) throws(StoreError) -> Bool {
    guard let winner = past.winner, let body = try body(of: winner) else { return false }
    for target in body.withUnsafeBufferPointer({ references(of: $0).map { String(decoding: $0, as: UTF8.self) } }) {
      guard let row = try record(target), let found = try self.past(row, at: moment), found.row.live > 0 else {
        return true
      }
    }
    return false
  }

  private func refers(_ past: PastRecord, to target: String) throws(StoreError) -> Bool {
    guard let winner = past.winner, let body = try body(of: winner) else { return false }
    return body.withUnsafeBufferPointer { body in
      references(of: body).contains { $0.elementsEqual(target.utf8) }
    }
  }

  /// For each revision that several blocks contain, returns the first-arrived of the blocks in `repeated`.
  func firstOthers(of row: RecordRow) throws(StoreError) -> [RevisionID: Int64] {
    let find = try connection.statement(
      "SELECT depth, digest, min(block) FROM repeated WHERE record = ? GROUP BY depth, digest")
    defer { find.reset() }
    find.bind(1, row.key as Int64?)
    var found: [RevisionID: Int64] = [:]
    while try find.step() {
      guard let digest = Digest(find.array(1)) else { throw .damaged("repeated") }
      found[RevisionID(depth: UInt32(truncatingIfNeeded: find.int(0)), digest: digest)] = Int64(find.int(2))
    }
    return found
  }
}

extension RecordTable {
  /// Visits records, sorted by id, until `body` returns false. Records that have only waiting revisions are skipped.
  package func forEachRecord(_ filter: RecordFilter, _ body: (RecordRow) throws -> Bool) throws {
    let columns = "SELECT r.key, r.id, r.type, r.leaves, r.live, r.conflict, r.refers FROM record r"
    var sql = columns
    var conditions = ["r.leaves > 0"]
    if filter.refersTo != nil {
      sql += " JOIN reference f ON f.record = r.key"
      conditions.append("f.target = ?1")
    }
    if filter.isDangling { conditions.append(RecordTable.dangling) }
    if !filter.types.isEmpty {
      conditions.append("r.type IN (\(filter.types.indices.map { "?\($0 + 3)" }.joined(separator: ", ")))")
    }
    if filter.after != nil { conditions.append("r.id > ?2") }
    if !filter.withDeleted { conditions.append("r.live > 0") }
    if filter.onlyConflicts { conditions.append("r.conflict > 0") }
    sql += " WHERE " + conditions.joined(separator: " AND ") + " ORDER BY r.id"
    let scan = try Statement(connection, sql)
    scan.bind(1, filter.refersTo).bind(2, filter.after)
    for (k, type) in filter.types.enumerated() { scan.bind(Int32(k + 3), type) }
    while try scan.step() { guard try body(recordRow(scan)) else { return } }
  }

  /// Selects the records `r` that refer to a missing or deleted record.
  static let dangling = """
    EXISTS(SELECT 1 FROM reference f WHERE f.record = r.key AND NOT EXISTS(
      SELECT 1 FROM record t WHERE t.id = f.target AND t.live > 0))
    """

  /// Whether any record refers to this id, even if no record has the id.
  package func isTarget(_ id: String) throws(StoreError) -> Bool {
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM reference WHERE target = ?)")
    defer { find.reset() }
    find.bind(1, id)
    return try find.step() && find.int(0) != 0
  }

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

  /// Returns the records in conflict that changed after block `sequence`, sorted by id.
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

  package func countWaiting() throws(StoreError) -> Int {
    let count = try connection.statement("SELECT count(*) FROM waiting")
    defer { count.reset() }
    return try count.step() ? count.int(0) : 0
  }

  /// Returns the ids of records that have a revision whose reference to its parent has the right digest but the wrong
  /// depth.
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

  package func isEmpty() throws(StoreError) -> Bool {
    if connection.isInTransaction { return connection.state.nextRecord == 1 }
    let find = try connection.statement("SELECT EXISTS(SELECT 1 FROM record)")
    defer { find.reset() }
    return try !find.step() || find.int(0) == 0
  }

  /// Returns the Lamport time of the first block that contains the revision and has an earned clock, if there is one.
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
