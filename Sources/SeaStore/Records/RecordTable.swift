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
  let connection: Connection
  let blocks: BlockTable

  init(_ connection: Connection, _ blocks: BlockTable) {
    self.connection = connection
    self.blocks = blocks
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
    let scan = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length FROM revision
      WHERE record = ? ORDER BY depth DESC, digest DESC
      """)
    defer { scan.reset() }
    scan.bind(1, record.key as Int64?)
    var leaves: [Leaf] = []
    while leaves.count < record.leaves, try scan.step() {
      let leaf = try self.leaf(scan)
      if leaf.isLeaf { leaves.append(leaf) }
    }
    if leaves.count > 1 { leaves.sort(by: Leaf.isBetter) }
    return leaves
  }

  package func winner(of record: RecordRow) throws(StoreError) -> Leaf? { try leaves(of: record).first }

  /// Every known revision of a record, greatest first.
  package func revisions(of record: RecordRow) throws(StoreError) -> [Leaf] {
    let scan = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length FROM revision
      WHERE record = ? ORDER BY depth DESC, digest DESC
      """)
    defer { scan.reset() }
    scan.bind(1, record.key as Int64?)
    var all: [Leaf] = []
    while try scan.step() { all.append(try leaf(scan)) }
    return all
  }

  package func revision(_ revision: RevisionID, of record: RecordRow) throws(StoreError) -> Leaf? {
    let find = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length FROM revision
      WHERE record = ? AND depth = ? AND digest = ?
      """)
    defer { find.reset() }
    find.bind(1, record.key as Int64?).bind(2, Int(revision.depth)).bind(3, copy: revision.digest.bytes)
    return try find.step() ? try leaf(find) : nil
  }

  func leaf(_ row: Statement, from column: Int32 = 0) throws(StoreError) -> Leaf {
    guard row.bytes(column + 1).count == Digest.size else { throw .damaged("revision") }
    let flags = RevisionFlags(rawValue: row.int(column + 2))
    var parent: Digest?
    if !row.isNull(column + 3) {
      guard row.bytes(column + 3).count == Digest.size else { throw .damaged("revision") }
      parent = Digest(row.bytes(column + 3).baseAddress!)
    }
    return Leaf(
      revision: RevisionID(
        depth: UInt32(truncatingIfNeeded: row.int(column)), digest: Digest(row.bytes(column + 1).baseAddress!)),
      kind: flags.contains(.resolved) ? .resolved : (flags.contains(.dead) ? .delete : .put),
      isLeaf: flags.isSuperset(of: [.leaf, .attached]), isAttached: flags.contains(.attached), parent: parent,
      sequence: Int64(row.int(column + 4)), offset: row.int(column + 5), length: row.int(column + 6))
  }

  /// The content of a revision, read out of the block that it arrived in.
  package func change(of leaf: Leaf) throws(StoreError) -> RevisionContent {
    let bytes = try blocks.read(sequence: leaf.sequence, offset: leaf.offset, length: leaf.length)
    do throws(CoreError) {
      return try bytes.withUnsafeBufferPointer { bytes throws(CoreError) -> RevisionContent in
        var cursor = CBORCursor(bytes)
        _ = try cursor.text()
        let type = cursor.null() ? nil : String(decoding: try cursor.text(), as: UTF8.self)
        let parent = cursor.null() ? nil : try RevisionID(&cursor)
        var merged: [RevisionID] = []
        for _ in 0..<(try cursor.count(4, least: 35)) { merged.append(try RevisionID(&cursor)) }
        guard let kind = RevisionKind(rawValue: String(decoding: try cursor.text(), as: UTF8.self)) else {
          throw cursor.fail(.badReserved)
        }
        let body = kind == .put ? Array(bytes[cursor.offset...]) : nil
        return RevisionContent(type: type, parent: parent, merged: merged, kind: kind, body: body)
      }
    } catch {
      throw .damaged("revision \(leaf.revision)")
    }
  }

  /// What a revision has taken in. It stands before the body, so that little has to be read of a large one.
  package func merged(by leaf: Leaf) throws(StoreError) -> [RevisionID] {
    for length in [RecordTable.front, leaf.length] {
      let bytes = try blocks.read(sequence: leaf.sequence, offset: leaf.offset, length: min(length, leaf.length))
      let found = bytes.withUnsafeBufferPointer { bytes -> [RevisionID]? in
        var cursor = CBORCursor(bytes)
        guard (try? cursor.text()) != nil, cursor.null() || (try? cursor.text()) != nil,
          cursor.null() || (try? RevisionID(&cursor)) != nil, let count = try? cursor.count(4)
        else { return nil }
        var merged: [RevisionID] = []
        for _ in 0..<count {
          guard let one = try? RevisionID(&cursor) else { return nil }
          merged.append(one)
        }
        return merged
      }
      if let found { return found }
    }
    throw .damaged("revision \(leaf.revision)")
  }

  /// So many bytes of a revision hold all but the body, mostly.
  private static let front = 512

  /// The body of a live revision.
  package func body(of leaf: Leaf) throws(StoreError) -> [UInt8]? { try change(of: leaf).body }
}
