import SeaCore

extension Store {
  /// Visits live records by rising id, each where it lies, until `body` returns false. Of a record with several live leaves only
  /// the row is given.
  package func forEachInPlace(
    type: String?, after: String?, _ source: QuerySource, _ visit: (RecordRow?, RecordBytes?) throws -> Bool
  ) throws {
    let allowed = try shapes(of: type)
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
        guard try rows.live > 1 ? visit(rows.row(), nil) : visit(nil, rows.bytes()) else { return }
      }
      try rows.next()
    }
  }

  /// Visits the ids of live records in their order, until `body` returns false.
  package func forEachID(
    type: String?, after: String?, _ visit: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    let allowed = try shapes(of: type)
    let scan = try records.connection.statement("SELECT id, shape FROM record WHERE id > ? AND live > 0 ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    while try scan.step() {
      if let allowed, !allowed.contains(Int64(scan.int(1))) { continue }
      guard try visit(scan.text(at: 0)) else { return }
    }
  }

  /// Nil if any type will do.
  private func shapes(of type: String?) throws -> Set<Int64>? {
    guard let type else { return nil }
    var keys: Set<Int64> = []
    try records.forEachShape { key, shape in
      if shape.type.map({ UTF8Text.equal($0, type) }) == true { keys.insert(key) }
    }
    return keys
  }

  /// For each shape the places of these properties in a body: -1 where there is none.
  package func places(of names: [String]) throws -> [Int64: [Int]] {
    var columns: [[UInt8]: [Int]] = [:]
    for (k, name) in names.enumerated() { columns[Array(name.utf8), default: []].append(k) }
    var places: [Int64: [Int]] = [:]
    try records.forEachShape { key, shape in
      var found = [Int](repeating: -1, count: names.count)
      for (place, one) in shape.properties.enumerated() {
        for k in columns[Array(one.name.utf8)] ?? [] { found[k] = place }
      }
      places[key] = found
    }
    return places
  }
}
