import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

@Suite struct StatisticsTests {
  /// The sums equal those of the single blocks, records and revisions, here and in other instances.
  @Test(arguments: TestSeed.some(6)) func sumsMatchBlocksAndRecords(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    for step in 0..<40 {
      let database = group[Int.random(in: 0..<3, using: &random)]
      let id = "r\(Int.random(in: 0..<6, using: &random))"
      let row = try? database.records.find(id)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try group.exchange(merging: seed % 2 == 0)
      case 1 where row?.isDeleted == false: try database.delete(id)
      case 2: try database.put(#"{"_id":"\#(id)","n":\#(step)}"#)
      default: try database.put(#"{"_id":"\#(id)","_type":"t\#(step % 3)","n":\#(step)}"#)
      }
    }
    for database in group.instances {
      let all = try database.statistics()
      var (revisions, deleted, conflicts) = (0, 0, 0)
      var types: [String: Int] = [:]
      var filter = RecordFilter()
      filter.withDeleted = true
      try database.store.records.forEachRecord(filter) { row in
        revisions += try database.store.records.revisions(of: row).count
        if row.isDeleted { deleted += 1 } else { types[row.type ?? "", default: 0] += 1 }
        if row.conflict != .none { conflicts += 1 }
        return true
      }
      #expect(all.totals.revisions == revisions && all.totals.deleted == deleted && all.conflicts == conflicts)
      #expect(Dictionary(uniqueKeysWithValues: all.types.map { ($0.type ?? "", $0.count) }) == types)
      #expect(all.records == types.values.reduce(0, +))
      var authors: [UUID: BlockTotal] = [:]
      try database.history.forEachTransaction(of: nil) { block in
        var one = BlockTotal()
        (one.blocks, one.changes, one.bytes) = (1, block.changes, Int64(block.size))
        if block.changes > 0 { (one.first, one.last) = (block.time, block.time) }
        authors[block.instance, default: BlockTotal()].add(one)
        return true
      }
      #expect(all.authors.count == authors.count)
      for (instance, _, total) in all.authors {
        let want = try #require(authors[instance])
        #expect(total.blocks == want.blocks && total.changes == want.changes && total.bytes == want.bytes)
        #expect(total.first == want.first && total.last == want.last && total.uncounted == 0 && total.removed == 0)
      }
      #expect(all.blocks.blocks == authors.values.reduce(0) { $0 + $1.blocks })
    }
  }
}
