import SeaKit
import Testing

/// Queries for records of several types.
@Suite struct SeveralTypesTests {
  private let database: Database

  init() async throws {
    database = try await .inMemory()
    try await database.write { transaction in
      for (id, type, n) in [("1", "b", 4), ("2", "a", 3), ("3", "c", 2), ("4", "a", 1), ("5", "a\u{308}", 0)] {
        try transaction.save(Record(type: type, id: id, ["n": .integer(Int64(n)), "only \(type)": .bool(true)]))
      }
      try transaction.save(Record(type: nil, id: "6", ["n": 9, "other": .reference(RecordReference("1"))]))
    }
  }

  private func ids(_ query: Query<Record>) async throws -> String {
    let (ids, count, records) = try await database.read { transaction in
      (try transaction.ids(query), try transaction.count(query), try transaction.fetch(query))
    }
    #expect(records.map(\.id) == ids && count == ids.count)
    return ids.joined()
  }

  @Test func recordsOfAllTypesAreInTheOrderOfTheirIDs() async throws {
    let both = Query<Record>.records(of: ["b", "a"])
    #expect(try await ids(both) == "124")
    #expect(try await ids(both.limit(2)) == "12")
    #expect(try await ids(both.after("1")) == "24")
    #expect(try await ids(both.order(by: "n")) == "421")
    #expect(try await ids(both.where("n > \(1)")) == "12")
    #expect(try await ids(both.where("\"only a\" AND n < 3 OR \"only b\"")) == "14")
    #expect(try await ids(both.where("\"only c\" IS NULL").order(by: "-only a")) == "241")
    #expect(try await ids(.records(of: ["a"])) == "24")
    #expect(try await ids(.records(of: ["a", "a", "none"])) == "24")
    #expect(try await ids(.records(of: ["none", "nothing"])) == "")
    #expect(try await ids(.records(of: [])) == "123456")
    #expect(try await ids(.records(of: ["b", "sqlite_x"]).where("TRUE")) == "1")
  }

  @Test(.timeLimit(.minutes(20))) func liveListFollowsSeveralTypes() async throws {
    var updates = database.updates(of: Query.records(of: ["a", "b"]).where("n < 4")).makeAsyncIterator()
    var elements: [Record] = []
    (try #require(try await updates.next())).apply(to: &elements)
    #expect(elements.map(\.id) == ["2", "4"])
    try await database.write { transaction in
      for (id, type) in [("7", "b"), ("8", "c")] { try transaction.save(Record(type: type, id: id, ["n": 2])) }
    }
    (try #require(try await updates.next())).apply(to: &elements)
    #expect(elements.map(\.id) == ["2", "4", "7"])
  }
}
