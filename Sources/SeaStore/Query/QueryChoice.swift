import CSQLite
import SeaCore

enum QueryChoice {
  static func choose(_ table: QueryTable, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
    let count = Double(table.isJoined ? table.count : 100_000)
    var (equal, lower, upper) = (-1, -1, -1)
    var value: (constraint: Int, property: Int)?
    var bounds: [IndexChoice.Bounds] = []
    for k in 0..<Int(info.pointee.nConstraint) {
      let one = info.pointee.aConstraint[k]
      if one.op == SQLITE_INDEX_CONSTRAINT_MATCH {
        if one.usable != 0, match(table, info, k) { return }
        continue
      }
      guard one.usable != 0, String(cString: sqlite3_vtab_collation(info, Int32(k))) == "BINARY" else { continue }
      guard one.iColumn == QueryTable.Fixed.id.rawValue else {
        if let property = joins(table, info, k) { value = (k, property) }
        let property = table.property(one.iColumn)
        if property >= 0 {
          let at = bounds.firstIndex { $0.property == property } ?? bounds.count
          if at == bounds.count { bounds.append(.init(property)) }
          bounds[at].add(k, Int32(one.op))
        }
        continue
      }
      switch Int32(one.op) {
      case SQLITE_INDEX_CONSTRAINT_EQ: equal = k
      case SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_GE: lower = k
      case SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE: upper = k
      default: break
      }
    }
    if equal >= 0 {
      info.pointee.aConstraintUsage[equal].argvIndex = 1
      finish(info, .id, cost: table.isSmallest ? 4 : 8, rows: 1)
      info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE
      return
    }
    let choice = IndexChoice.best(table, bounds)
    if let choice, choice.isEqual || value == nil {
      for (k, constraint) in choice.constraints.enumerated() {
        info.pointee.aConstraintUsage[constraint].argvIndex = Int32(k) + 1
      }
      let rows = choice.isEqual ? table.share : count / 8
      return finish(
        info, QueryPlan(index: table.add(choice)), choice.words, cost: 4 + readingOne(table) * rows, rows: rows)
    }
    if let value {
      info.pointee.aConstraintUsage[value.constraint].argvIndex = 1
      let cost = 2 + readingOne(table) * table.share
      return finish(info, QueryPlan(property: value.property), cost: cost, rows: table.share)
    }
    var plan: QueryPlan = []
    if info.pointee.nOrderBy == 1, info.pointee.aOrderBy[0].iColumn == QueryTable.Fixed.id.rawValue {
      plan.insert(info.pointee.aOrderBy[0].desc != 0 ? .falling : .rising)
      info.pointee.orderByConsumed = 1
    }
    var arguments: Int32 = 0
    for (constraint, bound) in [(lower, QueryPlan.lower), (upper, .upper)] where constraint >= 0 {
      arguments += 1
      // SQLite still checks the condition for each row.
      info.pointee.aConstraintUsage[constraint].argvIndex = arguments
      plan.insert(bound)
    }
    let share = 1 / Double(1 << arguments)
    // When records are read by id, their bodies are accessed in random order.
    finish(info, plan, cost: count * share * (plan.isEmpty ? 3 : 4), rows: count * share)
  }

  /// Returns the cost of reading a single record at random, in thirds of the cost of a sequential read. Records in the
  /// smallest table are read repeatedly, so they are cached.
  private static func readingOne(_ table: QueryTable) -> Double { table.isSmallest ? 2 : 15 }

  /// Returns the property that must equal a value from another row; nil if there is no such condition or if the value
  /// is constant.
  private static func joins(
    _ table: QueryTable, _ info: UnsafeMutablePointer<sqlite3_index_info>, _ k: Int
  ) -> Int? {
    let one = info.pointee.aConstraint[k]
    let property = table.property(one.iColumn)
    guard table.isJoined, Int32(one.op) == SQLITE_INDEX_CONSTRAINT_EQ, property >= 0,
      !table.properties[property].isExact,
      table.properties[property].column != nil, table.count <= JoinIndex.mostRecords
    else { return nil }
    var constant: OpaquePointer?
    return sqlite3_vtab_rhs_value(info, Int32(k), &constant) == SQLITE_OK ? nil : property
  }

  /// Offers SQLite a search in a text index, because it cannot evaluate `MATCH` itself.
  private static func match(
    _ table: QueryTable, _ info: UnsafeMutablePointer<sqlite3_index_info>, _ k: Int
  ) -> Bool {
    let property = table.property(info.pointee.aConstraint[k].iColumn)
    guard property >= 0, let index = table.properties[property].text else { return false }
    info.pointee.aConstraintUsage[k].argvIndex = 1
    info.pointee.aConstraintUsage[k].omit = 1
    finish(info, QueryPlan(match: property), "words of \(index.name)", cost: 20, rows: 100)
    return true
  }

  private static func finish(
    _ info: UnsafeMutablePointer<sqlite3_index_info>, _ plan: QueryPlan, _ words: String? = nil, cost: Double,
    rows: Double
  ) {
    info.pointee.idxNum = plan.rawValue
    info.pointee.idxStr = kept(words ?? plan.words)
    info.pointee.needToFreeIdxStr = 1
    info.pointee.estimatedCost = max(cost, 1)
    info.pointee.estimatedRows = Int64(max(rows, 1))
  }

  /// Returns a copy of a string, which SQLite will free.
  private static func kept(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = Array(text.utf8) + [0]
    guard let place = sqlite3_malloc(Int32(bytes.count)) else { return nil }
    place.copyMemory(from: bytes, byteCount: bytes.count)
    return place.assumingMemoryBound(to: CChar.self)
  }
}
