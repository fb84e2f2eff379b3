import SeaKit
import SeaSystem
import Testing

/// Records that a type cannot be made of: they end a query, or are passed over and told of.
@Suite struct UndecodableRecordTests {
  private static let count = 6
  private let told = Guarded<[String]>([])

  /// Of `k0` to `k5` the second and the fifth have no name.
  private func database() async throws -> Database {
    let database = try await Database.inMemory()
    try await database.write { transaction in
      for n in 0..<UndecodableRecordTests.count {
        var record = Record(type: "keeper", id: "k\(n)")
        record["name"] = n % 3 == 1 ? .integer(Int64(n)) : .string("name \(n)")
        try transaction.save(&record)
      }
    }
    return database
  }

  private func good() -> Query<Keeper> {
    Keeper.all.skippingUndecodable { [told] id, error in
      let code = (error as? SeaError)?.code
      told.with { $0.append("\(id) \(code == .badData) \((error as? SeaError)?.message.contains("name") == true)") }
    }
  }

  private static let expected = ["k1 true true", "k4 true true"]

  @Test func queryContinuesAfterSkippedRecord() async throws {
    let database = try await database()
    await #expect(throws: SeaError.self) { try await database.fetch(Keeper.all) }
    #expect(try await database.fetch(good()).map(\.id) == ["k0", "k2", "k3", "k5"])
    #expect(told.with { $0 } == UndecodableRecordTests.expected)
    // Ordered records are made in another way.
    told.with { $0 = [] }
    #expect(try await database.fetch(good().order(by: "-_id")).map(\.id) == ["k5", "k3", "k2", "k0"])
    #expect(told.with { $0 } == UndecodableRecordTests.expected.reversed())
  }

  @Test(arguments: [false, true]) func limitDoesNotCountSkippedRecords(isOrdered: Bool) async throws {
    let database = try await database()
    let query = isOrdered ? good().order(by: "_id") : good()
    for (limit, ids) in [(0, []), (2, ["k0", "k2"]), (3, ["k0", "k2", "k3"]), (9, ["k0", "k2", "k3", "k5"])] {
      #expect(try await database.fetch(query.limit(limit)).map(\.id) == ids)
    }
    #expect(try await database.first(query.after("k0"))?.id == "k2")
    #expect(try await database.count(query) == UndecodableRecordTests.count)
  }

  @Test(.timeLimit(.minutes(20)), arguments: [nil, 3] as [Int?])
  func liveListOmitsSkippedRecords(limit: Int?) async throws {
    let database = try await database()
    let query = limit.map { good().limit($0) } ?? good()
    var updates = database.updates(of: query).makeAsyncIterator()
    var list: [Keeper] = []
    func expect(_ ids: [String], _ location: SourceLocation = #_sourceLocation) async throws {
      try #require(try await updates.next()).apply(to: &list)
      #expect(list.map(\.id) == Array(ids.prefix(limit ?? .max)), sourceLocation: location)
    }
    try await expect(["k0", "k2", "k3", "k5"])
    // One that was none is one, and the other way round.
    try await database.save(Keeper(id: "k1", name: "one"))
    try await expect(["k0", "k1", "k2", "k3", "k5"])
    var record = try #require(try await database.record("k2"))
    record["name"] = .bool(true)
    _ = try await database.save(record)
    try await expect(["k0", "k1", "k3", "k5"])
    #expect(told.with { $0 }.contains("k2 true true"))
  }
}

/// A call that waits behind others on the thread of the database ends as soon as its task is cancelled.
@Suite struct QueuedCallTests {
  @Test(.timeLimit(.minutes(20))) func cancelledCallEndsAtOnce() async throws {
    let database = try await Database.inMemory()
    let gate = Guarded(false)
    let (began, begin) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await database.write { transaction in
        try transaction.save(Keeper(id: "one", name: "one"))
        begin.yield()
        // The writer waits for what the test does meanwhile.
        while !gate.with({ $0 }) { Clock.sleep(nanoseconds: 1_000_000) }
      }
    }
    for await _ in began { break }
    let second = Task { try await database.save(Keeper(id: "two", name: "two")) }
    await Task.yield()
    second.cancel()
    await #expect(throws: CancellationError.self) { _ = try await second.value }
    gate.with { $0 = true }
    try await first.value
    #expect(try await database.fetch(Keeper.all).map(\.id) == ["one"])
  }

  /// As many tasks as there may be, cancelled at any moment: each ends once, with one or the other.
  @Test(.timeLimit(.minutes(20))) func completedSavesAreWrittenDespiteCancellations() async throws {
    let database = try await Database.inMemory()
    let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
      for n in 0..<200 {
        group.addTask {
          let task = Task { _ = try await database.save(Keeper(id: "k\(n)", name: "")) }
          for _ in 0..<n % 7 { await Task.yield() }
          if n % 2 == 0 { task.cancel() }
          do {
            try await task.value
            return true
          } catch is CancellationError { return false }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let count = try await database.count(Keeper.all)
    // What was cancelled at its end may have been written.
    #expect(count >= ended && ended >= 100 && count <= 200)
  }
}
