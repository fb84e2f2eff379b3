import SeaKit
import Testing

/// What a query names that no record has.
@Suite struct MisspelledNameTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  /// A name that is much like one that records have is a slip; another one is a property that none has yet.
  @Test func errorSuggestsSimilarName() async throws {
    try await database.save(Keeper(id: "a", name: "Ann"))
    for query in [
      Keeper.all.where("nam = 'x'"), Keeper.all.order(by: "nmae"), Keeper.all.order(by: "-nam"),
      Keeper.all.where("name = 'Ann' AND nome > 1"),
    ] {
      let error = try await failure { [database] in try await database.fetch(query) }
      #expect(error.code == .badQuery && error.details["similar"] == "name")
    }
    let error = try await failure { [database] in try await database.count(Keeper.all.where("nam = 'x'")) }
    #expect(error.code == .badQuery)
    #expect(try await database.fetch(Keeper.all.where("address IS NULL").order(by: "phone")).count == 1)
  }

  /// What a type may have, no record needs to have.
  @Test func nameKnownToTheTypeIsAccepted() async throws {
    struct Named: SeaRecord {
      static let recordType = "named"
      var id = "n"
      var name: String?
      var names: [String]?
    }
    #expect(try await database.count(Named.all.where("nmae IS NULL")) == 0)
    try await database.save(Named(name: "Ann"))
    #expect(try await database.count(Named.all.where("names IS NULL")) == 1)
    #expect(try await database.fetch(Named.all.order(by: "names")).map(\.name) == ["Ann"])
    #expect(try await database.write { try $0.findOrCreate(type: "named", ["nam": "x"]).isNew } == false)
  }
}
