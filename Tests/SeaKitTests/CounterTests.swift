import SeaKit
import Testing

/// What was counted is counted once.
@Suite struct CounterTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  private func seen(_ id: String) async throws -> Int128? {
    try await database.fetch(Bird.self, id: id)?.seen.value
  }

  @Test func savedIncrementIsCountedOnce() async throws {
    try await database.save(Bird(id: "a", name: "wren", seen: 1))
    var bird = try #require(try await database.fetch(Bird.self, id: "a"))
    bird.seen += 7
    try await save(bird)
    bird.name = "Wren"
    try await save(bird)
    #expect(try await seen("a") == 8)
    let copy = bird
    bird.seen += 1
    bird.seen += 1
    try await save(bird)
    try await save(copy)
    #expect(try await seen("a") == 10)
    #expect(bird.seen.value == 10 && copy.seen.value == 8)
    // Also one that was made here.
    var new = Bird(id: "b", name: "tit", seen: 2)
    new.seen += 1
    try await save(new)
    try await save(new)
    new.seen -= 2
    try await save(new)
    #expect(try await seen("b") == 1)
  }

  private func save(_ bird: Bird) async throws { try await database.save(bird) }

  @Test func copiesCountIndependently() async throws {
    try await database.save(Bird(id: "a", name: "wren"))
    var one = try #require(try await database.fetch(Bird.self, id: "a"))
    one.seen += 1
    var two = one
    one.seen += 10
    two.seen += 100
    try await save(one)
    try await save(two)
    #expect(try await seen("a") == 111)
  }

  @Test func incrementOfFailedTransactionIsCountedLater() async throws {
    struct No: Error {}
    try await database.save(Bird(id: "a", name: "wren"))
    var bird = try #require(try await database.fetch(Bird.self, id: "a"))
    bird.seen += 7
    let counted = bird
    do {
      try await database.write { transaction in
        try transaction.save(counted)
        throw No()
      }
      Issue.record("it did not fail")
    } catch is No {}
    try await database.write { transaction in
      do { try transaction.save(counted, check: .isNew) } catch is SeaError {}
      try transaction.save(counted)
      try transaction.save(counted)
      let now = try transaction.fetch(Bird.self, id: "a")
      #expect(now?.seen.value == 7)
    }
    #expect(try await seen("a") == 7)
    try await save(counted)
    #expect(try await seen("a") == 7)
  }
}
