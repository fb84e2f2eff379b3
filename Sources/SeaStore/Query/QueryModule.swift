import CSQLite
import SeaCore

/// The virtual tables that queries use (https://sqlite.org/vtab.html).
enum QueryModule {
  static let name = "sea"

  /// The memory that SQLite uses for a table, which must begin with SQLite's own structure.
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

  @inline(__always) private static func guarded(
    _ engine: Unmanaged<QueryEngine>, _ body: () throws -> Void
  ) -> Int32 {
    do {
      try body()
      return SQLITE_OK
    } catch {
      engine.takeUnretainedValue().recordFailure(error)
      return SQLITE_ERROR
    }
  }

  static func register(_ engine: QueryEngine, _ database: OpaquePointer) -> Int32 {
    sqlite3_create_module_v2(database, name, module, Unmanaged.passUnretained(engine).toOpaque(), nil)
  }

  nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    // xCreate must differ from xConnect. Otherwise, the module itself would be a table that any statement could use.
    module.pointee.xCreate = { connect($0, $1, $2, $3, $4, $5) }
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
        if !plan.isDisjoint(with: [.value, .index, .match]) {
          if count == 1, try place.cursor._withUnsafeGuaranteedRef({ try $0.filterAgain(plan, values![0]) }) { return }
          return try place.cursor.takeUnretainedValue().filter(plan, (0..<Int(count)).map { values![$0] })
        }
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
      return guarded(place.engine) {
        try place.cursor._withUnsafeGuaranteedRef {
          try $0.column(context, column)
          // Processing a large value can take longer than all the steps between two limit checks.
          if $0.rows.isLarge { try $0.table.checkLimits() }
        }
      }
    }
    module.pointee.xRowid = { pointer, out in
      out!.pointee = cursor(pointer).pointee.cursor.takeUnretainedValue().key
      return SQLITE_OK
    }
    return UnsafePointer(module)
  }()

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
