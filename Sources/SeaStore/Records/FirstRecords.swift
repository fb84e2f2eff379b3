import SeaCore

/// Finds the first records of an order without reading all of them.
extension RecordTable {
  /// The maximum number of records that are found one by one.
  package static let few = 1000
  /// For each wanted record, the number of records that are read in the order of the ids. If these are not enough, few
  /// records match, and another order is faster.
  private static let attempts = 256

  /// Returns the first live records of these shapes in the order of the ids.
  func first(_ limit: Int, of shapes: [Int64], after: String?) throws(StoreError) -> [(key: Int64, id: String)] {
    var found: [(key: Int64, id: String)] = []
    if shapes.isEmpty { return found }
    let allowed = Set(shapes)
    let scan = try connection.statement("SELECT key, id, shape FROM record WHERE id > ? ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    var left = limit * RecordTable.attempts
    while found.count < limit, try scan.step() {
      if left == 0, try !self.shapes.areMost(shapes) {
        let list = shapes.map(String.init).joined(separator: ", ")
        let few = try Statement(
          connection,
          """
          SELECT key, id FROM record INDEXED BY record_shape WHERE shape IN (\(list)) AND id > ?1 ORDER BY id LIMIT ?2
          """)
        few.bind(1, after ?? "").bind(2, limit)
        found = []
        while try few.step() { found.append((Int64(few.int(0)), few.text(1))) }
        return found
      }
      left -= 1
      if let shape = scan.optionalInt(2), allowed.contains(shape) { found.append((Int64(scan.int(0)), scan.text(1))) }
    }
    return found
  }

  /// Returns the records of a type that come first in the order of a property, found in a value index, in any order. Also
  /// returns records with the same value as the last of them, and records in conflict.
  /// - Returns: nil if no index has this order, or if the index has not enough records.
  package func first(
    _ limit: Int, of type: String, by property: String, isDescending: Bool
  ) throws -> [Int64]? {
    guard connection.past == nil, let index = try indexes.all().first(where: { $0.sorts(property, of: type) }),
      try isSortedAlike(property, of: type)
    else { return nil }
    // The empty key is that of records in conflict.
    let contested = try connection.statement("SELECT record FROM index_entry WHERE slot = ? AND key = x''")
    defer { contested.reset() }
    contested.bind(1, index.slot)
    var found: [Int64] = []
    while try contested.step() { found.append(Int64(contested.int(0))) }
    let scan = try Statement(
      connection,
      """
      SELECT record, key FROM index_entry WHERE slot = ? AND key > x'' ORDER BY key \(isDescending ? "DESC" : "ASC")
      """)
    scan.bind(1, index.slot)
    var (left, last): (Int, [UInt8]) = (limit, [])
    while try scan.step() {
      if left <= 0, !scan.bytes(1).elementsEqual(last) { return found }
      found.append(Int64(scan.int(0)))
      left -= 1
      if left == 0 { last = scan.array(1) }
      // If very many records have the same value, reading all records is faster.
      if left < -RecordTable.few * 10 { return nil }
    }
    // Records without the property come next.
    return left > 0 ? nil : found
  }

  /// Whether records are sorted by a property in the order of an index.
  private func isSortedAlike(_ property: String, of type: String) throws -> Bool {
    var kinds: Set<PropertyKind> = []
    try shapes.forEach(types: [type]) { shape in
      for one in shape.properties where UTF8Text.equal(one.name, property) { kinds.insert(one.kind) }
    }
    return [[.number, .counter], [.date, .day], [.boolean]].contains { kinds.isSubset(of: $0) }
  }
}

extension KeptIndex {
  fileprivate func sorts(_ property: String, of type: String) -> Bool {
    definition.kind == .values && UTF8Text.equal(definition.type, type) && definition.paths.count == 1
      && definition.paths[0].names.count == 1 && UTF8Text.equal(definition.paths[0].names[0], property)
  }
}
