import SeaCore

/// Reads records for queries, sequentially or by id, copying only the requested data. Statements are not shared,
/// because a query can run several of them at once. The object has a single owner and its methods are not reentrant, so
/// the properties need no exclusivity checks.
final class QueryRows {
  let records: RecordTable
  let source: QuerySource
  @exclusivity(unchecked) private(set) var hasRow = false
  @exclusivity(unchecked) private(set) var key: Int64 = 0
  @exclusivity(unchecked) private(set) var shape: Int64 = 0
  /// The id of the current row, valid until the next row is read.
  @exclusivity(unchecked) private(set) var id = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// The type of the current row, valid until the next row is read.
  @exclusivity(unchecked) private(set) var type: UnsafeBufferPointer<UInt8>?
  @exclusivity(unchecked) private var leaves = 0
  /// The other columns of the current row, which only a record with several leaves needs.
  @exclusivity(unchecked) private var wholeRow: RecordRow?
  @exclusivity(unchecked) private var leaf: Leaf?
  @exclusivity(unchecked) private var block: BlockRow?
  /// The body of the current row, cached because each column needs it.
  @exclusivity(unchecked) private var known: UnsafeBufferPointer<UInt8>??
  /// A copy of a body that is not contiguous because it is merged from several live leaves, is compressed, or crosses a
  /// piece boundary.
  @exclusivity(unchecked) private var copied: [UInt8] = []

  @exclusivity(unchecked) private var scan: Statement?
  @exclusivity(unchecked) private var queue: ArraySlice<Int64> = []
  @exclusivity(unchecked) private var queued = Scan.shape
  private var scans = [Statement?](repeating: nil, count: Scan.allCases.count)
  @exclusivity(unchecked) private var allowed: Set<Int64>?
  /// Whether to cache records that are read by id or key, because a join reads them repeatedly.
  var keeps = false
  @exclusivity(unchecked) private var kept = KeptRows()
  @exclusivity(unchecked) private var current: KeptRow?
  private let walk: RevisionWalk
  private let window: BlockWindow

  private enum Scan: Int, CaseIterable {
    case all, shape, id, key, rising, falling

    var sql: String {
      switch self {
      case .all: "WHERE live > 0"
      case .shape: "INDEXED BY record_shape WHERE shape = ?1"
      case .id: "WHERE id = ?1"
      case .key: "WHERE key = ?1"
      case .rising: "WHERE id >= ?1 AND id <= ?2 ORDER BY id"
      case .falling: "WHERE id >= ?1 AND id <= ?2 ORDER BY id DESC"
      }
    }
  }

  enum Plan {
    case all
    case shapes([Int64])
    case keys([Int64])
    case id(UnsafeBufferPointer<UInt8>)
    case range(UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?, isFalling: Bool)
  }

  init(_ records: RecordTable, _ source: QuerySource) throws(StoreError) {
    self.records = records
    self.source = source
    walk = try RevisionWalk(records.connection)
    window = try BlockWindow(records.content)
  }

  func start(_ plan: Plan, allowed: Set<Int64>?) throws(StoreError) {
    end()
    self.allowed = allowed
    switch plan {
    case .all: try begin(.all)
    case .shapes(let keys): (queue, queued) = (keys[...], .shape)
    case .keys(let keys): (queue, queued) = (keys[...], .key)
    case .id(let id):
      if keeps, let row = kept.row(id) { return show(row) }
      try begin(.id).bind(1, copyOf: id)
    case .range(let lower, let upper, let isFalling):
      let statement = try begin(isFalling ? .falling : .rising)
      if let lower { statement.bind(1, copyOf: lower) } else { statement.bind(1, "") }
      // SQLite sorts every text value before any blob.
      if let upper { statement.bind(2, copyOf: upper) } else { statement.bind(2, copy: []) }
    }
    try next()
  }

  @discardableResult private func begin(_ scan: Scan) throws(StoreError) -> Statement {
    let statement: Statement
    if let known = scans[scan.rawValue] {
      statement = known
    } else {
      statement = try Statement(records.connection, "SELECT key, id, type, leaves, shape FROM record " + scan.sql)
      scans[scan.rawValue] = statement
    }
    self.scan = statement
    return statement
  }

  func next() throws(StoreError) {
    leaf = nil
    block = nil
    known = nil
    current = nil
    wholeRow = nil
    while true {
      guard let scan else {
        guard let one = queue.popFirst() else {
          hasRow = false
          return
        }
        if keeps, queued == .key, let row = kept.row(one) { return show(row) }
        try begin(queued).bind(1, one as Int64?)
        continue
      }
      guard try scan.step() else {
        scan.reset()
        self.scan = nil
        continue
      }
      guard let shape = scan.optionalInt(4) else { continue }
      if shape != self.shape || !hasRow, let allowed, !allowed.contains(shape) { continue }
      self.shape = shape
      key = Int64(scan.int(0))
      id = scan.text(at: 1)
      type = scan.isNull(2) ? nil : scan.text(at: 2)
      leaves = scan.int(3)
      hasRow = true
      if keeps, leaves == 1, kept.hasRoom, scan === scans[Scan.id.rawValue] || scan === scans[Scan.key.rawValue] {
        keep(scan)
      }
      return
    }
  }

  private func show(_ row: KeptRow) {
    current = row
    leaf = nil
    block = nil
    known = nil
    wholeRow = nil
    (key, id, type, leaves, shape) = (row.key, row.id, row.type, 1, row.shape)
    hasRow = true
  }

  private func keep(_ scan: Statement) {
    let row = KeptRow(key, id: id, type: type, shape)
    kept.add(row, byID: scan === scans[Scan.id.rawValue])
    show(row)
    // All values have been copied, so the statement is no longer needed.
    scan.reset()
    self.scan = nil
  }

  func end() {
    scan?.reset()
    scan = nil
    queue = []
    hasRow = false
    known = nil
    current = nil
    wholeRow = nil
  }

  // MARK: - The current row

  var isLarge: Bool {
    if let known, let known { known.count > 1 << 16 } else { false }
  }

  func row() throws(StoreError) -> RecordRow {
    if let wholeRow { return wholeRow }
    guard hasRow, let row = try records.record(key: key) else { throw .defect("no row") }
    wholeRow = row
    return row
  }

  // The only leaf of a record with a shape is live.

  private var live: Int { get throws(StoreError) { leaves == 1 ? 1 : try row().live } }

  var isConflict: Bool { get throws(StoreError) { leaves == 1 ? false : try row().conflict != .none } }

  func currentLeaf() throws(StoreError) -> Leaf {
    if let leaf { return leaf }
    guard hasRow else { throw .defect("no row") }
    guard let found = try records.winner(of: key, leaves: leaves) else {
      throw .damaged("record \(String(decoding: id, as: UTF8.self))")
    }
    leaf = found
    return found
  }

  /// Whether the shape determines the positions of the properties in the body. A merged body can have more properties
  /// than the shape.
  var followsShape: Bool { get throws(StoreError) { try live == 1 } }

  /// Returns the displayed body, valid until the next row is read. Returns nil if the body was purged.
  func body() throws -> UnsafeBufferPointer<UInt8>? {
    if let known { return known }
    if let current, current.hasBody { return current.body }
    let found = try findBody()
    if let current, kept.hasRoom {
      current.keep(found)
      kept.add(bytes: found?.count ?? 0)
    }
    known = .some(found)
    return found
  }

  private func findBody() throws -> UnsafeBufferPointer<UInt8>? {
    guard hasRow else { throw StoreError.defect("no row") }
    if try live > 1 {
      guard let shown = try source.shown(row()) else { return nil }
      return keep(shown)
    }
    if try seekOnlyLeaf() {
      if walk.flags.contains(.ordered) { return nil }
      return try body(in: bytes(walk.block, walk.offset, walk.length))
    }
    let leaf = try currentLeaf()
    if leaf.isOrdered { return nil }
    return try body(in: bytes(leaf.place, leaf.offset, leaf.length))
  }

  /// Moves `walk` to the only leaf of the current record; returns false if there are several, or other revisions are
  /// greater.
  private func seekOnlyLeaf() throws(StoreError) -> Bool {
    guard leaves == 1, try walk.seek(key) else { return false }
    return walk.flags.isSuperset(of: [.leaf, .attached])
  }

  /// Returns the revision of the current record, or of the winner if the record has several leaves.
  func revision() throws(StoreError) -> RevisionID {
    try seekOnlyLeaf() ? walk.revision : currentLeaf().revision
  }

  /// Returns the current row without copying it. The record must have exactly one live leaf.
  func bytes() throws -> BorrowedRecord {
    BorrowedRecord(id: id, type: type, revision: try revision(), shape: shape, body: try body())
  }

  private func bytes(_ block: Int64, _ offset: Int, _ length: Int) throws(StoreError) -> UnsafeBufferPointer<UInt8> {
    if let found = try window.bytes(block, offset, length) { return found }
    return keep(try records.content.read(sequence: block, offset: offset, length: length))
  }

  private func keep(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
    copied = bytes
    // `copied` does not change until the next call.
    return copied.withUnsafeBufferPointer { $0 }
  }

  /// Returns the body of a change. The body comes after the id, type, parent, merged revisions and kind.
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
    try records.firstBlock(of: records.roots(of: key))
  }
}

extension RecordTable {
  package func roots(of record: Int64) throws(StoreError) -> [Leaf] {
    let find = try connection.statement(
      """
      SELECT depth, digest, flags, parent, block, offset, length, record FROM revision
      WHERE record = ? AND parent IS NULL AND flags & 8 ORDER BY depth, digest
      """)
    defer { find.reset() }
    find.bind(1, record as Int64?)
    var roots: [Leaf] = []
    while try find.step() { roots.append(try leaf(find)) }
    return roots
  }

  /// Returns the block in which a record was first written, according to the authors' clocks. The result is the same on
  /// every instance.
  package func firstBlock(of roots: [Leaf]) throws(StoreError) -> BlockRow? {
    var first: (block: BlockRow, root: Leaf)?
    for root in roots {
      guard let block = try blocks.block(sequence: root.sequence) else { continue }
      if let known = first, (known.block.time, known.root.revision) < (block.time, root.revision) { continue }
      first = (block, root)
    }
    return first?.block
  }
}

/// A record with one leaf, cached for joins, which read the same ids or keys repeatedly.
final class KeptRow {
  let key: Int64
  let shape: Int64
  private let idBytes: [UInt8]
  private let typeBytes: [UInt8]?
  private var bodyBytes: [UInt8]?
  private(set) var hasBody = false

  init(_ key: Int64, id: UnsafeBufferPointer<UInt8>, type: UnsafeBufferPointer<UInt8>?, _ shape: Int64) {
    (self.key, self.shape) = (key, shape)
    (idBytes, typeBytes) = (Array(id), type.map { Array($0) })
  }

  // Pointers into the arrays stay valid because the arrays never change.
  var id: UnsafeBufferPointer<UInt8> { idBytes.withUnsafeBufferPointer { $0 } }
  var type: UnsafeBufferPointer<UInt8>? { typeBytes?.withUnsafeBufferPointer { $0 } }
  var body: UnsafeBufferPointer<UInt8>? { bodyBytes?.withUnsafeBufferPointer { $0 } }

  func keep(_ body: UnsafeBufferPointer<UInt8>?) {
    bodyBytes = body.map { Array($0) }
    hasBody = true
  }

  var size: Int { 200 + idBytes.count + (bodyBytes?.count ?? 0) }
}

struct KeptRows {
  private var rows: [KeptRow] = []
  private var byKey: [Int64: KeptRow] = [:]
  private var byID = IDTable()
  private var size = 0
  private static let mostBytes = 64 << 20

  var hasRoom: Bool { size < KeptRows.mostBytes }

  func row(_ key: Int64) -> KeptRow? { byKey[key] }
  func row(_ id: UnsafeBufferPointer<UInt8>) -> KeptRow? { byID.find(id) { rows[$0].id }.map { rows[$0] } }

  mutating func add(_ row: KeptRow, byID id: Bool) {
    if id {
      byID.add(row.id, rows.count)
      rows.append(row)
    } else {
      byKey[row.key] = row
    }
    size += row.size
  }

  mutating func add(bytes: Int) { size += bytes }
}

/// Finds the greatest revision of each record. If a record is close to the previous one, no search is needed.
final class RevisionWalk {
  @exclusivity(unchecked) private(set) var flags: RevisionFlags = []
  @exclusivity(unchecked) private(set) var block: Int64 = 0
  @exclusivity(unchecked) private(set) var offset = 0
  @exclusivity(unchecked) private(set) var length = 0
  @exclusivity(unchecked) private var depth: UInt32 = 0
  @exclusivity(unchecked) private var digest = Digest.zero
  @exclusivity(unchecked) private var found: Int64 = 0

  var revision: RevisionID { RevisionID(depth: depth, digest: digest) }

  private let forward: Statement
  private let greatest: Statement
  /// The record of the current row of `forward`; nil if there is no row.
  @exclusivity(unchecked) private var next: Int64?
  /// The maximum number of rows to skip, because a search would be cheaper than skipping more rows.
  private static let near = 8

  private static let columns = "SELECT record, flags, block, offset, length, depth, digest FROM revision "

  init(_ connection: Connection) throws(StoreError) {
    forward = try Statement(connection, Self.columns + "WHERE record >= ? ORDER BY record, depth, digest")
    greatest = try Statement(connection, Self.columns + "WHERE record = ? ORDER BY depth DESC, digest DESC LIMIT 1")
  }

  /// - Returns: false if the record has no revision.
  func seek(_ record: Int64) throws(StoreError) -> Bool {
    if found == record { return true }
    found = 0
    if let next, next <= record, record - next <= Int64(Self.near) {
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
      read(forward)
      found = record
      try step()
      left -= 1
    }
    guard left > 0 else {
      // This record has a long history, so a search is cheaper.
      next = nil
      found = 0
      greatest.bind(1, record as Int64?)
      defer { greatest.reset() }
      guard try greatest.step() else { return false }
      read(greatest)
      found = record
      return true
    }
    return found == record
  }

  private func step() throws(StoreError) { next = try forward.step() ? Int64(forward.int(0)) : nil }

  private func read(_ row: Statement) {
    flags = RevisionFlags(rawValue: row.int(1))
    block = Int64(row.int(2))
    offset = row.int(3)
    length = row.int(4)
    depth = UInt32(truncatingIfNeeded: row.int(5))
    let bytes = row.bytes(6)
    digest = bytes.count == Digest.size ? Digest(bytes.baseAddress!) : Digest.zero
  }
}
