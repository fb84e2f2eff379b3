internal import SeaCore
internal import SeaEngine

/// One state of the database, to be read, whatever others write meanwhile.
///
/// It is handed to the closure of `Database.read` and ends with it: used later, every call throws.
public class ReadTransaction {
  let engine: Engine
  private var hasEnded = false

  init(_ engine: Engine) { self.engine = engine }

  func end() { hasEnded = true }

  /// - Throws: if the closure that this was handed to has returned, or its task was cancelled.
  func check() throws {
    guard !hasEnded else { throw SeaError(.usage, "the transaction has ended: use it in its closure only") }
    try engine.settings.checkStop()
  }

  // MARK: - One record

  /// The record with this id; nil if there is none, or it is deleted. It takes some microseconds.
  public func record(_ id: String) throws -> Record? {
    try telling { try stored(id).map { Record($0) } }
  }

  /// The record with this id as a type; nil if there is none, or it is deleted or of another type.
  /// - Throws: `bad-data` if the type cannot be made of what the record says; the message names the property.
  public func fetch<Wanted: SeaRecord>(_ type: Wanted.Type = Wanted.self, id: String) throws -> Wanted? {
    try telling {
      guard let found = try stored(id), found.isOf(Wanted.self) else { return nil }
      return try found.decoded(as: Wanted.self)
    }
  }

  /// What a reference means; nil if there is no such record, or it is of another type.
  public func fetch<Target: SeaRecord>(_ reference: Reference<Target>) throws -> Target? {
    try fetch(Target.self, id: reference.id)
  }

  /// Runs `body` while the transaction goes on.
  /// - Throws: what the layers below have found as `SeaError`, and what else `body` throws.
  func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      try check()
      return try body()
    } catch {
      throw SeaError.of(error)
    }
  }

  /// Runs `body` with a query, once more if what it calls a slip is the name of a property that no record has yet.
  func asking<Element, Result>(
    _ query: Query<Element>, _ body: (Query<Element>) throws -> Result
  ) throws -> Result {
    try telling {
      do { return try body(query) } catch {
        guard let fault = SeaError.of(error) as? SeaError, fault.code == .badQuery, fault.details["similar"] != nil,
          !query.takesSlips, let name = fault.details["name"], try query.knows(name, engine)
        else { throw error }
        var query = query
        query.takesSlips = true
        return try body(query)
      }
    }
  }

  /// Runs `body` on the state that this transaction sees.
  func reading<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// The winner of a record as it is stored, with what this transaction has written.
  func stored(_ id: String) throws -> StoredRecord? {
    try engine.records.view(id).flatMap { try StoredRecord($0) }
  }

  // MARK: - Many records

  /// The records of a query, as the type that it is for.
  /// - Throws: `bad-query` if its condition cannot be understood, or what it names is a slip; `bad-data` if a record is none of the type.
  public func fetch<Element>(_ query: Query<Element>) throws -> [Element] {
    var all: [Element] = []
    try asking(query) { query in
      all = []
      try visit(query) {
        all.append($0)
        return true
      }
    }
    return all
  }

  /// The first record of a query; nil if there is none.
  public func first<Element>(_ query: Query<Element>) throws -> Element? { try fetch(query.limit(1)).first }

  /// Visits the records of a query one after another, until `body` returns false. No more than one is kept in memory, unless the query
  /// is ordered.
  public func forEach<Element>(_ query: Query<Element>, _ body: (Element) throws -> Bool) throws {
    // What `body` throws is no fault of the query.
    var own: (any Error)?
    try asking(query) { query in
      try visit(query) { found in
        do { return try body(found) } catch {
          own = error
          return false
        }
      }
    }
    if let own { throw own }
  }

  /// How many records a query means. Without a condition it does not depend on how many there are.
  public func count<Element>(_ query: Query<Element>) throws -> Int {
    try asking(query) { query in try reading { try engine.queries.count(query.core(engine)) } }
  }

  /// The ids of the records of a query.
  public func ids<Element>(_ query: Query<Element>) throws -> [String] {
    try asking(query) { query in
      var ids: [String] = []
      try reading {
        _ = try engine.queries.forEachID(query.core(engine)) { ids.append(String(decoding: $0, as: UTF8.self)) }
      }
      return ids
    }
  }

  /// The elements are given away: to copy each of them costs much of what reading it does.
  private func visit<Element>(_ query: Query<Element>, _ body: (consuming Element) throws -> Bool) throws {
    var decoding = BodyDecoding()
    var left = query.mostMade ?? .max
    guard left > 0 else { return }
    func take(_ element: consuming Element) throws {
      left -= 1
      guard try body(element), left > 0 else { throw Enough() }
    }
    do {
      _ = try reading {
        try engine.queries.forEachInPlace(
          query.core(engine),
          { if let element = try query.element($0, &decoding) { try take(element) } },
          { if let found = try StoredRecord($0), let element = try query.element(found) { try take(element) } })
      }
    } catch is Enough {}
  }
}

/// Nothing more is to be visited.
private struct Enough: Error {}

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
