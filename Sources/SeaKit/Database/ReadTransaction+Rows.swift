internal import SeaCore
internal import SeaEngine

extension ReadTransaction {
  /// The rows of a statement.
  /// - Throws: `bad-query` if it cannot be understood, would write, or looks at anything but records.
  public func rows(_ statement: Statement) throws -> [Row] {
    var all: [Row] = []
    try forEachRow(statement) {
      all.append($0)
      return true
    }
    return all
  }

  /// The rows of a statement as a type: one of one value reads the first column, as in `rows("SELECT name FROM bird", as: String.self)`, any
  /// other one its properties from the columns of their names.
  /// - Throws: `bad-data` if a row is none of the type, and what `rows` throws.
  public func rows<Content: Decodable>(
    _ statement: Statement, as type: Content.Type = Content.self
  ) throws -> [Content] {
    var all: [Content] = []
    try forEachRow(statement) {
      all.append(try $0.decode(as: type))
      return true
    }
    return all
  }

  /// Visits the rows of a statement one after another, until `body` returns false.
  public func forEachRow(_ statement: Statement, _ body: (Row) throws -> Bool) throws {
    // What `body` throws is no fault of the statement.
    var own: (any Error)?
    try telling {
      var columns: [String] = []
      try reading {
        try engine.queries.answer(
          statement.sql, statement.values, begin: { columns = $0.columns },
          row: { row in
            let cells = columns.indices.map { row.value($0) }
            do { return try body(Row(columns: columns, cells: cells)) } catch {
              own = error
              return false
            }
          })
      }
    }
    if let own { throw own }
  }

  // MARK: - One value of many records

  /// The sum of a property of the records of a query; nil if none of them has it. What is no number counts as 0, and decimals are
  /// added as doubles.
  /// - Throws: `usage` of a query with a limit, and what `fetch` throws of its condition.
  public func sum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("sum", property, query, kind)
  }

  /// The average of a property of the records of a query that have it; nil if none of them does.
  /// - Throws: as `sum` does.
  public func average<Element>(of property: String, in query: Query<Element>) throws -> Double? {
    try aggregate("avg", property, query, Double.self)
  }

  /// The smallest value of a property of the records of a query, as SQL orders them; nil if none of them has it.
  /// - Throws: as `sum` does.
  public func minimum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("min", property, query, kind)
  }

  /// The greatest value of a property of the records of a query, as SQL orders them; nil if none of them has it.
  /// - Throws: as `sum` does.
  public func maximum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("max", property, query, kind)
  }

  private func aggregate<Element, Wanted: ValueConvertible>(
    _ function: String, _ property: String, _ query: Query<Element>, _ kind: Wanted.Type
  ) throws -> Wanted? {
    guard query.most == nil else { throw SeaError(.usage, "of a query with a limit there is no \(function)") }
    let cell = try asking(query) { query in
      try reading { try engine.queries.aggregate(function, property, query.core(engine)) }
    }
    if case .null = cell { return nil }
    guard let read = cell.value(as: kind) else {
      throw SeaError(.badData, "the \(function) of '\(property)' is no \(kind)", ["path": property])
    }
    return read
  }
}

extension Database {
  /// The rows of a statement.
  /// - Throws: `bad-query` if it cannot be understood, would write, or looks at anything but records.
  public func rows(_ statement: Statement) async throws -> [Row] { try await read { try $0.rows(statement) } }

  /// The rows of a statement as a type.
  /// - Throws: `bad-data` if a row is none of the type, and what `rows` throws.
  public func rows<Content: Decodable & Sendable>(
    _ statement: Statement, as type: Content.Type = Content.self
  ) async throws -> [Content] {
    try await read { try $0.rows(statement, as: type) }
  }
}
