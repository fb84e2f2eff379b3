import SeaKit
import SeaTestSupport
import Testing

@Suite struct TransactionTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  @Test func transactionWritesAllOrNothing() async throws {
    struct No: Error {}
    do {
      try await database.write { transaction in
        try transaction.save(Keeper(id: "a", name: "Ann"))
        throw No()
      }
      Issue.record("it did not fail")
    } catch is No {}
    #expect(try await database.count(Keeper.all) == 0)
    try await database.write("two of them") { transaction in
      try transaction.save(Keeper(id: "a", name: "Ann"))
      try transaction.save(Keeper(id: "b", name: "Bob"))
    }
    #expect(try await database.fetch(Keeper.all).map(\.id) == ["a", "b"])
  }

  /// Tasks that save at the same time share a flush; each save is still a block of its own, and fails alone.
  @Test func savesOfManyTasksAreABlockEach() async throws {
    struct No: Error {}
    let before = try await database.care.verify().chains.reduce(0) { $0 + $1.blocks }
    let saved = await withTaskGroup(of: String?.self) { group in
      for n in 0..<200 {
        group.addTask { [database] in
          do {
            try await database.write { transaction in
              try transaction.save(Keeper(id: "k\(n)", name: "n\(n)"))
              if n % 5 == 0 { throw No() }
            }
            return "k\(n)"
          } catch {
            #expect(error is No && n % 5 == 0)
            return nil
          }
        }
      }
      return await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
    }
    #expect(saved.count == 160)
    #expect(Set(try await database.fetch(Keeper.all).map(\.id)) == saved)
    let report = try await database.care.verify()
    #expect(report.isGood && report.chains.reduce(0) { $0 + $1.blocks } == before + 160)
  }

  @Test func transactionSeesItsOwnWrites() async throws {
    try await database.write { try $0.save(Keeper(id: "a", name: "Ann")) }
    let seen = try await database.write { transaction in
      try transaction.save(Keeper(id: "b", name: "Bob"))
      try transaction.save(Keeper(id: "c", name: "Cid"))
      try transaction.delete("a")
      let record = try transaction.fetch(Keeper.self, id: "b")
      let gone = try transaction.record("a")
      #expect(record?.name == "Bob" && gone == nil)
      #expect(try transaction.count(Keeper.all) == 2)
      try transaction.save(Keeper(id: "b", name: "Bert"))
      return try transaction.fetch(Keeper.all.where("name LIKE \("B%")")).map(\.name)
    }
    #expect(seen == ["Bert"])
    #expect(try await database.fetch(Keeper.all.order(by: "-name")).map(\.name) == ["Cid", "Bert"])
    // What was looked at on the way is no history.
    #expect(try await database.read { try $0.record("b")?.revision?.depth } == 2)
  }

  /// Who writes while records are visited is seen by what is asked meanwhile, once.
  @Test func writesDuringIterationAreVisible() async throws {
    try await database.write { transaction in
      for n in 0..<3 { try transaction.save(Keeper(id: "k\(n)", name: "n\(n)")) }
      try transaction.save(Record(type: "count", id: "c", ["n": .counter(0)]))
    }
    try await database.write { transaction in
      try transaction.delete("k0")
      try transaction.save(Keeper(id: "new", name: "new"), check: .isNew)
      try transaction.forEach(Keeper.all.where("name LIKE 'n_'")) { keeper in
        var record = try #require(try transaction.record("c"))
        record.add(1, to: "n")
        try transaction.save(&record)
        try transaction.save(Keeper(id: "of-\(keeper.id)", name: "of"), check: .isNew)
        try transaction.forEach(Keeper.all.where("name = 'of'")) { _ in
          _ = try transaction.findOrCreate(["name": "one"]) { Keeper(name: "one") }
          return true
        }
        try transaction.delete(keeper.id)
        let left = try transaction.count(Keeper.all.where("_id = \(keeper.id)"))
        #expect(left == 0)
        return true
      }
      #expect(try transaction.sum(of: "n", in: Query.records(of: "count")) == 2)
      try transaction.forEachRow("SELECT 1") { _ in
        let sum = try transaction.sum(of: "n", in: Query.records(of: "count"), as: Int.self)
        #expect(sum == 2)
        return true
      }
    }
    #expect(try await database.fetch(Keeper.all.order(by: "name")).map(\.name) == ["new", "of", "of", "one"])
    #expect(try await database.record("c")?["n", as: Int.self] == 2)
  }

  @Test func saveChecksTheRevision() async throws {
    let first = try await database.write { try $0.save(Keeper(id: "a", name: "Ann"), check: .isNew) }
    let known = try await failure {
      try await database.write { try $0.save(Keeper(id: "a", name: "Anna"), check: .isNew) }
    }
    #expect(known.code == .stale)
    try await database.write { try $0.save(Keeper(id: "a", name: "Anna"), check: .revision, revision: first) }
    let old = try await failure {
      try await database.write { try $0.save(Keeper(id: "a", name: "Anne"), check: .revision, revision: first) }
    }
    #expect(old.code == .stale)
    #expect(try await failure { try await database.delete("nobody") }.code == .notFound)
  }

  /// Of a record that was read before others changed it only what was set here is written.
  @Test func saveWritesOnlyChangedProperties() async throws {
    let first = Record(type: "t", id: "r", ["a": 1, "b": 1, "n": .counter(1), "s": .set(["x"])])
    try await database.save(first)
    let old = try #require(try await database.read { try $0.record("r") })
    try await database.write { transaction in
      var record = try #require(try transaction.record("r"))
      (record.a, record.b) = (2, nil)
      record.add(10, to: "n")
      record.insert("y", into: "s")
      #expect(record.changedNames == ["a", "b", "n", "s"])
      try transaction.save(&record)
      #expect(!record.hasChanges)
    }
    try await database.write { transaction in
      var record = old
      record.c = "new"
      record.add(100, to: "n")
      record.remove("x", from: "s")
      try transaction.save(&record)
    }
    let record = try #require(try await database.read { try $0.record("r") })
    #expect(record.properties == ["a": 2, "c": "new", "n": .counter(111), "s": .set(["y"])])
  }

  /// Who has changed nothing is told what there is now, and not what he has read.
  @Test func unchangedSaveReturnsCurrentRevision() async throws {
    try await database.save(Record(type: "t", id: "r", ["a": 1]))
    let read = try #require(try await database.record("r"))
    #expect(try await database.save(read) == read.revision)
    try await database.write { try $0.save(read, check: .revision) }
    var other = read
    other.a = 2
    let now = try await database.save(other)
    #expect(try await database.save(read) == now && read.revision != now)
    let stale = try await failure { try await database.write { try $0.save(read, check: .revision) } }
    #expect(stale.code == .stale)
    let known = try await failure { try await database.write { try $0.save(read, check: .isNew) } }
    #expect(known.code == .stale)
    try await database.delete("r")
    #expect(try await failure { try await database.save(read) }.code == .notFound)
    #expect(try await database.record("r") == nil)
  }

  @Test func aTransactionEndsWithItsClosure() async throws {
    final class Kept: @unchecked Sendable { var transaction: ReadTransaction? }
    let kept = Kept()
    try await database.read { kept.transaction = $0 }
    #expect(throws: SeaError.self) { try kept.transaction?.record("a") }
  }

  @Test func cancellationEndsWriteAndQuery() async throws {
    let started = AsyncStream.makeStream(of: Void.self)
    let task = Task { [database] in
      try await database.write { transaction in
        try transaction.save(Keeper(id: "a", name: "Ann"))
        started.continuation.yield()
        while true { _ = try transaction.record("a") }
      }
    }
    for await _ in started.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await database.count(Keeper.all) == 0)
    // A query that would run for ever.
    try await database.save(Keeper(id: "a", name: "Ann"))
    let query = Task { [database] in
      let endless: Condition = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n) > 0"
      return try await database.fetch(Query.records().where(endless))
    }
    try await Task.sleep(for: .milliseconds(100))
    query.cancel()
    await #expect(throws: CancellationError.self) { try await query.value }
  }

  /// Reads run beside a write, and each sees one state.
  @Test func concurrentReadsSeeOneState() async throws {
    try await database.write { transaction in
      for n in 0..<10 { try transaction.save(Record(type: "t", id: "r\(n)", ["n": 0])) }
    }
    try await withThrowingTaskGroup(of: Void.self) { [database] group in
      for round in 1...20 {
        group.addTask {
          try await database.write { transaction in
            for n in 0..<10 { try transaction.save(Record(type: "t", id: "r\(n)", ["n": Value.integer(Int64(round))])) }
          }
        }
        for _ in 0..<5 {
          group.addTask {
            let all = try await database.fetch(Query.records(of: "t"))
            #expect(all.count == 10 && Set(all.map { $0["n"] }).count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    await database.close()
    #expect(try await database.count(Query.records(of: "t")) == 10)
  }

  @Test func twoConnectionsShareOneFolder() async throws {
    let scratch = try ScratchFolder()
    let one = try await Database.open(scratch.path("x"), creating: "org.example.test")
    let two = try await Database.open(scratch.path("x"))
    try await one.write { try $0.save(Keeper(id: "a", name: "Ann")) }
    #expect(try await two.fetch(Keeper.all).map(\.name) == ["Ann"])
    try await two.write { try $0.save(Keeper(id: "b", name: "Bob")) }
    #expect(try await one.count(Keeper.all) == 2)
    let path = scratch.path("x")
    #expect(try await failure { try await Database.open(path, creating: "org.example.other") }.code == .incompatible)
    #expect(try await failure { try await Database.open(path + "/none") }.code == .noDatabase)
  }

  @Test func recordIsFoundOrCreated() async throws {
    let ids = try await database.write { transaction in
      let one = try transaction.findOrCreate(type: "keeper", ["name": "Ann"], initial: ["age": 7])
      let two = try transaction.findOrCreate(type: "keeper", ["name": "Ann"], initial: ["age": 8])
      #expect(two["age"] == 7)
      return [one.id, two.id, try transaction.findOrCreate(type: "keeper", ["name": "Bob", "age": 7]).id]
    }
    #expect(ids[0] == ids[1] && ids[2] != ids[0])
    try await database.write { try $0.save(Record(type: "keeper", ["name": "Ann"])) }
    let several = try await failure {
      try await database.write { try $0.findOrCreate(type: "keeper", ["name": "Ann"]) }
    }
    #expect(several.code == .ambiguous)
  }
}
