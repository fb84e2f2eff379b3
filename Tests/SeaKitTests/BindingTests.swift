import SeaKit
import Testing

/// What is bound to a condition is compared as the columns have it.
@Suite struct BindingTests {
  struct When: SeaRecord {
    static let recordType = "when"
    var id = RecordID.new()
    var at: Timestamp
    var all: [Timestamp] = []
    var tags: MergeSet<String> = MergeSet()
  }

  private let database: Database
  private let day = Timestamp(milliseconds: 1_772_323_200_000)

  init() async throws { database = try await .inMemory() }

  @Test func dates() async throws {
    try await database.save(When(at: day, all: [day]))
    for condition: Condition in [
      "at >= \(day)", "at = \(day)", "at IN (\(day))", Condition("at = :day", ["day": day]), "\"all\" = \([day])",
    ] {
      #expect(try await database.count(When.all.where(condition)) == 1)
    }
    #expect(try await database.count(When.all.where("at < \(day)")) == 0)
  }

  @Test func datesAreFound() async throws {
    let day = day
    try await database.save(When(id: "w", at: day, all: [day]))
    let ids = try await database.write { transaction in
      [
        try transaction.findOrCreate(type: "when", ["at": day.value]).id,
        try transaction.findOrCreate(type: "when", ["all": [day].value]).id,
      ]
    }
    #expect(ids == ["w", "w"])
    #expect(try await database.count(When.all) == 1)
  }

  /// SQL takes no conditions that nest a hundred times, and a list of them does not.
  @Test func manyConditionsAreOneList() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    var query = Keeper.all.where("name = 'Bob' OR name = 'Ann'")
    for n in 0..<300 { query = query.where("name != \("n\(n)") -- x") }
    #expect(try await database.count(query) == 1)
    #expect(try await database.count(query.where("name = 'Bob' OR FALSE")) == 0)
  }

  @Test func sets() async throws {
    try await database.save(When(id: "w", at: day, tags: MergeSet(["b", "a"])))
    #expect(try await database.count(When.all.where("tags = \(Value.set(["a", "b"]))")) == 1)
  }
}
