import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

@Suite struct HistoryTests {
  /// A record that three instances changed, merged and deleted at random.
  private func history(_ random: inout SeededRandom) throws -> TestGroup {
    let group = try TestGroup(3)
    for step in 0..<40 {
      let database = group[Int.random(in: 0..<3, using: &random)]
      let row = try? database.records.find("x")
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try group.exchange()
      case 1 where row?.isDeleted == false: try database.delete("x")
      case 2 where row?.conflict ?? ConflictState.none != .none:
        _ = try database.conflicts.resolve(["x"], .winner, label: "resolve")
      default: try database.put(#"{"_id":"x","n":\#(step % 5),"in":[{"m":\#(step)}]}"#)
      }
    }
    try group.exchange()
    return group
  }

  /// The order: among revisions whose children are listed, the greatest Lamport time comes first, then the greatest
  /// revision.
  @Test(arguments: TestSeed.some(6), [true, false]) func childRevisionsAreListedBeforeParents(
    _ seed: UInt64, _ lies: Bool
  )
    throws
  {
    var random = SeededRandom(seed)
    let group = try history(&random)
    let database = group[0]
    if lies {
      try database.alter(
        (1..<200).map { "UPDATE block SET lamport = \(Int.random(in: 1..<9, using: &random)) WHERE seq = \($0);" }
          .joined())
    }
    let row = try database.records.find("x")
    var left = try database.store.records.revisions(of: row)
    #expect(left.count > 10)
    try database.history.forEachNewest(of: row) { event in
      let ready = left.filter { one in !left.contains { $0.parentRevision == one.revision } }
      let times = try ready.map { ($0.revision, try database.store.blocks.block(sequence: $0.sequence)!.lamport) }
      let next = times.max { $0.1 != $1.1 ? $0.1 < $1.1 : $0.0 < $1.0 }
      #expect(event.revision == next?.0)
      left.removeAll { $0.revision == event.revision }
      return true
    }
    #expect(left.isEmpty)
  }

  @Test(arguments: TestSeed.some(4)) func everyPropertyChangeIsListedOnce(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try history(&random)
    let database = group[0]
    let row = try database.records.find("x")
    func value(_ leaf: Leaf?) throws -> String? {
      try leaf.flatMap { try database.store.content(of: $0).body }?[PropertyPath("in.0.m")]?.json()
    }
    var told: [RevisionID: String?] = [:]
    try database.history.forEachValue(of: row, PropertyPath("/in/0/m")) { event, value in
      let json = try value?.stored.value().json()
      #expect(told.updateValue(json, forKey: event.revision) == nil)
      #expect((value == nil) == (event.leaf.kind != .put) && value?.type == value.map { _ in "integer" })
      return true
    }
    for leaf in try database.store.records.revisions(of: row) where leaf.kind != .resolved {
      let parent = try leaf.parentRevision.flatMap { try database.store.records.revision($0, of: row) }
      let isNew = try value(leaf) != value(parent)
      #expect(told.keys.contains(leaf.revision) == isNew)
      if isNew { #expect(told[leaf.revision] == .some(try value(leaf))) }
    }
    #expect(!told.isEmpty)
  }
}
