internal import SeaCore
internal import SeaEngine

/// A transaction that reads a single state of the database, unaffected by concurrent writes.
///
/// `Database.read` passes a transaction to its closure. Once the closure has returned, every call throws.
public class ReadTransaction {
  let engine: Engine
  private var hasEnded = false

  init(_ engine: Engine) { self.engine = engine }

  func end() { hasEnded = true }

  /// - Throws: `usage` if the closure has returned, `CancellationError` if its task was cancelled.
  func check() throws {
    guard !hasEnded else { throw SeaError(.usage, "the transaction has ended; use it only inside its closure") }
    try engine.settings.checkStop()
  }

  // MARK: - One record

  /// Returns the record with this id; nil if there is none, or if it is deleted.
  public func record(_ id: String) throws -> Record? {
    try convertingErrors { try stored(id).map { Record($0) } }
  }

  /// Returns the record with this id, decoded as a type; nil if there is none, or if it is deleted or has another type.
  /// - Throws: `bad-data` if the record cannot be decoded as the type; the message names the property.
  public func fetch<Wanted: SeaRecord>(_ type: Wanted.Type = Wanted.self, id: String) throws -> Wanted? {
    try convertingErrors {
      guard let found = try stored(id), found.isOf(Wanted.self) else { return nil }
      return try found.decoded(as: Wanted.self)
    }
  }

  /// Returns the referenced record; nil if there is none, or if it is deleted or has another type.
  public func fetch<Target: SeaRecord>(_ reference: Reference<Target>) throws -> Target? {
    try fetch(Target.self, id: reference.id)
  }

  /// - Throws: `SeaError` for errors from lower layers, and other errors of `body` unchanged.
  func convertingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      try check()
      return try body()
    } catch {
      throw SeaError.of(error)
    }
  }

  func reading<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// Returns the winning revision of a record, including the writes of this transaction.
  func stored(_ id: String) throws -> StoredRecord? {
    try engine.records.view(id).flatMap { try StoredRecord($0) }
  }

  // MARK: - Many records

  /// Returns the records of a query.
  /// - Throws: `bad-query` if the condition is invalid; `bad-data` if a record cannot be decoded as the type.
  public func fetch<Element>(_ query: Query<Element>) throws -> [Element] {
    var all: [Element] = []
    try convertingErrors {
      try visit(query) { (element: consuming Element) in
        all.append(element)
        return true
      }
    }
    return all
  }

  /// Returns the first record of a query; nil if there is none.
  public func first<Element>(_ query: Query<Element>) throws -> Element? { try fetch(query.limit(1)).first }

  /// Calls `body` with each record of a query until `body` returns false. If the query is unordered, only one record is
  /// in memory at a time.
  public func forEach<Element>(_ query: Query<Element>, _ body: (Element) throws -> Bool) throws {
    // An error thrown by `body` must not be mistaken for an error of the query.
    var own: (any Error)?
    try convertingErrors {
      try visit(query) { found in
        do { return try body(found) } catch {
          own = error
          return false
        }
      }
    }
    if let own { throw own }
  }

  /// Returns the number of records that a query selects. Without a condition, counting takes the same time regardless
  /// of the number of records.
  public func count<Element>(_ query: Query<Element>) throws -> Int {
    try convertingErrors { try reading { try engine.queries.count(query.core(engine)) } }
  }

  /// Returns the ids of the records of a query.
  public func ids<Element>(_ query: Query<Element>) throws -> [String] {
    try convertingErrors {
      var ids: [String] = []
      try reading {
        _ = try engine.queries.forEachID(query.core(engine)) { ids.append(String(decoding: $0, as: UTF8.self)) }
      }
      return ids
    }
  }

  /// Returns what `sea query` says about possible mistakes in the condition of a query, such as a name that no record
  /// has. Reads no records.
  /// - Throws: `bad-query` if the condition is invalid or an unknown name resembles a known one.
  public func notices<Element>(about query: Query<Element>) throws -> [String] {
    try convertingErrors { try reading { try engine.queries.notices(about: query.core(engine)).map(\.words) } }
  }

  /// Calls `body` with each record of a query. Elements are consumed, because copying them takes nearly as long as
  /// reading them.
  private func visit<Element>(_ query: Query<Element>, _ body: (consuming Element) throws -> Bool) throws {
    var decoding = BodyDecoding()
    var left = query.decodedLimit ?? .max
    guard left > 0 else { return }
    func deliver(_ element: consuming Element) throws {
      left -= 1
      guard try body(element), left > 0 else { throw Enough() }
    }
    do {
      _ = try reading {
        try engine.queries.forEachInPlace(
          query.core(engine),
          { try query.visit($0, &decoding) { (element: consuming Element) in try deliver(element) } },
          { if let found = try StoredRecord($0), let element = try query.element(found) { try deliver(element) } })
      }
    } catch is Enough {}
  }
}

struct Enough: Error {}

extension ReadTransaction {
  /// Returns the rows of a statement.
  /// - Throws: `bad-query` if the statement is invalid, would write to the database, or reads anything other than
  ///   records.
  public func rows(_ statement: Statement) throws -> [Row] {
    var all: [Row] = []
    try forEachRow(statement) {
      all.append($0)
      return true
    }
    return all
  }

  /// Returns the rows of a statement, decoded as a type. A single value is decoded from the first column, as in
  /// `rows("SELECT name FROM bird", as: String.self)`. Any other type is decoded from the columns named after its
  /// properties.
  /// - Throws: `bad-data` if a row cannot be decoded, and all errors of the untyped `rows`.
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

  /// Calls `body` with each row of a statement, until `body` returns false.
  public func forEachRow(_ statement: Statement, _ body: (Row) throws -> Bool) throws {
    // An error thrown by `body` must not be mistaken for an error of the statement.
    var own: (any Error)?
    try convertingErrors {
      var columns: [String] = []
      let (sql, values) = try statement.rendered()
      try reading {
        try engine.queries.answer(
          sql, values, begin: { columns = $0.columns },
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

  // MARK: - One value from many records

  /// Returns the sum of a property over the records of a query; nil if no record has the property. Values that are not
  /// numbers count as 0, and decimals are added as doubles.
  /// - Throws: `usage` for a query with a limit, and the errors of `fetch` for the condition.
  public func sum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("sum", property, query, kind)
  }

  /// Returns the average of a property over those records of a query that have the property; nil if no record has it.
  /// - Throws: the errors of `sum`.
  public func average<Element>(of property: String, in query: Query<Element>) throws -> Double? {
    try aggregate("avg", property, query, Double.self)
  }

  /// Returns the smallest value, in SQL order, of a property in the records of a query; nil if no record has the
  /// property.
  /// - Throws: the errors of `sum`.
  public func minimum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("min", property, query, kind)
  }

  /// Returns the greatest value, in SQL order, of a property in the records of a query; nil if no record has the
  /// property.
  /// - Throws: the errors of `sum`.
  public func maximum<Element, Wanted: ValueConvertible>(
    of property: String, in query: Query<Element>, as kind: Wanted.Type = Wanted.self
  ) throws -> Wanted? {
    try aggregate("max", property, query, kind)
  }

  private func aggregate<Element, Wanted: ValueConvertible>(
    _ function: String, _ property: String, _ query: Query<Element>, _ kind: Wanted.Type
  ) throws -> Wanted? {
    try aggregate(function, property, "\(function)(\(Queries.quoted(property)))", query) { $0.value(as: kind) }
  }

  /// - Parameters:
  ///   - columns: the result in SQL.
  ///   - read: returns nil if the result is of another type.
  func aggregate<Element, Wanted>(
    _ function: String, _ property: String, _ columns: String, _ query: Query<Element>,
    _ read: (QueryValue) -> Wanted?
  ) throws -> Wanted? {
    guard query.maximumCount == nil else {
      throw SeaError(.usage, "\(function) is not available for a query with a limit")
    }
    let cell = try convertingErrors {
      try reading { try engine.queries.aggregate(columns, query.core(engine)) }
    }
    if case .null = cell { return nil }
    guard let result = read(cell) else {
      throw SeaError(.badData, "the \(function) of '\(property)' is not of type \(Wanted.self)", ["path": property])
    }
    return result
  }
}

extension Database {
  /// Returns the rows of a statement.
  /// - Throws: `bad-query` if the statement is invalid, would write to the database, or reads anything other than
  ///   records.
  public func rows(_ statement: Statement) async throws -> [Row] { try await read { try $0.rows(statement) } }

  /// Returns the rows of a statement, decoded as a type.
  /// - Throws: `bad-data` if a row cannot be decoded, and all errors of the untyped `rows`.
  public func rows<Content: Decodable & Sendable>(
    _ statement: Statement, as type: Content.Type = Content.self
  ) async throws -> [Content] {
    try await read { try $0.rows(statement, as: type) }
  }
}
