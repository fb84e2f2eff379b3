import SeaCore

/// Reads records for queries: one after another, or one by its id. It has statements of its own, as several of them are under way in
/// one query, and copies nothing that is not asked for.
final class QueryRows {
  let records: RecordTable
  let source: QuerySource
  private(set) var hasRow = false
  private(set) var key: Int64 = 0
  private(set) var live = 0
  private(set) var shape: Int64 = 0
  private var leaf: Leaf?
  private var block: BlockRow?
  /// Of a record with several live leaves, and of one whose block is in frames or whose body goes over the end of a piece.
  private var copied: [UInt8] = []

  private var scan: Statement?
  private var shapes: ArraySlice<Int64> = []
  private var scans: [Scan: Statement] = [:]
  /// The shapes that the rows may have; nil if any will do.
  private var allowed: Set<Int64>?
  private let walk: RevisionWalk
  private let pieces: PieceWindow

  private enum Scan: String {
    case all = "WHERE live > 0"
    case shape = "INDEXED BY record_shape WHERE shape = ?1"
    case id = "WHERE id = ?1"
    case rising = "WHERE id >= ?1 AND id <= ?2 ORDER BY id"
    case falling = "WHERE id >= ?1 AND id <= ?2 ORDER BY id DESC"
  }

  /// Which records, and in which order.
  enum Plan {
    case all
    case shapes([Int64])
    case id(UnsafeBufferPointer<UInt8>)
    /// By their ids, from one to another.
    case range(UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?, isFalling: Bool)
  }

  init(_ records: RecordTable, _ source: QuerySource) throws(StoreError) {
    self.records = records
    self.source = source
    walk = try RevisionWalk(records.connection)
    pieces = try PieceWindow(records.connection)
  }

  func start(_ plan: Plan, allowed: Set<Int64>?) throws(StoreError) {
    end()
    self.allowed = allowed
    switch plan {
    case .all: try begin(.all)
    case .shapes(let keys): shapes = keys[...]
    case .id(let id): try begin(.id).bind(1, text: id)
    case .range(let lower, let upper, let isFalling):
      let statement = try begin(isFalling ? .falling : .rising)
      if let lower { statement.bind(1, text: lower) } else { statement.bind(1, "") }
      // Every text is less than any bytes.
      if let upper { statement.bind(2, text: upper) } else { statement.bind(2, copy: []) }
    }
    try next()
  }

  @discardableResult private func begin(_ scan: Scan) throws(StoreError) -> Statement {
    let statement: Statement
    if let known = scans[scan] {
      statement = known
    } else {
      statement = try Statement(
        records.connection, "SELECT key, id, type, leaves, live, conflict, refers, shape FROM record " + scan.rawValue)
      scans[scan] = statement
    }
    self.scan = statement
    return statement
  }

  func next() throws(StoreError) {
    leaf = nil
    block = nil
    while true {
      guard let scan else {
        guard let shape = shapes.popFirst() else {
          hasRow = false
          return
        }
        try begin(.shape).bind(1, shape as Int64?)
        continue
      }
      guard try scan.step() else {
        scan.reset()
        self.scan = nil
        continue
      }
      guard let shape = scan.optionalInt(7) else { continue }
      if let allowed, shape != self.shape || !hasRow, !allowed.contains(shape) { continue }
      self.shape = shape
      key = Int64(scan.int(0))
      live = scan.int(4)
      hasRow = true
      return
    }
  }

  /// Ends the scan, so that the tables may be changed.
  func end() {
    scan?.reset()
    scan = nil
    shapes = []
    hasRow = false
  }

  // MARK: - What is known of the row

  /// Valid until the next one.
  var id: UnsafeBufferPointer<UInt8> { scan?.text(at: 1) ?? UnsafeBufferPointer(start: nil, count: 0) }

  /// Nil if it has none. Valid until the next one.
  var type: UnsafeBufferPointer<UInt8>? { scan.flatMap { $0.isNull(2) ? nil : $0.text(at: 2) } }

  var isConflict: Bool { scan.map { $0.int(5) != 0 } ?? false }

  func row() throws(StoreError) -> RecordRow {
    guard hasRow, let scan else { throw .defect("no row") }
    return records.recordRow(scan)
  }

  func currentLeaf() throws(StoreError) -> Leaf {
    if let leaf { return leaf }
    let row = try row()
    guard let found = try records.winner(of: row) else { throw .damaged("record \(row.id)") }
    leaf = found
    return found
  }

  /// Whether the properties stand in the body as the shape says: of several live leaves more may be shown.
  var followsShape: Bool { live == 1 }

  /// The body as it is shown; nil if it was purged. Valid until the next row.
  func body() throws -> UnsafeBufferPointer<UInt8>? {
    guard hasRow, let scan else { throw StoreError.defect("no row") }
    if live > 1 {
      guard let shown = try source.shown(row()) else { return nil }
      return keep(shown)
    }
    if scan.int(3) == 1, try walk.seek(key), walk.flags.isSuperset(of: [.leaf, .attached]) {
      if walk.flags.contains(.ordered) { return nil }
      return try body(in: bytes(walk.block, walk.offset, walk.length))
    }
    let leaf = try currentLeaf()
    if leaf.isOrdered { return nil }
    return try body(in: bytes(leaf.place, leaf.offset, leaf.length))
  }

  private func bytes(_ block: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> UnsafeBufferPointer<UInt8> {
    if let found = try pieces.bytes(block, offset, length) { return found }
    return keep(try records.blocks.read(sequence: block, offset: offset, length: length))
  }

  private func keep(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
    copied = bytes
    // It is not touched until the next one is kept.
    return copied.withUnsafeBufferPointer { $0 }
  }

  /// What stands behind id, type, parent, merged revisions and kind.
  private func body(in change: UnsafeBufferPointer<UInt8>) throws(StoreError) -> UnsafeBufferPointer<UInt8> {
    var cursor = CBORCursor(change)
    do throws(CoreError) {
      for _ in 0..<5 { try cursor.skipValue() }
    } catch {
      throw .damaged("revision")
    }
    return UnsafeBufferPointer(rebasing: change[cursor.offset...])
  }

  func lastBlock() throws(StoreError) -> BlockRow? {
    let sequence = try currentLeaf().sequence
    if let block, block.sequence == sequence { return block }
    block = try records.blocks.block(sequence: sequence)
    return block
  }

  func firstBlock() throws(StoreError) -> BlockRow? {
    guard let first = try records.first(of: row()) else { return nil }
    return try records.blocks.block(sequence: first.sequence)
  }
}

/// Finds the greatest revision of one record after another: where the next record is near, without a search.
private final class RevisionWalk {
  private(set) var flags: RevisionFlags = []
  private(set) var block: Int64 = 0
  private(set) var offset = 0
  private(set) var length = 0
  private var found: Int64 = 0

  private let forward: Statement
  private let greatest: Statement
  /// The record of the row that `forward` stands at; nil where it stands at none.
  private var next: Int64?
  /// So many rows are passed over before a search is cheaper.
  private static let near = 8

  private static let columns = "SELECT record, flags, block, offset, length FROM revision "

  init(_ connection: Connection) throws(StoreError) {
    forward = try Statement(connection, Self.columns + "WHERE record >= ? ORDER BY record, depth, digest")
    greatest = try Statement(connection, Self.columns + "WHERE record = ? ORDER BY depth DESC, digest DESC LIMIT 1")
  }

  /// - Returns: false if there is no revision of the record.
  func seek(_ record: Int64) throws(StoreError) -> Bool {
    if found == record { return true }
    found = 0
    if let next, next <= record, record - next <= Int64(Self.near) {
      // Behind it, or at it.
    } else {
      forward.reset()
      forward.bind(1, record as Int64?)
      try step()
    }
    var left = Self.near
    while let next, next < record, left > 0 {
      try step()
      left -= 1
    }
    while next == record, left > 0 {
      take(forward)
      found = record
      try step()
      left -= 1
    }
    guard left > 0 else {
      // A long history.
      next = nil
      found = 0
      greatest.bind(1, record as Int64?)
      defer { greatest.reset() }
      guard try greatest.step() else { return false }
      take(greatest)
      found = record
      return true
    }
    return found == record
  }

  private func step() throws(StoreError) { next = try forward.step() ? Int64(forward.int(0)) : nil }

  private func take(_ row: Statement) {
    flags = RevisionFlags(rawValue: row.int(1))
    block = Int64(row.int(2))
    offset = row.int(3)
    length = row.int(4)
  }
}

/// The piece of a block that was looked into last: records that came together lie in one.
private final class PieceWindow {
  private let statement: Statement
  private var key: Int64 = -1
  private var isThere = false

  init(_ connection: Connection) throws(StoreError) {
    statement = try Statement(connection, "SELECT bytes FROM piece WHERE key = ?" as String)
  }

  /// Bytes of a block, until others are asked for; nil if they lie in several pieces, or in none as they are.
  func bytes(_ block: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> UnsafeBufferPointer<UInt8>? {
    guard offset >= 0, length >= 0 else { throw .damaged("piece") }
    let from = offset % Schema.pieceSize
    guard from + length <= Schema.pieceSize else { return nil }
    let wanted = block << 16 + Int64(offset / Schema.pieceSize)
    if wanted != key {
      statement.reset()
      statement.bind(1, wanted as Int64?)
      key = -1
      isThere = try statement.step()
      key = wanted
    }
    guard isThere else { return nil }
    let piece = statement.text(at: 0)
    guard from + length <= piece.count else { throw .damaged("piece \(block)") }
    return UnsafeBufferPointer(rebasing: piece[from..<from + length])
  }
}

extension RecordTable {
  /// The first revision of a record, of several the least.
  func first(of row: RecordRow) throws(StoreError) -> Leaf? {
    let find = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision
      WHERE record = ? AND parent IS NULL AND flags & 8 ORDER BY depth, digest LIMIT 1
      """)
    defer { find.reset() }
    find.bind(1, row.key as Int64?)
    return try find.step() ? try leaf(find) : nil
  }
}
