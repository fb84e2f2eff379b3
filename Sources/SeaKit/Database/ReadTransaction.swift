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
