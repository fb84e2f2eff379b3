import SeaKit
import SeaTestSupport
import Testing

@Suite struct IndexTests {
  @Test func indexesAreAddedListedAndRemoved() async throws {
    let database = try await Database.inMemory()
    try await database.write { transaction in
      for n in 0..<50 { try transaction.save(Keeper(id: "k\(n)", name: n % 2 == 0 ? "Lake \(n)" : "Hill \(n)")) }
    }
    #expect(try await database.indexes.all().isEmpty)
    try await database.indexes.add("names", of: "keeper", on: "name")
    try await database.indexes.add("words", of: "keeper", on: "name", "/town", kind: .text)
    let all = try await database.indexes.all()
    #expect(all.map(\.name) == ["names", "words"] && all.map(\.kind) == [.values, .text])
    #expect(all.map(\.paths) == [["/name"], ["/name", "/town"]] && all.allSatisfy { $0.isMade && !$0.isShared })
    #expect(try await database.count(Keeper.all.where("_words MATCH \("lake")")) == 25)
    let plan = try await database.rows("EXPLAIN QUERY PLAN SELECT _id FROM keeper WHERE name = 'Hill 1'")
    #expect(plan.contains { "\($0.values)".contains("names") }, "\(plan)")
    // What is written later is found, too.
    try await database.save(Keeper(id: "new", name: "Lake Zug"))
    #expect(try await database.fetch(Keeper.all.where("_words MATCH 'zug'")).map(\.id) == ["new"])
    // One of the same name is replaced.
    try await database.indexes.add("NAMES", of: "keeper", on: "town")
    #expect(try await database.indexes.all().map(\.name) == ["NAMES", "words"])
    try await database.indexes.remove("names")
    try await database.indexes.remove("words")
    #expect(try await database.indexes.all().isEmpty)
    #expect(try await failure { try await database.count(Keeper.all.where("_words MATCH 'zug'")) }.code == .badQuery)
  }

  @Test func invalidIndexDefinitionIsRefused() async throws {
    let database = try await Database.inMemory()
    #expect(try await failure { try await database.indexes.add("a b", of: "t", on: "x") }.code == .badData)
    #expect(try await failure { try await database.indexes.add("a", of: "", on: "x") }.code == .badData)
    #expect(try await failure { try await database.indexes.add("a", of: "t", on: "") }.code == .badData)
    #expect(try await failure { try await database.indexes.add("a", of: "t", on: "x,y") }.code == .badData)
    #expect(try await failure { try await database.indexes.add("a", of: "t\n[core]", on: "x") }.code == .badData)
    #expect(try await failure { try await database.indexes.add("a", of: "t\0", on: "x") }.code == .badData)
    #expect(try await failure { try await database.indexes.remove("a") }.code == .notFound)
    #expect(try await database.indexes.all().isEmpty)
    // A type may have any name.
    try await database.save(Record(type: "a:b\"c\";#d", id: "x", ["n": 1]))
    try await database.indexes.add("odd", of: "a:b\"c\";#d", on: "n")
    #expect(try await database.indexes.all().first?.type == "a:b\"c\";#d")
  }

  @Test func sharedIndexExistsOnEveryInstance() async throws {
    let pair = try await Pair { try await $0.save(Keeper(id: "a", name: "Ann")) }
    try await pair.one.indexes.add("names", of: "keeper", on: "name", isShared: true)
    try pair.sync()
    let index = try #require(try await pair.two.indexes.all().first)
    #expect(index.isShared && index.isMade && index.name == "names")
    let two = pair.two
    #expect(try await failure { try await two.indexes.remove("names") }.code == .notFound)
    try await two.indexes.remove("names", isShared: true)
    #expect(try await two.indexes.all().isEmpty)
  }
}
