import SeaKit
import SeaTestSupport
import Testing

/// Records that are found by what they say, or made.
@Suite struct FindOrCreateTests {
  @Test func typedRecordsAreFoundOrCreated() async throws {
    let database = try await Database.inMemory()
    let made = try await database.write { try $0.findOrCreate(["name": "Ann"]) { Keeper(id: "a", name: "Ann") } }
    #expect(made == Keeper(id: "a", name: "Ann"))
    try await database.write { transaction in
      let found = try transaction.findOrCreate(["name": "Ann"]) { Keeper(id: "b", name: "Ann") }
      #expect(found.id == "a")
      // What was made in the same transaction is found.
      _ = try transaction.findOrCreate(["name": "Bob"]) { Keeper(id: "b", name: "Bob") }
      #expect(try transaction.findOrCreate(["name": "Bob"]) { Keeper(id: "c", name: "Bob") }.id == "b")
      #expect(try transaction.count(Keeper.all) == 2)
    }
    // By counters, references and what is not there.
    let bird = try await database.write { transaction in
      try transaction.findOrCreate(["name": "owl", "seen": 0, "owner": .reference(RecordReference("a")), "nest": .null])
      {
        Bird(name: "owl", owner: Reference("a"))
      }
    }
    let again = try await database.write { transaction in
      try transaction.findOrCreate(["name": "owl", "owner": .reference(RecordReference("a")), "nest": nil]) {
        Bird(name: "owl", owner: Reference("a"))
      }
    }
    #expect(bird.id == again.id)
  }

  /// The decimal 1.50 is the double 1.5; a number that SQL would round finds nothing, instead of a similar number.
  @Test func numbersAreComparedByValue() async throws {
    struct Price: SeaRecord {
      static let recordType = "price"
      var id: String
      var amount: Double
    }
    let database = try await Database.inMemory()
    let half = ExactDecimal("1.50")
    for id in ["p", "q"] {
      let price = try await database.write {
        try $0.findOrCreate(["amount": .decimal(half)]) { Price(id: id, amount: 1.5) }
      }
      #expect(price.id == "p")
    }
    let long = ExactDecimal("1.50000000000000000001")
    await #expect(throws: SeaError.self) {
      try await database.write { try $0.findOrCreate(["amount": .decimal(long)]) { Price(id: "r", amount: 1.5) } }
    }
  }

  @Test func ambiguousOrInvalidSearchIsRefused() async throws {
    struct Own: Error {}
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    try await database.save(Keeper(id: "b", name: "Ann"))
    func code(_ properties: [String: Value], _ made: Keeper) async throws -> SeaError.Code {
      let error = try await failure {
        try await database.write { transaction in _ = try transaction.findOrCreate(properties) { made } }
      }
      return error.code
    }
    #expect(try await code(["name": "Ann"], Keeper(name: "Ann")) == .ambiguous)
    #expect(try await code([:], Keeper(name: "Ann")) == .usage)
    #expect(try await code(["name": "Cid"], Keeper(name: "Dan")) == .usage)
    #expect(try await code(["name": "Cid"], Keeper(id: "a", name: "Cid")) == .stale)
    #expect(try await code(["nam\"e": "Cid"], Keeper(name: "Cid")) == .usage)
    @Sendable func failing() throws -> Keeper { throw Own() }
    await #expect(throws: Own.self) {
      try await database.write { _ = try $0.findOrCreate(["name": "Cid"], initial: failing) }
    }
    #expect(try await database.count(Keeper.all) == 2)
  }

  /// What is not there is found by being null: a record was made each time.
  @Test func nullFindsMissingProperty() async throws {
    let database = try await Database.inMemory()
    for _ in 0..<2 {
      try await database.write { _ = try $0.findOrCreate(type: "t", ["name": "x", "town": .null]) }
    }
    #expect(try await database.count(Query.records(of: "t")) == 1)
  }
}
