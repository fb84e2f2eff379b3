import SeaCore

extension Store {
  /// Visits live records by rising id, each where it lies, until `body` returns false. Of a record in conflict only the row is
  /// given.
  package func forEachInPlace(
    type: String?, after: String?, _ source: QuerySource, _ visit: (RecordRow?, RecordBytes?) throws -> Bool
  ) throws {
    let allowed = try records.shapes.keys(of: type).map { Set($0) }
    let rows = try QueryRows(records, source)
    defer { rows.end() }
    var after = after.map { Array($0.utf8) }
    func start(_ lower: UnsafeBufferPointer<UInt8>?) throws(StoreError) {
      try rows.start(.range(lower, nil, isFalling: false), allowed: allowed)
    }
    if let lower = after {
      try lower.withUnsafeBufferPointer { bytes throws(StoreError) in try start(bytes) }
    } else {
      try start(nil)
    }
    while rows.hasRow {
      // The first may be the one that they come after.
      let isPast = after.map { !rows.id.elementsEqual($0) } ?? true
      after = nil
      if isPast {
        guard try rows.isConflict ? visit(rows.row(), nil) : visit(nil, rows.bytes()) else { return }
      }
      try rows.next()
    }
  }

  /// Visits the ids of live records in their order, until `body` returns false.
  /// - Parameter limit: how many it will take, if that is known.
  package func forEachID(
    type: String?, after: String?, limit: Int?, _ visit: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    guard limit.map({ $0 > 1000 }) ?? true else { return try seekEachID(type: type, after: after, visit) }
    // The index of ids alone is read, in its order: to look each record up costs more than all that is said of them.
    let live = try LiveKeys(records, type: type)
    let scan = try records.connection.statement(
      "SELECT id, key FROM record INDEXED BY record_id WHERE id > ? ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    while try scan.step() {
      if let live, !live.contains(scan.int(1)) { continue }
      guard try visit(scan.text(at: 0)) else { return }
    }
  }

  private func seekEachID(
    type: String?, after: String?, _ visit: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    let allowed = try records.shapes.keys(of: type).map { Set($0) }
    let scan = try records.connection.statement("SELECT id, shape FROM record WHERE id > ? AND live > 0 ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    while try scan.step() {
      if let allowed, !allowed.contains(Int64(scan.int(1))) { continue }
      guard try visit(scan.text(at: 0)) else { return }
    }
  }

  /// For each shape the places of these properties in a body: -1 where there is none.
  package func places(of names: [String]) throws -> [Int64: [Int]] {
    let columns = ColumnPlaces(names)
    var places: [Int64: [Int]] = [:]
    try records.shapes.forEachKey { key, shape in places[key] = columns.find(shape.properties.lazy.map(\.name)) }
    return places
  }
}
