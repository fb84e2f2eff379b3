import SeaKit
import SeaTestSupport
import Testing

@Suite struct ChangesTests {
  @Test func changesOfSeveralTypesArriveInOneSequence() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    try await database.save(Record(type: "other", id: "x", ["n": 1]))
    try await database.save(Record(type: "third", id: "y", ["n": 1]))
    struct Third: SeaRecord {
      static let recordType = "third"
      var id: String
    }
    var seen: [String] = []
    for try await change in database.changes(since: .start, of: [Keeper.self, Third.self]) {
      seen.append(change.id)
      if seen.count == 2 { break }
    }
    #expect(seen == ["a", "y"])
  }

  /// What is known before comes first, then what is written while somebody waits; a type keeps to itself.
  @Test(.timeLimit(.minutes(20))) func changesArriveInWriteOrder() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    let task = Task {
      var seen: [Change] = []
      for try await change in database.changes(since: .start, of: "keeper") {
        seen.append(change)
        if seen.count == 4 { break }
      }
      return seen
    }
    try await Task.sleep(for: .milliseconds(50))
    try await database.save(Record(type: "other", id: "x", ["n": 1]))
    try await database.write { transaction in
      var ann = try #require(try transaction.record("a"))
      (ann.name, ann.age, ann.town) = ("Anna", 7, "Basel")
      try transaction.save(&ann)
    }
    try await database.write { transaction in
      var ann = try #require(try transaction.record("a"))
      (ann.town, ann.age) = (nil, 8)
      try transaction.save(&ann)
    }
    try await database.delete("a")
    let seen = try await task.value
    #expect(seen.map(\.effect) == [.created, .updated, .updated, .deleted])
    #expect(seen.allSatisfy { $0.id == "a" && $0.isOwn })
    #expect(seen[1].properties == Change.Properties(added: ["age", "town"], changed: ["name"], deleted: []))
    #expect(seen[2].properties == Change.Properties(added: [], changed: ["age"], deleted: ["town"]))
    #expect(seen[0].new == seen[1].old && seen[3].new?.depth == 4)
    // Behind each of them somebody can go on.
    var rest: [Change] = []
    let second = try #require(Position(seen[1].position.description))
    for try await change in database.changes(since: second, of: "keeper") {
      rest.append(change)
      if rest.count == 2 { break }
    }
    #expect(rest == Array(seen[2...]))
  }

  @Test(.timeLimit(.minutes(20))) func changesOfOtherConnectionsArrive() async throws {
    let scratch = try ScratchFolder()
    let one = try await Database.open(scratch.path("x"), creating: "org.example.test")
    let two = try await Database.open(scratch.path("x"))
    let task = Task {
      for try await change in one.changes() { return change.id }
      return ""
    }
    try await Task.sleep(for: .milliseconds(50))
    try await two.save(Keeper(id: "b", name: "Bob"))
    #expect(try await task.value == "b")
  }

  @Test(.timeLimit(.minutes(20))) func cancelledLoopStopsWaiting() async throws {
    let database = try await Database.inMemory()
    let task = Task {
      var count = 0
      for try await _ in database.changes() { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(try await task.value == 0)
  }

  /// Whenever it is: while it looks, while it waits for its turn to look, and before.
  @Test(.timeLimit(.minutes(20))) func cancellationEndsLoopsWithoutError() async throws {
    let database = try await Database.inMemory()
    for round in 0..<100 {
      let loops = [
        Task { for try await _ in database.changes() {} },
        Task { for try await _ in database.updates(of: Keeper.all) {} },
        Task { for try await _ in database.conflicts.updates() {} },
      ]
      try await Task.sleep(for: .microseconds(round * 10))
      loops.forEach { $0.cancel() }
      for loop in loops { try await loop.value }
    }
  }

  @Test func aPositionOfAnotherDatabaseHasExpired() async throws {
    let (one, two) = (try await Database.inMemory(), try await Database.inMemory())
    for database in [one, two] { try await database.save(Keeper(id: "a", name: "Ann")) }
    let position = try await one.position()
    let error = try await failure { for try await _ in two.changes(since: position) {} }
    #expect(error.code == .expired)
    #expect(Position("nonsense") == nil)
  }
}
