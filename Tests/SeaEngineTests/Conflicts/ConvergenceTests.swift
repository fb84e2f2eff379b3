import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Any order of arrival gives the same winner, the same conflicts and the same bytes.
@Suite struct ConvergenceTests {
  /// Three instances that put, delete and resolve a few records at random, and sometimes exchange.
  private func history(_ random: inout SeededRandom) throws -> TestGroup {
    let group = try TestGroup(3)
    for step in 0..<40 {
      let who = Int.random(in: 0..<3, using: &random)
      let database = group[who]
      let id = "r\(Int.random(in: 0..<4, using: &random))"
      let row = try? database.records.find(id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try group.exchange([0, 1, 2].filter { _ in Bool.random(using: &random) })
      case 1 where row?.isDeleted == false: try database.delete(id)
      case 2 where row?.conflict ?? ConflictState.none != .none:
        _ = try database.conflicts.resolve(
          [id], Bool.random(using: &random) ? .winner : .take(leaf(row!, database)), label: "r")
      case 3 where row?.conflict == .live:
        // Continues from a losing leaf revision.
        let leaf = try database.store.records.leaves(of: row!).filter { $0.kind == .put }.last!
        try database.put(#"{"_id":"\#(id)","late":\#(step)}"#, upon: leaf.revision)
      default:
        let target = Int.random(in: 0..<4, using: &random)
        try database.put(#"{"_id":"\#(id)","_type":"t\#(step % 2)","n":\#(step % 5),"to":{"$ref":"r\#(target)"}}"#)
      }
    }
    try group.exchange()
    return group
  }

  private func leaf(_ row: RecordRow, _ database: Database) throws -> String {
    try database.store.records.leaves(of: row).last { $0.kind != .resolved }!.revision.description
  }

  @Test(arguments: TestSeed.some(6)) func everyArrivalOrderGivesSameProjection(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try history(&random)
    let digest = try group[0].store.projection.digest()
    for one in group.instances { #expect(try one.store.projection.digest() == digest, "seed \(seed)") }
    let chains = try group.chains()
    for _ in 0..<8 {
      let store = try Store(temporary: ())
      try store.write {
        var next = [Int](repeating: 0, count: chains.count)
        while let chain = next.indices.filter({ next[$0] < chains[$0].count }).randomElement(using: &random) {
          // Each chain keeps its order; chains are interleaved at random, in runs or one by one.
          for _ in 0..<Int.random(in: 1...5, using: &random) where next[chain] < chains[chain].count {
            try append(chains[chain][next[chain]], of: group[0].store.branches.chains()[chain].instance, to: store)
            next[chain] += 1
          }
        }
      }
      #expect(try store.projection.digest() == digest, "seed \(seed)")
      #expect(try store.records.countWaiting() == 0)
    }
  }

  private func append(_ block: [UInt8], of instance: UUID, to store: Store) throws {
    try block.withUnsafeBytes { bytes in
      let header = try BlockHeader(bytes)
      let head = BlockRef(instance: instance, index: header.index, digest: header.hash)
      let payload = try BlockReader.payload(ofKept: bytes)
      _ = try store.intake.append(VerifiedBlock(bytes: bytes, header: header, head, payload: payload), arrived: 0)
    }
  }

  @Test(arguments: TestSeed.some(4)) func storeAgreesWithRevisionTree(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try history(&random)
    let store = group[1].store
    var records = 0
    var filter = RecordFilter()
    filter.withDeleted = true
    try store.records.forEachRecord(filter) { row in
      records += 1
      let tree = RevisionTree(
        try store.records.revisions(of: row).map { ($0.revision, $0.parentRevision, $0.kind != .put) })
      #expect(try store.records.winner(of: row)?.revision == tree.winner)
      #expect(row.isDeleted == tree.isDeleted)
      let conflict = try group[1].conflicts.conflict(of: row)
      let live = try store.records.leaves(of: row).filter { $0.kind == .put }.map(\.revision)
      #expect(live.dropFirst() == tree.conflicts[...])
      #expect(
        (conflict != nil)
          == (live.count > 1
            || (live.count == 1
              && tree.deletedLeaves.contains { leaf in
                (try? store.records.revision(leaf, of: row)?.kind == .delete) ?? false
              }))
      )
      return true
    }
    #expect(records > 0)
    #expect(try store.projection.expectedDigest() == store.projection.digest())
    // A resolution ends the remaining conflicts everywhere.
    _ = try group[2].conflicts.resolve(group[2].conflicts.ids(), .winner, label: "resolve")
    try group.exchange()
    for one in group.instances { #expect(try one.conflicts.ids() == []) }
  }
}
