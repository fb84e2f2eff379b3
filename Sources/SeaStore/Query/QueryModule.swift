import CSQLite
import SeaCore

/// The tables of a query as SQLite sees them: https://sqlite.org/vtab.html.
enum QueryModule {
  static let name = "sea"

  /// What SQLite keeps of a table, and of a place in it: its own part first.
  private struct Table {
    var base: sqlite3_vtab
    var table: Unmanaged<QueryTable>
    var engine: Unmanaged<QueryEngine>
  }

  private struct Cursor {
    var base: sqlite3_vtab_cursor
    var cursor: Unmanaged<QueryCursor>
    var engine: Unmanaged<QueryEngine>
  }

  private typealias TablePointer = UnsafeMutablePointer<sqlite3_vtab>
  private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

  private static func table(_ pointer: TablePointer?) -> UnsafeMutablePointer<Table> {
    UnsafeMutableRawPointer(pointer!).assumingMemoryBound(to: Table.self)
  }

  private static func cursor(_ pointer: CursorPointer?) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(pointer!).assumingMemoryBound(to: Cursor.self)
  }

  /// Runs what may fail; the engine keeps why, and gives it to who asked.
  @inline(__always) private static func guarded(
    _ engine: Unmanaged<QueryEngine>, _ body: () throws -> Void
  ) -> Int32 {
    do {
      try body()
      return SQLITE_OK
    } catch {
      engine.takeUnretainedValue().note(error)
      return SQLITE_ERROR
    }
  }

  static func register(_ engine: QueryEngine, _ database: OpaquePointer) -> Int32 {
    sqlite3_create_module_v2(database, name, module, Unmanaged.passUnretained(engine).toOpaque(), nil)
  }

  nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    module.pointee.xCreate = connect
    module.pointee.xConnect = connect
    module.pointee.xBestIndex = { vtab, info in
      QueryChoice.choose(table(vtab).pointee.table.takeUnretainedValue(), info!)
      return SQLITE_OK
    }
    module.pointee.xDisconnect = disconnect
    module.pointee.xDestroy = disconnect
    module.pointee.xOpen = { vtab, out in
      let owner = table(vtab).pointee
      return guarded(owner.engine) {
        let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
        let cursor = try QueryCursor(owner.table.takeUnretainedValue())
        made.initialize(
          to: Cursor(base: sqlite3_vtab_cursor(), cursor: .passRetained(cursor), engine: owner.engine))
        out!.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      }
    }
    module.pointee.xClose = { pointer in
      let made = cursor(pointer)
      made.pointee.cursor.release()
      made.deallocate()
      return SQLITE_OK
    }
    module.pointee.xFilter = { pointer, plan, _, count, values in
      let place = cursor(pointer).pointee
      return guarded(place.engine) {
        let plan = QueryPlan(rawValue: plan)
        if plan.contains(.value) { return try place.cursor.takeUnretainedValue().filter(plan, value: values![0]) }
        let ids = (0..<Int(count)).map { k -> UnsafeBufferPointer<UInt8>? in
          let value = values![k]
          guard sqlite3_value_type(value) != SQLITE_NULL, let text = sqlite3_value_text(value) else { return nil }
          return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        }
        try place.cursor.takeUnretainedValue().filter(plan, ids)
      }
    }
    module.pointee.xNext = { pointer in
      let place = cursor(pointer).pointee
      return guarded(place.engine) { try place.cursor._withUnsafeGuaranteedRef { try $0.next() } }
    }
    module.pointee.xEof = { pointer in
      cursor(pointer).pointee.cursor._withUnsafeGuaranteedRef { !$0.rows.hasRow } ? 1 : 0
    }
    module.pointee.xColumn = { pointer, context, column in
      let place = cursor(pointer).pointee
      return guarded(place.engine) { try place.cursor._withUnsafeGuaranteedRef { try $0.column(context, column) } }
    }
    module.pointee.xRowid = { pointer, out in
      out!.pointee = cursor(pointer).pointee.cursor.takeUnretainedValue().key
      return SQLITE_OK
    }
    return UnsafePointer(module)
  }()

  /// The table that the engine is about to make.
  private static let connect:
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 = { database, context, _, _, out, _ in
      let engine = Unmanaged<QueryEngine>.fromOpaque(context!)
      guard let table = engine.takeUnretainedValue().connecting else { return SQLITE_MISUSE }
      let code = sqlite3_declare_vtab(database, table.declaration)
      guard code == SQLITE_OK else { return code }
      let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      made.initialize(to: Table(base: sqlite3_vtab(), table: .passRetained(table), engine: engine))
      out!.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }

  private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { vtab in
    let made = table(vtab)
    made.pointee.table.release()
    made.deallocate()
    return SQLITE_OK
  }
}

/// Which way through a table SQLite is offered.
enum QueryChoice {
  static func choose(_ table: QueryTable, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
    let count = Double(table.isJoined ? table.count : 100_000)
    var (equal, lower, upper) = (-1, -1, -1)
    var value: (constraint: Int, property: Int)?
    for k in 0..<Int(info.pointee.nConstraint) {
      let one = info.pointee.aConstraint[k]
      guard one.usable != 0, String(cString: sqlite3_vtab_collation(info, Int32(k))) == "BINARY" else { continue }
      guard one.iColumn == QueryTable.Fixed.id.rawValue else {
        if let property = joins(table, info, k) { value = (k, property) }
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
      finish(info, .id, cost: 8, rows: 1)
      info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE
      return
    }
    if let value {
      info.pointee.aConstraintUsage[value.constraint].argvIndex = 1
      return finish(info, QueryPlan(property: value.property), cost: 60, rows: 10)
    }
    var plan: QueryPlan = []
    if info.pointee.nOrderBy == 1, info.pointee.aOrderBy[0].iColumn == QueryTable.Fixed.id.rawValue {
      plan.insert(info.pointee.aOrderBy[0].desc != 0 ? .falling : .rising)
      info.pointee.orderByConsumed = 1
    }
    var arguments: Int32 = 0
    for (constraint, bound) in [(lower, QueryPlan.lower), (upper, .upper)] where constraint >= 0 {
      arguments += 1
      // SQLite holds each row against the condition itself all the same.
      info.pointee.aConstraintUsage[constraint].argvIndex = arguments
      plan.insert(bound)
    }
    let share = 1 / Double(1 << arguments)
    // In the order of ids bodies are read here and there.
    finish(info, plan, cost: count * share * (plan.isEmpty ? 3 : 4), rows: count * share)
  }

  /// The property that is to be equal to what stands in another row; nil if it is none, or equal to what is the same for all rows.
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

  private static func finish(
    _ info: UnsafeMutablePointer<sqlite3_index_info>, _ plan: QueryPlan, cost: Double, rows: Double
  ) {
    info.pointee.idxNum = plan.rawValue
    info.pointee.idxStr = UnsafeMutablePointer(
      mutating: plan.words.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { $0 })
    info.pointee.needToFreeIdxStr = 0
    info.pointee.estimatedCost = max(cost, 1)
    info.pointee.estimatedRows = Int64(max(rows, 1))
  }
}
