import SeaCore

/// The shapes that a transaction has used, keyed by their bytes. Successive records often have the same shape.
private final class KnownShapes {
  fileprivate var writer = ByteWriter(capacity: 256)
  private var last: (bytes: [UInt8], key: Int64)?
  /// The shapes used before the last one. A key is nil if the shape was deleted.
  private var others: [(bytes: Range<Int>, key: Int64?)] = []
  private var arena = ByteWriter()
  private var places = IDTable()
  private static let most = 4096

  func forget() {
    last = nil
    forgetOthers()
  }

  private func forgetOthers() {
    guard !others.isEmpty else { return }
    (others, places) = ([], IDTable())
    arena.truncate(to: 0)
  }

  fileprivate func remember(_ bytes: [UInt8], _ key: Int64) {
    if let last {
      if others.count >= KnownShapes.most { forgetOthers() }
      last.bytes.withUnsafeBufferPointer { bytes in
        if let place = position(of: bytes) {
          others[place].key = last.key
        } else {
          let start = arena.count
          arena.append(bytes)
          places.add(bytes, others.count)
          others.append((start..<arena.count, last.key))
        }
      }
    }
    last = (bytes, key)
  }

  fileprivate func find(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    if let last, last.bytes.count == bytes.count, last.bytes.elementsEqual(bytes) { return last.key }
    return position(of: bytes).flatMap { others[$0].key }
  }

  fileprivate func forget(_ bytes: [UInt8], _ key: Int64) {
    if last?.key == key { last = nil }
    if let place = bytes.withUnsafeBufferPointer({ position(of: $0) }) { others[place].key = nil }
  }

  private func position(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    places.find(bytes) { UnsafeBufferPointer(rebasing: arena.bytes[others[$0].bytes]) }
  }
}

/// The shapes of the live records: types, properties and counts.
package final class ShapeTable {
  private let connection: Connection
  private let known = KnownShapes()

  init(_ connection: Connection) { self.connection = connection }

  /// Clears the cache, because another process may have rebuilt the projection.
  func forget() { known.forget() }

  /// Returns the key of a shape, and stores the shape if it is new.
  /// - Parameter body: the body; nil if it is unknown.
  func shape(_ type: UnsafeBufferPointer<UInt8>?, _ body: UnsafeBufferPointer<UInt8>?) throws(StoreError) -> Int64 {
    known.writer.truncate(to: 0)
    do throws(CoreError) {
      try Shape.write(type: type, body: body, into: &known.writer)
    } catch {
      throw .damaged("body")
    }
    if let key = known.find(known.writer.bytes) { return key }
    let bytes = known.writer.array()
    let key = try stored(bytes)
    known.remember(bytes, key)
    return key
  }

  func shape(_ type: String?, _ body: [UInt8]?) throws(StoreError) -> Int64 {
    let type = type.map { Array($0.utf8) }
    func withBody(_ type: UnsafeBufferPointer<UInt8>?) throws(StoreError) -> Int64 {
      guard let body else { return try shape(type, nil) }
      return try body.withUnsafeBufferPointer { body throws(StoreError) in try shape(type, body) }
    }
    guard let type else { return try withBody(nil) }
    return try type.withUnsafeBufferPointer { type throws(StoreError) in try withBody(type) }
  }

  private static func hash(_ bytes: [UInt8]) -> Int64 {
    bytes.withUnsafeBytes { SHA256.hash($0) }.bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  private func key(_ bytes: [UInt8], _ hash: Int64) throws(StoreError) -> Int64? {
    let find = try connection.statement("SELECT key, bytes FROM shape WHERE hash = ?")
    defer { find.reset() }
    find.bind(1, hash as Int64?)
    while try find.step() { if find.bytes(1).elementsEqual(bytes) { return Int64(find.int(0)) } }
    return nil
  }

  private func stored(_ bytes: [UInt8]) throws(StoreError) -> Int64 {
    let hash = ShapeTable.hash(bytes)
    if let known = try key(bytes, hash) { return known }
    let insert = try connection.statement("INSERT INTO shape(hash, bytes) VALUES(?, ?)")
    try insert.bind(1, hash as Int64?).bind(2, copy: bytes).run()
    return connection.lastKey
  }

  /// Sets the shape of a record and deletes the old shape if no record has it. Otherwise, the space used by a record
  /// that gains properties one by one would grow quadratically.
  func setShape(of row: RecordRow, _ shape: Int64?) throws(StoreError) {
    let find = try connection.statement("SELECT shape FROM record WHERE key = ?").bind(1, row.key as Int64?)
    guard try find.step() else { throw .damaged("record") }
    let old = find.optionalInt(0)
    find.reset()
    guard old != shape else { return }
    try connection.statement("UPDATE record SET shape = ? WHERE key = ?").bind(1, shape).bind(2, row.key as Int64?)
      .run()
    if let old { try removeUnless(used: old) }
  }

  func removeUnless(used old: Int64) throws(StoreError) {
    let remove = try connection.statement(
      "DELETE FROM shape WHERE key = ?1 AND NOT EXISTS(SELECT 1 FROM record WHERE shape = ?1) RETURNING bytes")
    remove.bind(1, old as Int64?)
    while try remove.step() { known.forget(remove.array(0), old) }
    remove.reset()
  }

  /// Returns the bytes of a record's shape; nil if the record is deleted.
  func shape(of row: RecordRow) throws(StoreError) -> [UInt8]? {
    let find = try connection.statement(
      "SELECT s.bytes FROM record r LEFT JOIN shape s ON s.key = r.shape WHERE r.key = ? AND r.shape IS NOT NULL")
    defer { find.reset() }
    find.bind(1, row.key as Int64?)
    return try find.step() ? find.array(0) : nil
  }

  package func forEach(_ visit: (_ shape: Shape, _ count: Int) throws -> Void) throws {
    let scan = try connection.statement(
      """
      SELECT s.bytes, c.count FROM (SELECT shape, count(*) AS count FROM record WHERE shape > 0 GROUP BY shape) c
      JOIN shape s ON s.key = c.shape
      """)
    defer { scan.reset() }
    while try scan.step() { try visit(ShapeTable.shape(scan.bytes(0)), scan.int(1)) }
  }

  /// Visits the shapes of types, or all shapes if `types` is empty.
  package func forEach(types: [String], _ visit: (Shape) throws -> Void) throws {
    try forEachKey { _, shape in if Shape.isType(shape.type, of: types) { try visit(shape) } }
  }

  /// Returns the keys of the types' shapes; nil if any type is allowed.
  func keys(of types: [String]) throws -> [Int64]? {
    guard !types.isEmpty else { return nil }
    var keys: [Int64] = []
    try forEachType { key, type in if Shape.isType(type, of: types) { keys.append(key) } }
    return keys
  }

  /// Returns the types of the live records, in the order of their bytes.
  package func types() throws -> [String] {
    var found: [[UInt8]: String] = [:]
    try forEachType { _, type in if let type { found[Array(type.utf8)] = type } }
    return found.values.sorted(by: UTF8Text.less)
  }

  private func forEachType(_ visit: (Int64, String?) throws -> Void) throws {
    let scan = try connection.statement("SELECT key, substr(bytes, 1, ?) FROM shape")
    defer { scan.reset() }
    scan.bind(1, Shape.typeSize)
    while try scan.step() {
      let start = scan.bytes(1)
      let type: String?
      do throws(CoreError) { type = try Shape.type(start.assumingMemoryBound(to: UInt8.self)) } catch {
        throw StoreError.damaged("shape")
      }
      try visit(Int64(scan.int(0)), type)
    }
  }

  package func hasRecords(of type: String) throws -> Bool { try keys(of: [type])?.isEmpty == false }

  package func count(types: [String]) throws -> Int { try count(shapes: keys(of: types)) }

  package func forEachKey(_ visit: (Int64, Shape) throws -> Void) throws {
    let scan = try connection.statement("SELECT key, bytes FROM shape")
    defer { scan.reset() }
    while try scan.step() { try visit(Int64(scan.int(0)), ShapeTable.shape(scan.bytes(1))) }
  }

  private static func shape(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Shape {
    guard let shape = Shape(bytes.assumingMemoryBound(to: UInt8.self)) else { throw .damaged("shape") }
    return shape
  }

  /// Whether more than a third of the live records have these shapes. Searching for each record costs more than skipping
  /// two records of other types.
  func areMost(_ shapes: [Int64]) throws(StoreError) -> Bool { try count(shapes: shapes) > count(shapes: nil) / 3 }

  func count(shapes: [Int64]?) throws(StoreError) -> Int {
    guard let shapes else {
      // SQLite counts a whole index page by page, but counts part of an index entry by entry.
      let count = try connection.statement(
        "SELECT (SELECT count(*) FROM record) - (SELECT count(*) FROM record WHERE shape IS NULL)")
      defer { count.reset() }
      return try count.step() ? count.int(0) : 0
    }
    var sum = 0
    for shape in shapes {
      let count = try connection.statement("SELECT count(*) FROM record WHERE shape = ?")
      count.bind(1, shape as Int64?)
      if try count.step() { sum += count.int(0) }
      count.reset()
    }
    return sum
  }
}
