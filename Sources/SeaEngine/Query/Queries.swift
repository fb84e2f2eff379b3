import SeaCore
import SeaStore

/// Asks for records: those that a query means, or whatever can be said of them in SQL. Everything is read from one state of the
/// database.
package final class Queries {
  let records: Records
  private var store: Store { records.store }
  /// What the last query should be told of.
  package internal(set) var notices: [QueryNotice] = []

  // What the query has looked up.
  private(set) lazy var authorNames = AuthorNames(records)
  var followed = FollowedValues()

  package init(_ records: Records) { self.records = records }

  // MARK: - SQL

  /// Runs a statement that only reads.
  /// - Parameters:
  ///   - seconds: how long it may take; nil for as long as it takes.
  ///   - begin: is given the statement before its first row.
  ///   - row: is called for each row, until it returns false.
  package func run(
    _ sql: String, _ values: [(name: String, value: QueryValue)] = [], seconds: Int? = nil,
    begin: (any QueryRow) throws -> Void, row: (any QueryRow) throws -> Bool
  ) throws {
    notices = []
    try execute(sql, values, seconds: seconds, begin: begin, row: row)
  }

  func execute(
    _ sql: String, _ values: [(name: String, value: QueryValue)], about type: String? = nil, seconds: Int? = nil,
    takesNames: Bool = false, refusesSlips: Bool = false,
    begin: (any QueryRow) throws -> Void = { _ in }, row: (any QueryRow) throws -> Bool
  ) throws {
    try store.snapshot {
      let engine = try QueryEngine(store.records, source()) {
        if refusesSlips { return Queries.similar(to: $0, among: $1) }
        return takesNames ? nil : Similarity.nearest(to: $0, among: $1)
      }
      engine.limit(seconds: seconds)
      engine.checkStop = checkStop
      let statement = try engine.prepare(sql, values, about: type)
      for one in engine.notices where !notices.contains(one) { notices.append(one) }
      try begin(statement)
      while try statement.step() { guard try row(statement) else { break } }
    }
  }

  private func source() throws -> QuerySource {
    QuerySource(
      now: records.author.folder.settings.clock(),
      age: { Quantity.duration($0).flatMap { $0 < 1 << 40 ? $0 * 1000 : nil } },
      shown: { [records] in try records.view($0).body }, name: AuthorNames(records).name)
  }

  // MARK: - Records

  /// Asked before each record; got once, as the settings are large.
  private var checkStop: () throws -> Void { records.author.folder.settings.checkStopOfAll }

  /// Visits the records that a query means, until work is to stop.
  /// - Returns: how many there were.
  @discardableResult
  package func forEach(_ query: RecordQuery, _ body: (RecordView) throws -> Void) throws -> Int {
    try visit(query) { try body(records.view($0)) }
  }

  /// Visits the ids alone, without a look at what the records say; each until the next one.
  /// - Returns: how many there were.
  @discardableResult
  package func forEachID(_ query: RecordQuery, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Int {
    let filter = query.filter
    guard isPlain(query) else {
      return try visit(query) { row in
        var id = row.id
        try id.withUTF8 { try body($0) }
      }
    }
    var count = 0
    try store.snapshot {
      try store.forEachID(type: filter.type, after: filter.after, limit: query.limit) {
        try body($0)
        count += 1
        return count < query.limit ?? .max
      }
    }
    return count
  }

  /// Whether it means live records by type and id alone, in the order of their ids.
  private func isPlain(_ query: RecordQuery) -> Bool {
    query.condition == nil && !query.isSorted && query.filter.isPlain && query.limit != 0
  }

  /// The same, with each record where it lies, if that can be had; what has to be put together first comes as a view.
  /// - Returns: how many there were.
  @discardableResult
  package func forEachInPlace(
    _ query: RecordQuery, _ bytes: (RecordBytes) throws -> Void, _ view: (RecordView) throws -> Void
  ) throws -> Int {
    guard isPlain(query) else { return try forEach(query, view) }
    let (filter, checkStop) = (query.filter, checkStop)
    var count = 0
    try store.snapshot {
      try store.forEachInPlace(type: filter.type, after: filter.after, source()) { row, inPlace in
        try checkStop()
        if let inPlace { try bytes(inPlace) } else if let row { try view(records.view(row)) }
        count += 1
        return count < query.limit ?? .max
      }
    }
    return count
  }

  /// Whether there are records of a type.
  package func hasRecords(of type: String) throws -> Bool { try store.records.shapes.hasRecords(of: type) }

  /// For each shape of a record the places of these properties in a body: -1 where there is none.
  package func places(of names: [String]) throws -> [Int64: [Int]] { try store.places(of: names) }

  /// How many records a query means.
  package func count(_ query: RecordQuery) throws -> Int {
    let filter = query.filter
    return try store.snapshot {
      var count = 0
      if let condition = query.condition {
        try execute(
          select("count(*)", filter, condition, order: false), condition.values, about: filter.type,
          takesNames: query.takesNames, refusesSlips: query.refusesSlips
        ) {
          if case .integer(let number) = $0.value(0) { count = Int(number) }
          return false
        }
      } else if filter.isPlain, filter.after == nil {
        count = try store.records.shapes.count(type: filter.type)
      } else {
        count = try store.records.countRecords(filter)
      }
      return min(count, query.limit ?? .max)
    }
  }

  private func visit(_ query: RecordQuery, _ body: (RecordRow) throws -> Void) throws -> Int {
    (authorNames, followed) = (AuthorNames(records), FollowedValues())
    var count = 0
    let limit = query.limit ?? .max
    if limit == 0 { return 0 }
    if query.refusesSlips { try checkSorting(query) }
    let checkStop = checkStop
    func take(_ row: RecordRow) throws -> Bool {
      try checkStop()
      try body(row)
      count += 1
      return count < limit
    }
    func take(_ id: String) throws -> Bool { try store.records.record(id).map(take) ?? true }
    try store.snapshot {
      guard !query.isSorted else {
        let ids = try query.sorted(self) { visit in
          try chosen(query) {
            try visit($0)
            return true
          }
        }
        for id in ids { guard try take(id) else { return } }
        return
      }
      try chosen(query, take)
    }
    return count
  }

  /// The records that are meant, by rising id.
  private func chosen(_ query: RecordQuery, _ body: (RecordRow) throws -> Bool) throws {
    guard let condition = query.condition else { return try store.records.forEachRecord(query.filter, body) }
    var sql = try select("_id", query.filter, condition, order: true)
    if let limit = query.limit, !query.isSorted { sql += " LIMIT \(limit)" }
    try execute(
      sql, condition.values, about: query.filter.type, takesNames: query.takesNames,
      refusesSlips: query.refusesSlips,
      row: { statement in
        guard let row = try store.records.record(id: statement.bytes(0)) else { return true }
        return try body(row)
      })
  }

  /// How the records of a query with a condition would be found: SQLite's plan, as rows.
  package func explain(
    _ query: RecordQuery, begin: (any QueryRow) throws -> Void, row: (any QueryRow) throws -> Bool
  ) throws {
    guard let condition = query.condition else { return }
    try execute(
      "EXPLAIN QUERY PLAN " + select("_id", query.filter, condition, order: true), condition.values,
      about: query.filter.type, begin: begin, row: row)
  }

  func select(
    _ what: String, _ filter: RecordFilter, _ condition: RecordQuery.Condition, order: Bool
  ) throws -> String {
    guard !QueryEngine.isEmpty(condition.sql) else { throw QueryFault.noCondition }
    guard QueryEngine.isExpression(condition.sql) else { throw QueryFault.bad("'\(condition.sql)' is no condition") }
    let table = filter.type.flatMap { QueryEngine.hasTable($0) ? "type." + QueryEngine.quoted($0) : nil }
    // The line feed ends a comment.
    var sql = "SELECT \(what) FROM \(table ?? "main.records") WHERE (\(condition.sql)\n)"
    if let type = filter.type, table == nil { sql += " AND _type = \(QueryEngine.literal(type))" }
    if let target = filter.refersTo { sql += " AND refers(_id, \(QueryEngine.literal(target)))" }
    if filter.isDangling { sql += " AND dangling(_id)" }
    if let after = filter.after { sql += " AND _id > \(QueryEngine.literal(after))" }
    return order ? sql + " ORDER BY _id" : sql
  }

  // MARK: - Columns

  /// What there is to select: the id, and every property that one of the records has.
  package func columns(_ query: RecordQuery) throws -> [Selection] {
    var names = Members()
    let filter = query.filter
    if query.condition == nil, filter.refersTo == nil, !filter.isDangling, filter.after == nil, query.limit == nil {
      try store.records.shapes.forEach(type: filter.type) { for one in $0.properties { names[one.name] = .null } }
    } else {
      _ = try visit(query) { row in for name in try records.view(row).propertyNames() { names[name] = .null } }
    }
    return try [Selection("_id")]
      + names.keys.map { try Selection(PropertyPath(names: [$0]).description, isProperty: { _ in true }) }
  }

  /// Holds what a query names against what there is: what is much like a type or property and none is an error, what no record has is
  /// worth a word. Before the query.
  /// - Throws: `QueryFault`.
  package func check(_ query: RecordQuery, selecting selections: [Selection]) throws {
    notices = []
    let filter = query.filter
    if filter.withDeleted { return }
    if let type = filter.type, try !store.records.shapes.hasRecords(of: type) {
      if let similar = Similarity.nearest(to: type, among: try records.types().compactMap(\.type)) {
        throw QueryFault.unknownType(type, similar: similar)
      }
      notices = [.noType(type)]
      return
    }
    let wanted = (selections + query.sorting).compactMap(\.property)
    guard !wanted.isEmpty else { return }
    var known: [[UInt8]: String] = [:]
    try store.records.shapes.forEach(type: filter.type) {
      for one in $0.properties { known[Array(one.name.utf8)] = one.name }
    }
    for name in wanted where known[Array(name.utf8)] == nil {
      let similar = Similarity.nearest(to: name, among: known.values.sorted() + Selection.fields)
      // No property is called so.
      if similar != nil || name.hasPrefix("_") { throw QueryFault.unknownColumn(name, similar: similar) }
      notices.append(.noProperty(name))
    }
  }

  /// Which of some properties no record of a type has, or of any type; of a type without records none.
  /// - Throws: `QueryFault` of one that is much like one that there is.
  package func unknown(_ paths: [PropertyPath], of type: String?) throws -> [QueryNotice] {
    let kept = notices
    defer { notices = kept }
    var filter = RecordFilter()
    filter.type = type
    let selections = try paths.map { try Selection($0.description, isProperty: { _ in true }) }
    try check(RecordQuery(filter), selecting: selections)
    return notices.filter { if case .noType = $0 { false } else { true } }
  }

  /// The types of live records by name, how many there are of each, and their properties.
  package func types() throws -> [(type: String?, count: Int, properties: [String])] {
    var all: [(type: String?, count: Int, properties: Members)] = []
    var places: [[UInt8]?: Int] = [:]
    try store.snapshot {
      try store.records.shapes.forEach { shape, count in
        let name = shape.type.map { Array($0.utf8) }
        let at = places[name] ?? all.count
        if at == all.count {
          places[name] = at
          all.append((shape.type, 0, Members()))
        }
        all[at].count += count
        for one in shape.properties { all[at].properties[one.name] = .null }
      }
    }
    return all.sorted { a, b in a.type.map { a in b.type.map { UTF8Text.less(a, $0) } ?? false } ?? (b.type != nil) }
      .map { ($0.type, $0.count, $0.properties.keys) }
  }
}
