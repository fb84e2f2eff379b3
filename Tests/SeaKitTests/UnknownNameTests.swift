import SeaKit
import Testing

/// Whether a query or a statement works does not depend on which properties records happen to have.
@Suite struct UnknownNameTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  /// Also if it resembles one that records have.
  @Test func propertyThatNoRecordHasIsNull() async throws {
    for isEmpty in [true, false] {
      if !isEmpty { try await database.save(Keeper(id: "a", name: "Ann")) }
      let count = isEmpty ? 0 : 1
      for name in ["nam", "names", "address", "a.b", "a b", "a\"b", "order", "ä"] {
        let column = "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        #expect(try await database.count(Keeper.all.where(Condition(column + " IS NULL"))) == count, "\(name)")
        #expect(try await database.fetch(Keeper.all.where(Condition(column + " = 'x'"))).isEmpty)
        #expect(
          try await database.rows(Statement("SELECT " + column + " AS c FROM keeper"))["c"]
            == Array(repeating: .null, count: count))
        #expect(try await database.read { try $0.sum(of: name, in: Keeper.all, as: Int.self) } == nil)
        #expect(try await database.fetch(Keeper.all.order(by: name, "-" + name)).count == count)
      }
    }
    #expect(try await database.rows("SELECT k.nam, exact(k.\"x.y\") AS x FROM keeper k")["x"] == [.null])
    #expect(try await database.rows("SELECT prop(_id, '/nmae') AS x FROM keeper")["x"] == [.null])
    #expect(try await database.write { try $0.findOrCreate(type: "keeper", ["nam": "x"]).isNew } == false)
  }

  @Test func tableOfUnknownTypeIsEmpty() async throws {
    for _ in 0..<2 {
      #expect(try await database.rows("SELECT count(*) AS n FROM keepers")["n"] == [.integer(0)])
      #expect(try await database.count(Query.records(of: "keepers").where("name = 'x'")) == 0)
      try await database.save(Keeper(name: "Ann"))
    }
  }

  @Test func noticesNameWhatMayBeAMistake() async throws {
    try await database.save(Keeper(name: "Ann"))
    func notices(_ condition: Condition) async throws -> [String] {
      try await database.read { try $0.notices(about: Keeper.all.where(condition)) }
    }
    #expect(try await notices("name = Harbor") == ["no record has a property 'Harbor'"])
    #expect(try await notices("name = 'Harbor'").isEmpty)
    #expect(try await database.read { try $0.notices(about: Keeper.all) }.isEmpty)
    #expect(try await failure { try await notices("nmae = 'x'") }.details["similar"] == "name")
    #expect(try await failure { try await notices("name =") }.code == .badQuery)
  }

  /// These names belong to Sea, so that none of them can become the name of a property.
  @Test func unknownColumnOfSeaIsAnError() async throws {
    try await database.save(Keeper(name: "Ann"))
    let error = try await failure { [database] in try await database.fetch(Keeper.all.where("_nam = 'x'")) }
    #expect(error.code == .badQuery)
  }
}

extension [Row] {
  fileprivate subscript(column: String) -> [Value?] { map { $0[column] } }
}
