import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// A batch that changes a record several times has the effect of several batches: no forks, and a deletion ends
/// everything.
@Suite struct BatchLawTests {
  private let ids = ["a", "b"]

  private func leaves(_ database: Database, _ id: String) throws -> [Leaf] {
    guard let row = try database.store.records.record(id) else { return [] }
    return try database.store.records.leaves(of: row)
  }

  private func content(_ number: Int) -> Value { .dictionary(Members([("n", .integer(Int64(number)))])) }

  @Test(arguments: TestSeed.some(200)) func changesToOneRecordDoNotFork(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    for id in ids {
      for k in 0..<Int.random(in: 0...3, using: &random) {
        let batch = WriteBatch(label: "test")
        try batch.addEdit(id, type: "t", .none, mustExist: false) { _ in content(1000 + k) }
        _ = try group[k].records.write(batch)
      }
    }
    try group.exchange()
    let one = group[0]
    let before = try ids.map { try leaves(one, $0) }
    let batch = WriteBatch(label: "test")
    var last: [Int?] = [nil, nil]
    var was = [false, false]
    var isLive = before.map { $0.contains { $0.kind == .put } }
    for n in 0..<Int.random(in: 1...7, using: &random) {
      let k = Int.random(in: 0..<ids.count, using: &random)
      if isLive[k], Int.random(in: 0..<4, using: &random) == 0 {
        batch.addDeletion(ids[k], .none)
        (last[k], isLive[k], was[k]) = (nil, false, true)
        continue
      }
      var precondition = Precondition.none
      if n == 0, let leaf = before[k].randomElement(using: &random) {
        precondition = .revision(leaf.revision.description)
      }
      try batch.addEdit(ids[k], type: "t", precondition, mustExist: isLive[k]) { _ in content(n) }
      (last[k], isLive[k]) = (n, true)
    }
    _ = try one.records.write(batch)
    for (k, id) in ids.enumerated() {
      let after = try leaves(one, id)
      #expect(isLive[k] == after.contains { $0.kind == .put })
      #expect(after.count <= max(1, before[k].count))
      // A recreated record is not in conflict.
      let row = try one.store.records.record(id)
      if was[k], isLive[k] { #expect(row?.conflict == ConflictState.none) }
      guard let last = last[k], after.count == 1, before[k].count <= 1 else { continue }
      var bytes = ByteWriter()
      content(last).encode(into: &bytes)
      #expect(try one.records.view(id)?.body == bytes.array())
    }
    #expect(try one.store.projection.isRight())
  }

  /// A revision that the batch has already continued is a stale precondition.
  @Test func revisionContinuedInSameBatchIsStale() throws {
    let group = try TestGroup(2)
    // A child of this losing revision does not win either.
    for (k, n) in [(0, 0), (0, 1), (0, 2), (1, 9)] {
      let batch = WriteBatch(label: "test")
      try batch.addEdit("a", type: "t", .none, mustExist: false) { _ in content(n) }
      _ = try group[k].records.write(batch)
    }
    try group.exchange()
    let ends = try leaves(group[0], "a").map(\.revision)
    #expect(ends.count == 2)
    for end in ends {
      let batch = WriteBatch(label: "test")
      for n in 20..<22 {
        try batch.addEdit("a", type: "t", .revision(end.description), mustExist: true) { _ in content(n) }
      }
      #expect(throws: KitError.self) { try group[0].records.write(batch) }
    }
    #expect(try leaves(group[0], "a").map(\.revision) == ends)
  }
}
