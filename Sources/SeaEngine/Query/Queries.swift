import SeaCore
import SeaStore

/// Runs record queries and SQL statements. Each query reads one consistent state of the database.
package final class Queries {
  let records: Records
  private var store: Store { records.store }
  package internal(set) var notices: [QueryNotice] = []

  private(set) lazy var authorNames = AuthorNames(records)
  var followed = FollowedValues()

  package init(_ records: Records) { self.records = records }

  // MARK: - SQL

  package func run(
    _ sql: String, _ values: [(name: String, value: QueryValue)] = [], seconds: Int? = nil,
    begin: (any QueryRow) throws -> Void, row: (any QueryRow) throws -> Bool
  ) throws {
    notices = []
    try execute(sql, values, seconds: seconds, begin: begin, row: row)
  }

  func execute(
    _ sql: String, _ values: [(name: String, value: QueryValue)], about type: String? = nil, seconds: Int? = nil,
    takesNames: Bool = false,
    begin: (any QueryRow) throws -> Void = { _ in }, row: (any QueryRow) throws -> Bool
  ) throws {
    try store.snapshot {
      let engine = try QueryEngine(store.records, source()) {
        takesNames ? nil : Similarity.nearest(to: $0, among: $1)
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

  /// The function that checks for a stop before each record. Callers get it once, because copying the settings is
  /// expensive.
  private var checkStop: () throws -> Void { records.author.folder.settings.checkStopOfAll }

  @discardableResult
  package func forEach(_ query: RecordQuery, _ body: (RecordView) throws -> Void) throws -> Int {
    try visit(query) { try body(records.view($0)) }
  }

  /// Visits only the IDs, without reading the records. Each ID is valid only during the call.
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
      try store.forEachID(types: filter.types, after: filter.after, limit: query.limit) {
        try body($0)
        count += 1
        return count < query.limit ?? .max
      }
    }
    return count
  }

  private func isPlain(_ query: RecordQuery) -> Bool {
    query.condition == nil && !query.isSorted && query.filter.isPlain && query.limit != 0
  }

  /// Visits the matching records, in place if possible. Records that have to be assembled first are passed to `view`.
  @discardableResult
  package func forEachInPlace(
    _ query: RecordQuery, _ bytes: (BorrowedRecord) throws -> Void, _ view: (RecordView) throws -> Void
  ) throws -> Int {
    guard query.condition != nil && !query.isSorted || isPlain(query) else { return try forEach(query, view) }
    let (filter, limit, checkStop) = (query.filter, query.limit ?? .max, checkStop)
    if limit == 0 { return 0 }
    var count = 0
    func deliver(_ row: RecordRow?, _ inPlace: BorrowedRecord?) throws -> Bool {
      try checkStop()
      if let inPlace { try bytes(inPlace) } else if let row { try view(records.view(row)) }
      count += 1
      return count < limit
    }
    try store.snapshot {
      if let condition = query.condition {
        let reader = try RecordReader(store.records, source())
        try matches(query, condition) { try reader.visit($0, deliver) }
      } else if query.isUnordered, filter.after == nil {
        try store.forEachUnordered(types: filter.types, source(), deliver)
      } else {
        try store.forEachInPlace(
          types: filter.types, after: filter.after, limit: query.limit, source(), deliver)
      }
    }
    return count
  }

  /// Visits the values of selections in each record, without decoding the other properties. A missing value is nil.
  package func forEachRow(
    _ query: RecordQuery, _ selections: [Selection], _ body: (_ id: String, _ values: [Value?]) throws -> Void
  ) throws {
    func visit(_ view: RecordView) throws {
      try body(
        view.id,
        selections.map {
          try $0.value(of: view, in: self).map { try $0.withUnsafeBufferPointer { try Value.decode(value: $0) } }
        })
    }
    guard selections.allSatisfy({ $0.isID || $0.plainProperty != nil }) else {
      try forEach(query, visit)
      return
    }
    let positions = try positions(of: selections.map { $0.plainProperty ?? "" })
    let ids = selections.map(\.isID)
    var ranges: [Range<Int>] = []
    try forEachInPlace(
      query,
      { record in
        let id = String(decoding: record.id, as: UTF8.self)
        let places = positions[record.shape] ?? []
        try record.values((places.max() ?? -1) + 1, into: &ranges)
        try body(
          id,
          ids.indices.map { k in
            if ids[k] { return .string(id) }
            guard k < places.count, places[k] >= 0, places[k] < ranges.count, let body = record.body else { return nil }
            return try Value.decode(value: UnsafeBufferPointer(rebasing: body[ranges[places[k]]]))
          })
      }, visit)
  }

  package func hasRecords(of type: String) throws -> Bool { try store.records.shapes.hasRecords(of: type) }

  /// Returns, for each shape of records, the position of each named property in the body; -1 for a missing property.
  package func positions(of names: [String]) throws -> [Int64: [Int]] { try store.positions(of: names) }

  package func count(_ query: RecordQuery) throws -> Int {
    let filter = query.filter
    return try store.snapshot {
      var count = 0
      if let condition = query.condition {
        try execute(
          select("count(*)", filter, condition, order: false), condition.values, about: filter.onlyType,
          takesNames: query.allowsUnknownNames
        ) {
          if case .integer(let number) = $0.value(0) { count = Int(number) }
          return false
        }
      } else if filter.isPlain, filter.after == nil {
        count = try store.records.shapes.count(types: filter.types)
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
    let checkStop = checkStop
    func deliver(_ row: RecordRow) throws -> Bool {
      try checkStop()
      try body(row)
      count += 1
      return count < limit
    }
    func deliver(_ id: String) throws -> Bool { try store.records.record(id).map(deliver) ?? true }
    try store.snapshot {
      guard !query.isSorted else {
        for id in try query.sorted(self) { guard try deliver(id) else { return } }
        return
      }
      guard let condition = query.condition else { return try store.records.forEachRecord(query.filter, deliver) }
      try matches(query, condition) { try store.records.record(id: $0).map(deliver) ?? true }
    }
    return count
  }

  /// Visits the ids of the records that match the condition of a query.
  private func matches(
    _ query: RecordQuery, _ condition: RecordQuery.Condition, _ body: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    var sql = try select("_id", query.filter, condition, order: !query.isUnordered)
    if let limit = query.limit { sql += " LIMIT \(limit)" }
    try execute(
      sql, condition.values, about: query.filter.onlyType, takesNames: query.allowsUnknownNames,
      row: { try body($0.bytes(0)) })
  }

  /// Returns the ids of the first records in the order of a query, found in an index; nil if no index has this order.
  func firstByIndex(_ query: RecordQuery) throws -> [String]? {
    guard let limit = query.limit, query.condition == nil, query.filter.isPlain, query.filter.after == nil,
      let type = query.filter.onlyType, let first = query.sort.first, let property = first.key.plainProperty,
      let keys = try store.records.first(limit, of: type, by: property, isDescending: first.isDescending)
    else { return nil }
    let rows = try keys.map { key in
      guard let row = try store.records.record(key: key) else { throw StoreError.damaged("index_entry") }
      return (keys: try query.keys(of: records.view(row), in: self), id: row.id)
    }
    return rows.sorted(by: query.precedes).prefix(limit).map(\.id)
  }

  package func explain(
    _ query: RecordQuery, begin: (any QueryRow) throws -> Void, row: (any QueryRow) throws -> Bool
  ) throws {
    guard let condition = query.condition else { return }
    try execute(
      "EXPLAIN QUERY PLAN " + select("_id", query.filter, condition, order: true), condition.values,
      about: query.filter.onlyType, begin: begin, row: row)
  }

  /// Returns the notices about the condition of a query, without running it.
  /// - Throws: `QueryFault`, also for a name that resembles an existing name.
  package func notices(about query: RecordQuery) throws -> [QueryNotice] {
    let kept = notices
    defer { notices = kept }
    notices = []
    try explain(query, begin: { _ in }, row: { _ in false })
    return notices
  }

  func select(
    _ what: String, _ filter: RecordFilter, _ condition: RecordQuery.Condition, order: Bool
  ) throws -> String {
    guard !QueryEngine.isEmpty(condition.sql) else { throw QueryFault.noCondition }
    guard QueryEngine.isExpression(condition.sql) else { throw QueryFault.bad("'\(condition.sql)' is not a condition") }
    // The line feed ends a comment that the condition may contain.
    let table = filter.onlyType.map(Queries.table) ?? "main.records"
    var sql = "SELECT \(what) FROM \(table) WHERE (\(condition.sql)\n)"
    if !filter.types.isEmpty, filter.onlyType.map({ !QueryEngine.hasTable($0) }) ?? true {
      sql += " AND _type IN (\(filter.types.map(QueryEngine.literal).joined(separator: ", ")))"
    }
    if let target = filter.refersTo { sql += " AND refers(_id, \(QueryEngine.literal(target)))" }
    if filter.isDangling { sql += " AND dangling(_id)" }
    if let after = filter.after { sql += " AND _id > \(QueryEngine.literal(after))" }
    return order ? sql + " ORDER BY _id" : sql
  }

  // MARK: - Columns

  /// Returns the columns to show: the ID, and every property of the matching records.
  package func columns(_ query: RecordQuery) throws -> [Selection] {
    var names = Members()
    let filter = query.filter
    if query.condition == nil, filter.refersTo == nil, !filter.isDangling, filter.after == nil, query.limit == nil {
      try store.records.shapes.forEach(types: filter.types) { for one in $0.properties { names[one.name] = .null } }
    } else {
      _ = try visit(query) { row in for name in try records.view(row).propertyNames() { names[name] = .null } }
    }
    return try [Selection("_id")]
      + names.keys.map { try Selection(PropertyPath(names: [$0]).description, isProperty: { _ in true }) }
  }

  /// Checks the names in a query before it runs. An unknown name is an error if it resembles an existing name. Any
  /// other unknown name causes a notice.
  /// - Throws: `QueryFault`.
  package func check(_ query: RecordQuery, selecting selections: [Selection]) throws {
    notices = []
    let filter = query.filter
    if filter.withDeleted { return }
    for type in filter.types where try !store.records.shapes.hasRecords(of: type) {
      if let similar = Similarity.nearest(to: type, among: try records.types().compactMap(\.type)) {
        throw QueryFault.unknownType(type, similar: similar)
      }
      notices.append(.noType(type))
    }
    if !filter.types.isEmpty, notices.count == filter.types.count { return }
    let wanted = (selections + query.sorting).compactMap(\.property)
    guard !wanted.isEmpty else { return }
    var known: [[UInt8]: String] = [:]
    try store.records.shapes.forEach(types: filter.types) {
      for one in $0.properties { known[Array(one.name.utf8)] = one.name }
    }
    for name in wanted where known[Array(name.utf8)] == nil {
      let similar = Similarity.nearest(to: name, among: known.values.sorted() + Selection.fields)
      // Property names never begin with `_`.
      if similar != nil || name.hasPrefix("_") { throw QueryFault.unknownColumn(name, similar: similar) }
      notices.append(.noProperty(name))
    }
  }

  /// Returns notices about properties that no record of the type has; none if the type has no records.
  /// - Throws: `QueryFault` for a name that resembles an existing name.
  package func unknown(_ paths: [PropertyPath], of type: String?) throws -> [QueryNotice] {
    let kept = notices
    defer { notices = kept }
    let filter = RecordFilter(type: type)
    let selections = try paths.map { try Selection($0.description, isProperty: { _ in true }) }
    try check(RecordQuery(filter), selecting: selections)
    return notices.filter { if case .noType = $0 { false } else { true } }
  }

  /// Returns the types of live records by name, with the number of records and the names of their properties.
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

extension Queries {
  /// Returns a progress meter for writing the records of a query; nil if progress is not shown.
  /// - Parameters:
  ///   - times: how many times each record is read.
  package func meter(_ query: RecordQuery, _ what: String, times: Int = 1) throws -> WorkMeter? {
    // The number of records that match a condition is unknown until all of them have been found.
    try WorkMeter(records.author.folder.settings.report, .writing, what) {
      try query.condition == nil ? times * count(query) : nil
    }
  }
}

extension Queries {
  /// Runs a read-only statement for a program. An unknown table is empty, and an unknown column is NULL.
  package func answer(
    _ sql: String, _ values: [(name: String, value: QueryValue)], begin: (any QueryRow) throws -> Void,
    row: (any QueryRow) throws -> Bool
  ) throws {
    notices = []
    try execute(sql, values, takesNames: true, begin: begin, row: row)
  }

  /// Returns the first column of an aggregate over the records of a query.
  /// - Parameter columns: SQL, such as `sum("n")`.
  package func aggregate(_ columns: String, _ query: RecordQuery) throws -> QueryValue {
    let condition = query.condition ?? RecordQuery.Condition("TRUE", [])
    var result = QueryValue.null
    try execute(
      select(columns, query.filter, condition, order: false), condition.values,
      about: query.filter.onlyType, takesNames: query.allowsUnknownNames
    ) {
      result = $0.value(0)
      return false
    }
    return result
  }
}

extension Queries {
  package func propertyNames(of type: String?) throws -> Set<String> {
    var names: Set<String> = []
    try records.store.records.shapes.forEach(types: RecordFilter(type: type).types) {
      names.formUnion($0.properties.map(\.name))
    }
    return names
  }

  /// Returns the property names of each type. Reads the shapes and no records.
  package func propertyNames() throws -> [String: Set<String>] {
    var types: [String: Set<String>] = [:]
    try records.store.records.shapes.forEach(types: []) { shape in
      if let type = shape.type { types[type, default: []].formUnion(shape.properties.map(\.name)) }
    }
    return types
  }

  /// - Parameter types: all types if empty.
  package func hasProperty(_ name: String, of types: [String]) throws -> Bool {
    var found = false
    try records.store.records.shapes.forEach(types: types) {
      if $0.properties.contains(where: { UTF8Text.equal($0.name, name) }) { found = true }
    }
    return found
  }

  package static var functionNames: [String] { QueryEngine.functionNames }
  package static func quoted(_ name: String) -> String { QueryEngine.quoted(name) }

  /// Returns the table of a type in SQL.
  package static func table(of type: String) -> String {
    QueryEngine.hasTable(type) ? "type." + QueryEngine.quoted(type) : "main.records"
  }
}

package struct ChosenRecord: Sendable {
  package var id: String
  package var values: [QueryValue]
}

extension Queries {
  /// Returns the records to write, in ascending order of IDs, with the values computed for each. Within a transaction,
  /// no other process can change the records before they are written.
  ///
  /// Problems that only cause notices in a query are errors here: comparing text with numbers, or an unknown name, must
  /// not lead to a write.
  /// - Parameter assigned: properties that the caller assigns, moves or removes; records do not have to have them.
  /// - Throws: `QueryFault`.
  package func choose(
    _ query: RecordQuery, computing expressions: [String] = [], assigning assigned: [PropertyPath] = []
  ) throws -> [ChosenRecord] {
    guard let condition = query.condition else { return [] }
    let mayMean = try hasRecords(query.filter) ? Queries.names(assigned) : nil
    try check(query, selecting: [])
    var what = "_id"
    var aggregates = ""
    for one in expressions {
      guard QueryEngine.isExpression(one) else { throw QueryFault.bad("'\(one)' is not an expression") }
      what += ", (\(one)\n)"
      // SQL rejects aggregates after WHERE, so with this term an aggregate in the expression is an error.
      aggregates += " AND (length(_id) > 0 OR (\(one)\n) IS NULL)"
    }
    // SQLite must not sort the rows, because it would lose track of which strings are JSON.
    let sql = try select(what, query.filter, condition, order: false) + aggregates
    var chosen: [ChosenRecord] = []
    let meter = WorkMeter(records.author.folder.settings.report, .searching, "", items: { nil })
    try execute(
      sql, condition.values, about: query.filter.onlyType,
      begin: { _ in
        if let mayMean { try checkNames(mayMean) }
        try checkKinds()
      },
      row: { row in
        guard chosen.count < Payload.mostItems else { throw KitError.tooManyChanges(chosen.count + 1) }
        let id = String(decoding: row.bytes(0), as: UTF8.self)
        for k in expressions.indices {
          guard case .text = row.value(k + 1), String(validating: row.bytes(k + 1), as: UTF8.self) == nil else {
            continue
          }
          throw QueryFault.failed("'\(expressions[k])' yields text that is not UTF-8 for \(id)")
        }
        meter?.add()
        chosen.append(ChosenRecord(id: id, values: expressions.indices.map { row.value($0 + 1) }))
        return true
      })
    return chosen.sorted { UTF8Text.less($0.id, $1.id) }
  }

  private func hasRecords(_ filter: RecordFilter) throws -> Bool {
    try filter.types.isEmpty ? !store.records.isEmpty() : filter.types.contains { try hasRecords(of: $0) }
  }

  private static func names(_ paths: [PropertyPath]) -> Set<String> {
    Set(
      paths.flatMap { path in
        path.names.indices.map { PropertyPath(names: Array(path.names[...$0])).description.lowercased() }
      })
  }

  /// Throws an error if a name is unknown. A misspelled name would be NULL, which differs from every value, so it could
  /// match all records.
  private func checkNames(_ known: Set<String>) throws(QueryFault) {
    for one in notices {
      switch one {
      case .noType(let name): throw .unknownType(name, similar: nil)
      case .noProperty(let name) where !known.contains(name.lowercased()): throw .unknownColumn(name, similar: nil)
      default: break
      }
    }
  }

  /// Requires that no record matched because values of different kinds were compared.
  private func checkKinds() throws(QueryFault) {
    for one in notices {
      switch one {
      case .notNumbers(_, let column, let kind): throw .notNumbers(column: column, kind: kind)
      case .unlike(let column, let kind, let text): throw .unlike(column: column, kind: kind, text: text)
      case .severalKinds(_, let column, let kinds): throw .mixedKinds(column: column, kinds: kinds)
      default: break
      }
    }
  }
}

extension Queries {
  /// Checks that the condition of a query is valid, even if there are no records.
  /// - Throws: `QueryFault`.
  package func prepare(_ query: RecordQuery) throws { _ = try matching(["_"], query) }

  /// Returns the given IDs whose records match a query.
  /// - Parameter takesNames: whether to treat an unknown name as a missing value even if it resembles an existing name.
  package func matching(_ ids: [String], _ query: RecordQuery, takesNames: Bool = false) throws -> Set<[UInt8]> {
    guard let condition = query.condition, !ids.isEmpty else { return Set(ids.map { Array($0.utf8) }) }
    var matching: Set<[UInt8]> = []
    try execute(
      select("_id", query.filter, condition, order: false) + " AND _id IN ("
        + ids.map(QueryEngine.literal).joined(separator: ", ") + ")", condition.values, about: query.filter.onlyType,
      takesNames: takesNames,
      row: {
        matching.insert(Array($0.bytes(0)))
        return true
      })
    return matching
  }
}

extension Queries {
  /// Returns the existing type that an unknown type resembles; nil if there are records of the type.
  package func similarType(to type: String) throws -> String? {
    if try records.store.records.shapes.hasRecords(of: type) { return nil }
    return try records.nearestType(to: type)
  }
}

extension QueryValue {
  /// Converts a result of SQL to the value of a property. Keeps the kind of the old value if possible.
  /// - Returns: nil if the property was missing or null and the result is NULL.
  /// - Throws: `KitError.BadValue`, and `CoreError` for an invalid value.
  package func computed(over old: Value?, limits: RecordLimits) throws -> Value? {
    let known = old?.unlabeled
    switch self {
    case .null:
      guard let known, known != .null else { return nil }
      throw KitError.BadValue.computedNull
    case .integer(let number):
      if case .bool? = known, number == 0 || number == 1 { return .bool(number == 1) }
      if case .decimal? = known { return .decimal(Decimal(exponent: 0, mantissa: BigInteger(number))) }
      return .integer(number)
    case .digits(let text): return try Value.json(text)
    case .double(let number):
      guard number.isFinite else { throw KitError.BadValue.computedInfinite }
      switch known {
      case .decimal?, .bigInteger?: throw KitError.BadValue.computedInexact
      case .integer? where abs(number) >= 0x1p53: throw KitError.BadValue.computedInexact
      default: return try Value.json(number.description)
      }
    case .text(let text):
      switch known {
      case .date?:
        guard let date = Array(text.utf8).withUnsafeBufferPointer({ Instant.parse($0) }) else {
          throw KitError.BadValue.notADate
        }
        return .date(date)
      case .day?:
        guard let day = CalendarDay.parse(text) else { throw KitError.BadValue.notADay }
        return .day(day)
      case .reference(_, let kind)?:
        try Name.check(text)
        return .reference(id: text, kind: kind)
      case .integer?, .bigInteger?, .decimal?, .double?: return QueryValue.number(text, like: known) ?? .string(text)
      default: return .string(text)
      }
    case .data(let data):
      guard data.count <= limits.maxData else { throw KitError.BadValue.tooLong }
      return .data(data)
    case .json(let text):
      // Inner values that JSON cannot represent would come back as another kind.
      if let known, !known.isSet, !known.survivesJSON { throw KitError.BadValue.computedLoss }
      let value = try Value.json(text, limits: limits)
      if case .set? = known, case .array(let elements) = value { return .setDraft(elements) }
      return value
    }
  }

  private static func number(_ text: String, like known: Value?) -> Value? {
    guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }) else { return nil }
    if case .double? = known { return try? Value.json(text) }
    var isDecimal = true
    if case .decimal? = known {} else { isDecimal = !text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2D } }
    return try? Value.json("{\"\(isDecimal ? "$decimal" : "$int")\":\"\(text)\"}")
  }
}

extension Value {
  fileprivate var isSet: Bool { if case .set = self { true } else { false } }

  /// Whether the value is preserved completely in the JSON that SQL sees.
  package var survivesJSON: Bool {
    switch self {
    case .null, .bool, .integer, .double, .string: true
    case .array(let values): values.allSatisfy(\.survivesJSON)
    case .packed: unpacked.survivesJSON
    case .dictionary(let members): members.entries.allSatisfy(\.value.survivesJSON)
    default: false
    }
  }
}
