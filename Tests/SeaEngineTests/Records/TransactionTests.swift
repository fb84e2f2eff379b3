import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Single changes in a transaction, answered at once, have the result of a batch of the same changes.
@Suite struct TransactionTests {
  private func database() throws -> Database {
    let made = try Database.create(in: ScratchFolder.lasting(), .init(), .init())
    return try Database(path: made.path, .init(access: .write))
  }

  private func edit(_ id: String, _ n: Int64, _ batch: WriteBatch) throws {
    try batch.addEdit(id, type: "t", .none, mustExist: false) { old in
      var record = old ?? .empty
      try record.set(.integer(n), at: PropertyPath("n"))
      try record.set(.setDraft([.integer(n % 3)]), at: PropertyPath("s"))
      return record
    }
  }

  @Test(arguments: TestSeed.some(5)) func transactionHasSameResultAsBatch(seed: UInt64) throws {
    let (one, other) = (try database(), try database())
    defer {
      one.close()
      other.close()
    }
    var random = SeededRandom(seed)
    for _ in 0..<4 {
      let steps = (0..<40).map { _ in (id: "r\(random.next() % 12)", n: Int64(random.next() % 5)) }
      var outcomes: [WriteResult.Outcome] = []
      var last: [String: RevisionID] = [:]
      let block = try one.records.transaction(label: "test", dryRun: false) { open in
        for step in steps {
          let (id, result) = try open.write { try edit(step.id, step.n, $0) }
          outcomes.append(result.outcome)
          last[id] = result.revision
          if result.outcome != .unchanged { #expect(open.revision(of: id) == .some(result.revision)) }
        }
        return true
      }
      let batch = WriteBatch(label: "test")
      for step in steps { try edit(step.id, step.n, batch) }
      let written = try other.records.write(batch)
      #expect(outcomes == written.results.map(\.outcome))
      #expect((block == nil) == (written.block == nil))
      for (id, revision) in last {
        #expect(try one.records.view(id)?.revision == revision)
        let values = try [one, other].map { try $0.records.view(id)?.value(PropertyPath("n")) }
        #expect(values[0] == values[1])
      }
    }
  }

  @Test func abortedTransactionWritesNothing() throws {
    let database = try database()
    defer { database.close() }
    struct Stop: Error {}
    let none = try database.records.transaction(label: "test", dryRun: false) { open in
      _ = try open.write { try edit("a", 1, $0) }
      return false
    }
    #expect(none == nil)
    #expect(throws: Stop.self) {
      try database.records.transaction(label: "test", dryRun: false) { open in
        _ = try open.write { try edit("a", 1, $0) }
        throw Stop()
      }
    }
    #expect(try database.records.view("a") == nil)
    #expect(try database.records.count() == 0)
  }
}
