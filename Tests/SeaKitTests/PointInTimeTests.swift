import SeaKit
import SeaTestSupport
import Testing

/// The database as it was.
@Suite struct PointInTimeTests {
  @Test func pastStateIsReadAtPosition() async throws {
    let database = try await Database.inMemory()
    let none = try await database.position()
    try await database.save(Keeper(id: "a", name: "Ann"))
    let first = try await database.position()
    try await database.write { transaction in
      try transaction.save(Keeper(id: "a", name: "Anna"))
      try transaction.save(Keeper(id: "b", name: "Bob"))
    }
    let second = try await database.position()
    try await database.delete("a")

    #expect(try await database.history.fetch(Keeper.all, at: .position(none)).isEmpty)
    #expect(try await database.history.fetch(Keeper.all, at: .position(.start)).isEmpty)
    #expect(try await database.history.fetch(Keeper.all, at: .position(first)).map(\.name) == ["Ann"])
    #expect(try await database.history.fetch(Keeper.self, id: "a", at: .position(first))?.name == "Ann")
    #expect(try await database.history.count(Keeper.all.where("name = 'Anna'"), at: .position(second)) == 1)
    #expect(try await database.history.record("a", at: .position(second))?["name"] == "Anna")
    #expect(try await database.record("a") == nil)
    // A change is told with its position: what was written together with it is there, too.
    var changes = database.changes(since: first).makeAsyncIterator()
    let change = try #require(try await changes.next())
    let names = try await database.read(at: .position(change.position)) {
      try $0.rows("SELECT name FROM keeper ORDER BY name", as: String.self)
    }
    #expect(names == ["Anna", "Bob"])
    let foreign = try await Database.inMemory()
    #expect(try await failure { try await foreign.history.count(Keeper.all, at: .position(second)) }.code == .expired)
  }

  @Test func receivedChangesExistFromArrivalOn() async throws {
    let pair = try await Pair { try await $0.save(Keeper(id: "a", name: "Ann")) }
    let before = try await pair.two.position()
    try await pair.one.save(Keeper(id: "b", name: "Bob"))
    try pair.sync()
    #expect(try await pair.two.history.count(Keeper.all, at: .position(before)) == 1)
    #expect(try await pair.two.history.count(Keeper.all, at: .position(pair.two.position())) == 2)
    let operation = try #require(try await pair.one.history.operations().first)
    #expect(try await pair.one.history.fetch(Keeper.all, at: .operation(operation)).count == 2)
    #expect(try await pair.one.history.count(Keeper.all, at: .time(Timestamp(milliseconds: 0))) == 0)
  }
}
