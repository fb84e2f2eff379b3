import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Records found by their content while others write.
@Suite struct MatchIndexesTests {
  private func put(_ database: Database, _ id: String, _ number: Int64) throws {
    let batch = WriteBatch(label: nil)
    try batch.addEdit(id, type: "t", .none, mustExist: false) { _ in .dictionary(Members([("n", .integer(number))])) }
    _ = try database.records.write(batch)
  }

  /// Changes by others are added without reading all records again.
  @Test func lookupFindsChangesByOthersWithoutRebuild() throws {
    let world = try SyncWorld(sealed: false)
    let (one, far) = (try world.instance("one"), try world.instance("far"))
    for database in [one, far] { try world.attach("team", to: database) }
    for n in 0..<20 { try put(one, "r\(n)", Int64(n)) }
    for _ in 0..<3 { #expect(try one.records.find("t:n=3").id == "r3") }
    #expect(one.records.matches.builds == 1)
    let other = try world.reopened("one")
    for n in 20..<30 {
      try put(other, "r\(n)", Int64(n))
      try put(one, "own\(n)", Int64(100 + n))
      #expect(try one.records.find("t:n=\(n)").id == "r\(n)")
      #expect(try one.records.find("t:n=\(100 + n)").id == "own\(n)")
    }
    try put(other, "r3", 33)
    #expect(try one.records.find("t:n=33").id == "r3")
    #expect(throws: KitError.recordNotFound("t:n=3")) { try one.records.find("t:n=3") }
    try put(far, "f1", 500)
    try far.exchange("team")
    try other.exchange("team")
    #expect(try one.records.find("t:n=500").id == "f1")
    // Both have changed the record: one of them wins.
    try put(other, "f1", 501)
    try put(far, "f1", 502)
    try far.exchange("team")
    try other.exchange("team")
    let wins = try one.records.view("f1")?.leaf.revision
    #expect(try one.records.find("t:n=501").id == "f1" || one.records.find("t:n=502").id == "f1")
    #expect(wins != nil && one.records.matches.builds == 1)
  }

  /// After a reindex, records have other numbers.
  @Test func reindexRebuildsMatchIndex() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    for n in (0..<20).reversed() { try put(one, "r\(n)", Int64(n)) }
    for _ in 0..<2 { #expect(try one.records.find("t:n=3").id == "r3") }
    let other = try world.reopened("one")
    _ = try other.store.projection.rebuildAll()
    for n in 0..<20 { #expect(try one.records.find("t:n=\(n)").id == "r\(n)") }
    #expect(one.records.matches.builds == 2)
  }
}
