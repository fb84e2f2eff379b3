import CSQLite
import SeaCore
import SeaSystem

/// Answers SQL queries about records. SQLite parses and plans statements, and sees records as rows of virtual tables.
///
/// The engine uses a separate in-memory database, so statements cannot access the store's tables. `QueryRules` lists
/// the operations that a statement may perform. Type tables are in the schema `type`. The table of all records is in
/// `main`, where it takes precedence over a type with the same name.
package final class QueryEngine {
  let records: RecordTable
  let source: QuerySource
  package let catalog: QueryCatalog
  private let connection: Connection
  let functions: QueryFunctions
  private let indexes: [KeptIndex]
  private var handle: OpaquePointer { connection.handle }
  private(set) var connecting: QueryTable?
  private(set) var tables: [(schema: String, table: QueryTable)] = []
  /// The columns that SQLite's authorizer has seen while preparing the current statement.
  private(set) var read: [(table: QueryTable, column: String)] = []
  private var refusal: String?
  private var subject: String?
  private var isPreparing = false
  private var failure: (any Error)?
  private(set) var watch = QueryWatch()
  let similar: (_ word: String, _ known: [String]) -> String?
  package private(set) var notices: [QueryNotice] = []

  package static let fixedColumns = QueryTable.Fixed.allCases.map(\.name)
  static let allRecords = "records"
  static let typeSchema = "type"

  package init(
    _ records: RecordTable, _ source: QuerySource, similar: @escaping (_ word: String, _ known: [String]) -> String?
  ) throws {
    self.records = records
    self.source = source
    self.similar = similar
    catalog = try QueryCatalog(records)
    functions = try QueryFunctions(records, source)
    indexes = try records.indexes.all()
    connection = try Connection(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.execute("ATTACH ':memory:' AS type; PRAGMA cache_size=-65536")
    if !records.connection.spillsIntoFolder { try connection.execute("PRAGMA temp_store=MEMORY") }
    sea_sqlite_strict_names(handle)
    for (limit, value) in QueryRules.limits { sqlite3_limit(handle, limit, value) }
    guard QueryModule.register(self, handle) == SQLITE_OK else { throw StoreError.defect("module") }
    try functions.register(self, handle)
    try TextFunctions.register(self, handle)
    let me = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_set_authorizer(
      handle,
      { me, action, first, second, _, _ in
        Unmanaged<QueryEngine>.fromOpaque(me!).takeUnretainedValue().authorize(action, first, second)
      }, me)
    sqlite3_progress_handler(
      handle, 500, { Unmanaged<QueryEngine>.fromOpaque($0!).takeUnretainedValue().mayGoOn() ? 0 : 1 }, me)
  }

  package func limit(seconds: Int?) { watch.start(seconds: seconds) }

  /// A closure that is called regularly while a statement runs. If it throws, the statement ends with its error.
  package var checkStop: () throws -> Void = {}

  private func mayGoOn() -> Bool {
    guard failure == nil else { return false }
    do { try checkStop() } catch {
      failure = error
      return false
    }
    guard let limit = watch.limit() else { return true }
    failure = QueryFault.tooMuch(limit)
    return false
  }

  /// - Throws: the error that ends the statement.
  func checkLimits() throws {
    guard !mayGoOn(), let failure = removeFailure() else { return }
    throw failure
  }

  // MARK: - Called from the callbacks

  func recordFailure(_ error: any Error) { if failure == nil { failure = error } }

  func removeFailure() -> (any Error)? {
    defer { failure = nil }
    return failure
  }

  private func authorize(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Int32 {
    guard isPreparing else { return SQLITE_OK }
    var found: QueryTable?
    refusal =
      refusal
      ?? QueryRules.refusal(action, first, second) { name in
        found = tables.first { SQLText.folded($0.table.name) == SQLText.folded(name) }?.table
        return found != nil
      }
    if let found, action == SQLITE_READ, let second { read.append((found, String(cString: second))) }
    return refusal == nil ? SQLITE_OK : SQLITE_DENY
  }

  func isJSON(_ table: String, _ column: String) -> Bool {
    guard let table = tables.first(where: { $0.table.name == table })?.table else { return false }
    if table.isAll, column == QueryTable.Fixed.json.name { return true }
    return table.catalog.columns[SQLText.folded(column)]?.kinds.onlyClass == .json
  }

  // MARK: - Statements

  /// Prepares a read-only statement.
  /// - Parameters:
  /// - values: the parameter values, keyed by name without the colon.
  /// - type: the intended type if the names of several types differ only in case.
  /// - Throws: `QueryFault`.
  package func prepare(
    _ sql: String, _ values: [(name: String, value: QueryValue)] = [], about type: String? = nil
  ) throws -> QueryStatement {
    subject = type
    guard sql.utf8.count <= 1 << 20 else { throw QueryFault.tooMuch(.length) }
    let text = SQLText(sql)
    guard !text.tokens.allSatisfy({ $0.kind == .other && $0.name == ";" }) else { throw QueryFault.noStatement }
    guard QueryRules.isReading(text) else { throw QueryFault.noQuery(text.firstWord) }
    let exact = ExactArguments(text)
    notices = []
    var empty = Extra()
    while true {
      try make(text, exact: exact.columns, empty)
      do {
        let statement = try compile(exact.text)
        if let number = SQLText(exact.text).lossyNumber { throw QueryFault.tooManyDigits(number) }
        statement.replaced = exact.replaced
        try checkColumns(at: text, Comparisons(text, values))
        notices += try unknownProperties(in: text)
        try statement.bind(values)
        return statement
      } catch let fault as QueryFault {
        guard case .bad(let message) = fault, let notice = try extend(&empty, for: message, in: text) else {
          throw fault
        }
        notices.append(notice)
      }
    }
  }

  private func make(_ text: SQLText, exact: Set<SQLName>, _ empty: Extra) throws {
    let (names, places) = (text.names, text.tableNames)
    for (schema, table) in tables { try connection.execute("DROP TABLE \(schema).\(SQLText.quoted(table.name))") }
    tables = []
    func add(_ schema: String, _ name: String, _ table: QueryCatalog.Table, isAll: Bool = false) throws {
      let indexes =
        isAll
        ? [] : indexes.filter { index in table.type.map { UTF8Text.equal($0, index.definition.type) } ?? false }
      for index in indexes where names.contains(SQLName("_" + index.name)) {
        try RecordIndexes(records).makePastTextIndex(index)
      }
      let made = QueryTable(
        name, table, isAll: isAll, names: names, exact: exact, extra: empty.columns, indexes, records,
        source)
      made.checkLimits = { [unowned self] in try checkLimits() }
      connecting = made
      defer { connecting = nil }
      try connection.execute("CREATE VIRTUAL TABLE \(schema).\(SQLText.quoted(name)) USING \(QueryModule.name)")
      tables.append((schema, made))
    }
    // SQLite creates these tables on first use, which the authorizer would mistake for a write.
    for function in SQLText.tableFunctions where names.contains(function) {
      try connection.execute("SELECT 1 FROM \(function.text)('[]')")
    }
    if places.contains(SQLName(QueryEngine.allRecords)) {
      try add("main", QueryEngine.allRecords, catalog.all(names), isAll: true)
    }
    for name in places {
      guard let table = catalog.table(name, meaning: subject), let type = table.type else { continue }
      guard QueryEngine.hasTable(type) else { throw QueryFault.reservedType(type) }
      try add(QueryEngine.typeSchema, type, table)
    }
    for name in empty.types { try add(QueryEngine.typeSchema, name, QueryCatalog.Table(type: name)) }
    // Even a single table can be joined with itself.
    guard tables.count > 1 || text.mayUseTableTwice else { return }
    let least = tables.map(\.table.count).min()
    for (_, table) in tables { table.leastCount = least }
  }

  private func compile(_ sql: String) throws -> QueryStatement {
    read = []
    refusal = nil
    isPreparing = true
    defer { isPreparing = false }
    var made: OpaquePointer?
    var rest = 0
    let bytes = Array(sql.utf8)
    let code = QueryMemory.boundedPlan {
      bytes.withUnsafeBufferPointer { bytes in
        (bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!).withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          start in
          var tail: UnsafePointer<CChar>?
          let code = sqlite3_prepare_v3(handle, start, Int32(bytes.count), 0, &made, &tail)
          if let tail { rest = bytes.count - UnsafeRawPointer(start).distance(to: UnsafeRawPointer(tail)) }
          return code
        }
      }
    }
    let message = String(cString: sqlite3_errmsg(handle))
    if let refusal {
      sqlite3_finalize(made)
      throw QueryFault.refused(refusal)
    }
    if let failure = removeFailure() { throw failure }
    // SQLite's plan grows exponentially if a chain of common table expressions each use the next one twice.
    if let limit = code == SQLITE_NOMEM ? .memory : watch.limit() {
      sqlite3_finalize(made)
      throw QueryFault.tooMuch(limit)
    }
    guard code == SQLITE_OK else {
      throw message.hasSuffix("may not be modified") ? QueryFault.refused("writing") : QueryFault.bad(message)
    }
    guard let made else { throw QueryFault.noStatement }
    let statement = QueryStatement(self, handle, made)
    let more = SQLText(String(decoding: bytes[(bytes.count - rest)...], as: UTF8.self)).tokens
    guard more.allSatisfy({ $0.kind == .other && $0.name == ";" }) else { throw QueryFault.severalStatements }
    guard sqlite3_stmt_readonly(made) != 0 else { throw QueryFault.refused("writing") }
    return statement
  }

  /// Checks the columns that a statement reads. A column name that matches several properties is an error. A column
  /// with several kinds of values causes a notice.
  private func checkColumns(at text: SQLText, _ compared: Comparisons) throws {
    var seen: Set<String> = []
    let (places, takesAll, shown) = (text.places, text.takesAll, ShownColumns(text))
    func misfit(_ table: QueryTable, _ column: String, _ name: String, _ kind: ValueClass?) -> QueryNotice? {
      guard let kind else { return nil }
      for place in places[SQLText.folded(name)] ?? [] {
        for value in compared.values(besideColumn: place) {
          if let notice = kind.misfit(value, of: column, in: table.name) { return notice }
        }
      }
      return nil
    }
    for (_, table) in tables where takesAll && table.leftOut > 0 {
      notices.append(.leftOut(table: table.name, count: table.leftOut))
    }
    // An asterisk does not name any column, and a notice about a single odd record would be annoying in every such
    // query.
    func isNamed(_ name: String) -> Bool { !takesAll || places[SQLName(name)] != nil }
    for (table, name) in read {
      // SQLite offers ROWID for every table. Sea treats ROWID as an error, because its values differ between
      // instances.
      if name == "ROWID", table.catalog.columns["rowid"] == nil {
        throw QueryFault.unknownColumn("rowid", similar: QueryTable.Fixed.id.name)
      }
      if !table.isAll, !table.catalog.others.isEmpty {
        throw QueryFault.ambiguousCase([table.catalog.type ?? ""] + table.catalog.others, isType: true)
      }
      let plain = name.hasSuffix(ExactArguments.mark) ? String(name.dropLast()) : name
      if table.isClaimed(plain), isNamed(plain) { throw QueryFault.ambiguousPath(plain) }
      if let twins = table.twins(of: plain), isNamed(plain) { throw QueryFault.ambiguousCase(twins, isType: false) }
      if let fixed = QueryTable.Fixed.allCases.first(where: { $0.name == name }), seen.insert("." + name).inserted,
        let notice = misfit(table, name, name, fixed.kind)
      {
        notices.append(notice)
      }
      guard let column = table.catalog.columns[SQLText.folded(plain)], seen.insert(table.name + "." + plain).inserted
      else { continue }
      if table.isAll, SQLText.folded(plain) == "json" {
        if isNamed(plain) { notices.append(.hidden(column.name)) }
        continue
      }
      if !column.others.isEmpty {
        guard !isNamed(plain) else { throw QueryFault.ambiguousCase([column.name] + column.others, isType: false) }
        notices.append(.sameButCase([column.name] + column.others))
      }
      let kind = column.kinds.onlyClass
      if kind == nil {
        let found = places[SQLText.folded(plain)] ?? []
        if text.callsKind || shown.has(only: found) { continue }
        // SQL sorts dates and days as `SortKey` does, so only equality and groups need a notice.
        let areTimes = column.kinds.classes == [.dates, .days]
        let isClear = found.allSatisfy { at in
          text.testsPresence(at) || areTimes && (compared.isOrdered(at) || text.isDate(of: at) || shown.has(only: [at]))
        }
        if found.isEmpty || !isClear {
          notices.append(.severalKinds(table: table.name, column: column.name, kinds: column.kinds.classes))
        } else if areTimes, let notice = misfit(table, column.name, plain, .dates) {
          notices.append(notice)
        }
      } else if let notice = misfit(table, column.name, plain, kind) {
        notices.append(notice)
      }
    }
  }
}

/// A text index adds a column to its table that only `MATCH`, `snippet` and `rank` can use.
extension QueryEngine {
  private var texts: [String] {
    read.compactMap { table, column in
      table.properties.contains { $0.text != nil && UTF8Text.equal($0.name, column) } ? column : nil
    }
  }

  var badMatch: QueryFault { texts.isEmpty ? noTextIndex : .matchBesideOthers }

  var noTextIndex: QueryFault {
    .noTextIndex(known: tables.flatMap(\.table.properties).filter { $0.text != nil }.map(\.name))
  }
}

/// Finds the columns that a statement outputs but does not compare.
struct ShownColumns {
  private var places: Set<Int> = []
  /// Whether named output columns are compared, by sorting or by removing duplicates.
  private var comparesNamed = false
  /// Whether unnamed output columns, such as those of an asterisk, are compared.
  private var comparesAll = false

  private static let comparing: Set<SQLName> = [
    "distinct", "order", "group", "having", "union", "intersect", "except", "natural", "using", "over",
  ]
  private static let comparingAll: Set<SQLName> = ["distinct", "union", "intersect", "except", "natural"]

  init(_ sql: SQLText) {
    var depth = 0
    var isList = false
    for k in sql.tokens.indices {
      switch sql.other(k) {
      case "(": depth += 1
      case ")": depth -= 1
      default: break
      }
      guard let word = sql.word(k) else { continue }
      if ShownColumns.comparing.contains(word) { comparesNamed = true }
      let isNumbered = word == "by" && sql.isNumber(k + 1)
      if ShownColumns.comparingAll.contains(word) || isNumbered { comparesAll = true }
      guard depth == 0 else { continue }
      if word == "select" { isList = true }
      if word == "from" { isList = false }
      let start = sql.column(k).lowerBound
      let begins = sql.word(start - 1) == "select" || sql.other(start - 1) == ","
      if isList, begins, sql.word(k + 1) == "from" || sql.other(k + 1) == "," { places.insert(k) }
    }
  }

  func has(only places: [Int]) -> Bool {
    places.isEmpty ? !comparesAll : !comparesNamed && places.allSatisfy(self.places.contains)
  }
}

extension QueryEngine {
  struct Extra {
    var columns: [String] = []
    var types: [String] = []
  }

  /// Adds an empty column or type for a missing one. Throws if the name is similar to an existing one, because it is
  /// probably a typo.
  /// - Returns: the notice; nil if nothing was added.
  func extend(_ empty: inout Extra, for message: String, in sql: SQLText) throws -> QueryNotice? {
    guard empty.columns.count + empty.types.count < 50 else { return nil }
    if let name = Self.suffix(of: message, after: "no such column: ") {
      return try extend(&empty, column: name, in: sql)
    }
    guard let name = Self.suffix(of: message, after: "no such table: ") else { return nil }
    let type = name.hasPrefix("type.") ? String(name.dropFirst(5)) : name
    if type.hasPrefix("sqlite_") { throw QueryFault.refused("the table '\(type)'") }
    // In a single pair of quotes, the name `"type.host"` is not a table, even if a type 'host' exists.
    if catalog.types.contains(where: { UTF8Text.equal($0, type) }) { return nil }
    let slip = similar(type, catalog.types + [QueryEngine.allRecords])
    guard slip == nil, !empty.types.contains(type), !name.contains(".") || name.hasPrefix("type.") else {
      throw QueryFault.unknownType(type, similar: slip)
    }
    empty.types.append(type)
    return .noType(type)
  }

  private func extend(_ empty: inout Extra, column name: String, in sql: SQLText) throws -> QueryNotice? {
    let isExact = name.hasSuffix(ExactArguments.mark)
    let column = Self.column(isExact ? String(name.dropLast()) : name, in: sql)
    if isExact { return try extend(&empty, exact: column + ExactArguments.mark, in: sql) }
    var known = Set(
      tables.flatMap { $0.table.catalog.columns.values.map(\.name) + $0.table.properties.map(\.name) }
    ).union(QueryTable.Fixed.allCases.map(\.name))
    // The table of all records has only the columns that the statement names.
    if tables.contains(where: \.table.isAll) {
      known.formUnion(catalog.names)
    } else {
      known.remove(QueryTable.Fixed.json.name)
    }
    // The column exists in another table. Tables that lack the column get an empty one.
    let folded = SQLText.folded(column)
    if known.contains(where: { SQLText.folded($0) == folded }) {
      guard !column.hasPrefix("_"), !empty.columns.contains(column), tables.contains(where: { !$0.table.has(folded) })
      else { return nil }
      empty.columns.append(column)
      return .noProperty(column)
    }
    for function in ["json_each", "json_tree"] where sql.names.contains(SQLName(function)) {
      known.formUnion(["key", "value", "type", "atom", "id", "parent", "fullkey", "path"])
    }
    let isTable = tables.contains { SQLText.folded($0.table.name) == folded }
    if column.hasPrefix("_") || isTable, sql.names.contains("match") { throw noTextIndex }
    let slip = similar(column, known.sorted())
    guard slip == nil, !column.hasPrefix("_"), !tables.isEmpty, !empty.columns.contains(column) else {
      throw QueryFault.unknownColumn(slip == nil ? name : column, similar: slip)
    }
    empty.columns.append(column)
    return .noProperty(column)
  }

  /// Returns the column without the table that may qualify it. A property name can contain dots, so the longest name
  /// counts that the statement contains.
  private static func column(_ name: String, in sql: SQLText) -> String {
    let names = sql.names
    var column = name[...]
    while !names.contains(SQLName(String(column))), let dot = column.firstIndex(of: ".") {
      column = column[column.index(after: dot)...]
    }
    return String(column)
  }

  private func extend(_ empty: inout Extra, exact column: String, in sql: SQLText) throws -> QueryNotice? {
    let plain = String(column.dropLast())
    let folded = SQLText.folded(plain)
    let known = Set(
      tables.flatMap { $0.table.catalog.columns.values.map(\.name) } + QueryTable.Fixed.allCases.map(\.name))
    let isMade = sql.tokens.indices.contains { sql.word($0) == "as" && sql.word($0 + 1) == folded }
    guard !tables.isEmpty, !isMade, !empty.columns.contains(column),
      !known.contains(where: { SQLText.folded($0) == folded })
    else { throw QueryFault.notExact(plain) }
    if let slip = similar(plain, known.sorted()) { throw QueryFault.unknownColumn(plain, similar: slip) }
    empty.columns.append(column)
    return .noProperty(plain)
  }

  /// Checks the property names that are passed to `prop` and similar functions.
  /// - Throws: `QueryFault` if a name is similar to an existing one.
  func unknownProperties(in sql: SQLText) throws(QueryFault) -> [QueryNotice] {
    var notices: [QueryNotice] = []
    for k in sql.tokens.indices where ["prop", "label", "kind"].contains(sql.word(k)) && sql.other(k + 1) == "(" {
      var id = k + 2
      while sql.other(id + 1) == ".", sql.word(id + 2) != nil { id += 2 }
      guard sql.word(id) != nil, sql.other(id + 1) == ",", let text = sql.string(id + 2), sql.other(id + 3) == ")",
        let name = (try? PropertyPath(text))?.names.first
      else { continue }
      let isOwn = sql.word(id) == "_id" && !tables.contains { $0.table.isAll }
      let known =
        isOwn ? tables.flatMap { $0.table.catalog.columns.values.flatMap { [$0.name] + $0.others } } : catalog.names
      if known.contains(where: { UTF8Text.equal($0, name) }) { continue }
      if let slip = similar(name, known.sorted()) { throw QueryFault.unknownColumn(name, similar: slip) }
      notices.append(.noProperty(name))
    }
    return notices
  }

  private static func suffix(of message: String, after words: String) -> String? {
    message.hasPrefix(words) ? String(message.dropFirst(words.utf8.count)) : nil
  }
}
