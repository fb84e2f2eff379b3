import Observation
import SeaKit
import SeaTestSupport
import Testing

@Suite struct LiveQueryTests {
  /// Whatever is written, in whatever order, a list that follows is what asking gives.
  @Test(.timeLimit(.minutes(20))) func updatesMatchRepeatedQueries() async throws {
    let database = try await Database.inMemory()
    var random = SeededRandom(TestSeed.value)
    let all = Query<Record>.records(of: "t")
    let queries = [
      all, all.order(by: "-n", "s"), all.where("n > \(4)").order(by: "s"), all.order(by: "n").limit(5),
      all.referring(to: "r1"), all.where("prop(other, '/n') > \(3)"), Query.records().order(by: "other->n", "-s"),
    ]
    var lists = queries.map { (query: $0, elements: [Record](), updates: database.updates(of: $0).makeAsyncIterator()) }
    for round in 0..<60 {
      if round > 0 {
        let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          (
            id: "r\(Int.random(in: 0..<20, using: &random))", kind: Int.random(in: 0..<10, using: &random),
            n: Int64.random(in: 0..<9, using: &random), other: "r\(Int.random(in: 0..<20, using: &random))"
          )
        }
        try await database.write { transaction in
          for step in steps {
            var record = try transaction.record(step.id) ?? Record(type: "t", id: step.id)
            switch step.kind {
            case 0 where !record.isNew:
              try transaction.delete(step.id)
              continue
            case 1: record.type = record.type == "t" ? "u" : "t"
            case 2: record["other"] = .reference(RecordReference(step.other))
            case 3: record["n"] = nil
            case 4: record["s"] = .string("s\(step.n)")
            default: record["n"] = .integer(step.n)
            }
            record["round"] = .integer(Int64(round))
            try transaction.save(&record)
          }
        }
      }
      for k in lists.indices {
        let wanted = try await database.fetch(lists[k].query)
        var tries = 0
        while lists[k].elements != wanted || round == 0 && tries == 0 {
          let update = try #require(try await lists[k].updates.next())
          update.apply(to: &lists[k].elements)
          tries += 1
          try #require(tries < 3, "round \(round), query \(k), seed \(TestSeed.value)")
        }
      }
    }
  }

  /// An id is its bytes: two spellings of one letter are two records.
  @Test(.timeLimit(.minutes(20))) func canonicallyEquivalentIDsStayDistinct() async throws {
    let (one, two) = ("caf\u{E9}", "cafe\u{301}")
    let database = try await Database.inMemory()
    var updates = database.updates(of: Keeper.all).makeAsyncIterator()
    var names: [Keeper] = []
    try await database.write { transaction in
      try transaction.save(Keeper(id: one, name: "one"))
      try transaction.save(Keeper(id: two, name: "two"))
    }
    while names.count < 2 { try #require(try await updates.next()).apply(to: &names) }
    try await database.write { transaction in
      try transaction.save(Keeper(id: one, name: "1"))
      try transaction.save(Keeper(id: two, name: "2"))
    }
    try #require(try await updates.next()).apply(to: &names)
    #expect(Set(names.map(\.name)) == ["1", "2"])
    try await database.delete(one)
    try #require(try await updates.next()).apply(to: &names)
    #expect(names.map(\.name) == ["2"])
  }

  /// Who has read a list within `withObservationTracking` hears when it is another one.
  @Test(.timeLimit(.minutes(20))) @MainActor func liveListsAreObservable() async throws {
    let database = try await Database.inMemory()
    let list = LiveList(database, Keeper.all)
    let one = LiveRecord(database, Keeper.self, id: "a")
    func change<Value>(_ read: () -> Value, _ write: () async throws -> Void) async throws {
      let (changes, heard) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = read()
      } onChange: {
        heard.yield()
      }
      try await write()
      var iterator = changes.makeAsyncIterator()
      await iterator.next()
    }
    while list.elements.isEmpty {
      try await change({ list.elements }) { try await database.save(Keeper(id: "a", name: "Ann")) }
      await Task.yield()
    }
    while one.element == nil { try await Task.sleep(for: .milliseconds(5)) }
    try await change({ one.element }) { try await database.save(Keeper(id: "a", name: "Anna")) }
    while one.element?.name != "Anna" || list.elements.map(\.name) != ["Anna"] {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(.timeLimit(.minutes(20))) @MainActor func liveListFollowsWritesOnMainActor() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "b", name: "Bob"))
    let list = LiveList(database, Keeper.all.order(by: "name"))
    let one = LiveRecord(database, Keeper.self, id: "a")
    func wait(_ names: [String]) async throws {
      while list.elements.map(\.name) != names { try await Task.sleep(for: .milliseconds(5)) }
    }
    try await wait(["Bob"])
    #expect(one.element == nil)
    try await database.save(Keeper(id: "a", name: "Ann"))
    try await wait(["Ann", "Bob"])
    while one.element?.name != "Ann" { try await Task.sleep(for: .milliseconds(5)) }
    try await database.save(Keeper(id: "a", name: "Cid"))
    try await wait(["Bob", "Cid"])
    try await database.delete("b")
    try await wait(["Cid"])
    list.stop()
    one.stop()
  }

  @Test(.timeLimit(.minutes(20))) @MainActor func liveListSurvivesUndecodableRecord() async throws {
    let database = try await Database.inMemory()
    try await database.save(Keeper(id: "a", name: "Ann"))
    let list = LiveList(database, Keeper.all)
    let one = LiveRecord(database, Keeper.self, id: "x")
    func wait(_ names: [String], _ unreadable: [String]) async throws {
      while list.elements.map(\.name) != names || list.unreadable.map(\.id) != unreadable {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    try await wait(["Ann"], [])
    try await database.save(Record(type: "keeper", id: "x", ["name": 7]))
    try await wait(["Ann"], ["x"])
    #expect((list.unreadable[0].error as? SeaError)?.details["path"] == "name" && list.failure == nil)
    while one.unreadable?.id != "x" { try await Task.sleep(for: .milliseconds(5)) }
    #expect(one.element == nil && one.isLoaded && one.failure == nil)
    try await database.save(Keeper(id: "b", name: "Bob"))
    try await wait(["Ann", "Bob"], ["x"])
    // A list that begins now finds it, too.
    let later = LiveList(database, Keeper.all.order(by: "-name").limit(1))
    while !later.isLoaded { try await Task.sleep(for: .milliseconds(5)) }
    #expect(later.elements.map(\.name) == ["Bob"] || later.unreadable.map(\.id) == ["x"])
    var record = try #require(try await database.record("x"))
    record["name"] = "Xaver"
    _ = try await database.save(record)
    try await wait(["Ann", "Bob", "Xaver"], [])
    while one.element?.name != "Xaver" || one.unreadable != nil { try await Task.sleep(for: .milliseconds(5)) }
    while later.elements.map(\.name) != ["Xaver"] || !later.unreadable.isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(.timeLimit(.minutes(20))) @MainActor func emptyListIsLoadedByTheFirstResult() async throws {
    let database = try await Database.inMemory()
    let list = LiveList(database, Keeper.all)
    let one = LiveRecord(database, id: "a")
    #expect(!list.isLoaded && !one.isLoaded)
    while !list.isLoaded || !one.isLoaded { try await Task.sleep(for: .milliseconds(5)) }
    #expect(list.elements.isEmpty && one.element == nil)
  }

  /// A query that runs again after each write reports only results that differ.
  @Test(.timeLimit(.minutes(20))) func unchangedResultIsNoUpdate() async throws {
    let database = try await Database.inMemory()
    try await database.save(Record(type: "keeper", id: "x", ["name": 7]))
    var updates = database.updates(of: Keeper.all.limit(5)).makeAsyncIterator()
    #expect(try await updates.next()?.unreadable.map(\.id) == ["x"])
    try await database.save(Record(type: "t", id: "other"))
    try await database.save(Keeper(id: "a", name: "Ann"))
    var list: [Keeper] = []
    try #require(try await updates.next()).apply(to: &list)
    #expect(list.map(\.name) == ["Ann"])
  }
}
