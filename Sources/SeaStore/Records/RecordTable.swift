import SeaCore

/// A revision's content, out of its block.
package struct RevisionContent: Sendable {
  package var type: String?
  package var parent: RevisionID?
  package var merged: [RevisionID]
  package var kind: RevisionKind
  package var body: [UInt8]?
}

/// The records, and the revisions that they are made of: a projection of the blocks that count.
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

  /// Up to `limit` ids that begin with `prefix`, in order.
  package func ids(prefix: String, limit: Int) throws(StoreError) -> [String] {
    let find = try connection.statement("SELECT id FROM record WHERE id >= ?1 AND id < ?2 AND leaves > 0 LIMIT ?3")
    defer { find.reset() }
    // Behind every text that begins so: no UTF-8 holds FF.
    let after = Array(prefix.utf8) + [0xFF]
    find.bind(1, prefix).bind(3, limit)
    return try after.withUnsafeBufferPointer { after throws(StoreError) -> [String] in
      find.bind(2, text: after)
      var ids: [String] = []
      while try find.step() { ids.append(find.text(0)) }
      return ids
    }
  }

  /// The attached leaves of a record, best first; the first is the winner.
  package func leaves(of record: RecordRow) throws(StoreError) -> [Leaf] {
    if record.leaves == 0 { return [] }
    if record.leaves == 1, let only = try greatest(of: record), only.isLeaf { return [only] }
    let scan = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision INDEXED BY revision_listed
      WHERE record = ? AND flags & 64 ORDER BY flags & 6, depth DESC, digest DESC
      """)
    defer { scan.reset() }
    scan.bind(1, record.key as Int64?)
    var leaves: [Leaf] = []
    leaves.reserveCapacity(record.leaves)
    while try scan.step() { leaves.append(try leaf(scan)) }
    // Deletions and ends of branches come one after another.
    leaves.sort(by: Leaf.isBetter)
    return leaves
  }

  package func winner(of record: RecordRow) throws(StoreError) -> Leaf? {
    if record.leaves == 1 { return try leaves(of: record).first }
    return try record.leaves == 0 ? nil : bestListed(of: record.key)
  }

  /// The greatest revision of a record, attached or not.
  private func greatest(of record: RecordRow) throws(StoreError) -> Leaf? {
    let scan = try scan(record)
    defer { scan.reset() }
    return try scan.step() ? try leaf(scan) : nil
  }

  /// The best of the leaves that are in the index.
  private func bestListed(of record: Int64) throws(StoreError) -> Leaf? {
    var best: Leaf?
    for kind in [[], [.dead], [.dead, .resolved]] as [RevisionFlags] {
      if let one = try greatestListed(of: record, kind), best.map({ Leaf.isBetter(one, $0) }) ?? true { best = one }
      if best?.kind == .put { break }
    }
    return best
  }

  /// The greatest of the leaves of a kind that are in the index.
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

  /// All revisions of a record, greatest first.
  private func scan(_ record: RecordRow) throws(StoreError) -> Statement {
    try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision
      WHERE record = ? ORDER BY depth DESC, digest DESC
      """
    ).bind(1, record.key as Int64?)
  }

  /// Every known revision of a record, greatest first.
  package func revisions(of record: RecordRow) throws(StoreError) -> [Leaf] {
    let scan = try scan(record)
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

  /// Of a revision that stands in several blocks, the first one, be it removed or not.
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

  /// The content of a revision, read out of the block that it arrived in.
  package func change(of leaf: Leaf) throws(StoreError) -> RevisionContent {
    var bytes = try content.read(sequence: leaf.place, offset: leaf.offset, length: leaf.length)
    var (found, end): (RevisionContent, Int)
    do throws(CoreError) { (found, end) = try RecordTable.front(of: bytes) } catch {
      throw .damaged("revision \(leaf.revision)")
    }
    guard found.kind == .put, !leaf.isOrdered else { return found }
    // In place: there may be much of it.
    bytes.removeFirst(end)
    found.body = bytes
    return found
  }

  /// All but the body, and where that begins.
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

  /// All but the body, of which it stands in front: little has to be read of a large one.
  package func front(of leaf: Leaf) throws(StoreError) -> RevisionContent {
    for length in [RecordTable.frontSize, leaf.length] {
      let bytes = try content.read(sequence: leaf.place, offset: leaf.offset, length: min(length, leaf.length))
      if let found = try? RecordTable.front(of: bytes) { return found.0 }
    }
    throw .damaged("revision \(leaf.revision)")
  }

  /// What a revision has taken in.
  package func merged(by leaf: Leaf) throws(StoreError) -> [RevisionID] { try front(of: leaf).merged }

  /// So many bytes of a revision hold all but the body, mostly.
  private static let frontSize = 512

  /// The body of a live revision; nil also if it was purged.
  package func body(of leaf: Leaf) throws(StoreError) -> [UInt8]? { try change(of: leaf).body }

  func flags(_ record: Int64, _ revision: RevisionID) throws(StoreError) -> RevisionFlags? {
    let find = try connection.statement("SELECT flags FROM revision WHERE record = ? AND depth = ? AND digest = ?")
    defer { find.reset() }
    find.bind(1, record as Int64?).bind(2, Int(revision.depth)).bind(3, copy: revision.digest.bytes)
    return try find.step() ? RevisionFlags(rawValue: find.int(0)) : nil
  }
}
