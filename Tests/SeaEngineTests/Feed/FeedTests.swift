import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// A reader that knows only what the feed reports.
private struct Reader {
  struct Record: Equatable {
    var revision: RevisionID
    var isConflict: Bool
  }

  var position = FeedPosition.start
  var records: [String: Record] = [:]
  var faults: [String] = []

  /// Reads the changes in steps until there are no more.
  mutating func follow(_ database: Database, by step: Int? = nil) throws {
    while true {
      var filter = FeedFilter()
      filter.limit = step
      var count = 0
      // The position makes a round trip through text, as in a program.
      let end = try database.feed.forEach(after: database.feed.position(position.description), filter) { change in
        count += 1
        if change.position.number <= position.number { faults.append("\(change.position) is not behind \(position)") }
        if change.old != records[change.id]?.revision {
          faults.append("\(change.position): \(change.id) was not \(change.old.map { "\($0)" } ?? "-")")
        }
        position = change.position
        records[change.id] = change.new.map { Record(revision: $0, isConflict: change.isConflict) }
        return true
      }
      if step == nil || count == 0 {
        position = end
        return
      }
    }
  }

  /// The current records, from the tables.
  static func truth(_ database: Database) throws -> [String: Record] {
    var records: [String: Record] = [:]
    var filter = RecordFilter()
    filter.withDeleted = true
    try database.store.records.forEachRecord(filter) { row in
      records[row.id] = try database.store.records.winner(of: row).map {
        Record(revision: $0.revision, isConflict: row.conflict != .none)
      }
      return true
    }
    return records
  }

  func expect(_ database: Database, _ place: Testing.SourceLocation = #_sourceLocation) throws {
    #expect(faults.isEmpty, sourceLocation: place)
    #expect(try records == Reader.truth(database), sourceLocation: place)
    #expect(try position == database.feed.end(), sourceLocation: place)
  }
}

/// A reader of the feed knows the current state after any events, and gets nothing twice.
@Suite struct FeedTests {
  @Test(arguments: TestSeed.some(12)) func followerKnowsCurrentState(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    var readers = [Reader](repeating: Reader(), count: 3)
    for step in 0..<60 {
      let k = Int.random(in: 0..<3, using: &random)
      let database = group[k]
      let id = ["x", "y", "z"].randomElement(using: &random)!
      let row = try? database.records.find(id)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1: try group.exchange([k, Int.random(in: 0..<3, using: &random)], merging: step % 3 == 0)
      case 2 where row?.isDeleted == false: try database.delete(id)
      case 3 where row?.conflict ?? ConflictState.none != .none:
        _ = try database.conflicts.resolve([id], .winner, label: "resolve")
      case 4:
        let end = try database.feed.end()
        _ = try database.rebuildProjection(dryRun: false)
        #expect(try database.feed.end() == end)
      case 5: if row?.isDeleted == false { _ = try? database.purge.run(.record(id, keepsNow: true)) }
      case 6: _ = try? database.history.undo(nil)
      default: try database.put(#"{"_id":"\#(id)","n":\#(step % 7),"m":{"k":\#(step)}}"#)
      }
      let reader = Int.random(in: 0..<3, using: &random)
      if Bool.random(using: &random) {
        try readers[reader].follow(group[reader], by: [nil, 1, 2].randomElement(using: &random)!)
        try readers[reader].expect(group[reader])
      }
    }
    try group.exchange()
    for k in 0..<3 {
      try readers[k].follow(group[k], by: 1)
      try readers[k].expect(group[k])
      // Nothing is repeated, and a new reader gets the same state.
      try readers[k].follow(group[k])
      try readers[k].expect(group[k])
      var late = Reader()
      try late.follow(group[k])
      try late.expect(group[k])
    }
  }

  /// Pending changes are reported when they become valid, and invalid ones when they cease to be.
  @Test(arguments: [false, true]) func pendingChangesAppearOnceValid(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let (one, two, three) = try world.members(.write, .write)
    var reader = Reader()
    try one.put("a", [("n", .integer(1))])
    #expect(try world.converge([one, two, three]) == [])
    try reader.follow(one)
    try reader.expect(one)
    try two.put("a", [("n", .integer(2))])
    try two.put("b", [("n", .integer(2))])
    #expect(try world.converge([two, one]) == [])
    try reader.follow(one)
    try reader.expect(one)
    #expect(reader.records["b"] != nil)
    // Changes after the revocation point become invalid.
    let cut = try #require(try one.store.branches.chain(two.instance)).head.index - 2
    _ = try one.access.revoke(two.instance, after: .index(cut), rotates: false)
    try reader.follow(one, by: 1)
    try reader.expect(one)
    #expect(reader.records["b"] == nil && reader.records["a"]?.revision.depth == 1)
    try one.authorize(two, as: .write)
    try reader.follow(one, by: 1)
    try reader.expect(one)
  }

  /// A position is valid only where everything up to it has happened.
  @Test func unknownPositionIsRefused() throws {
    let group = try TestGroup(2)
    try group[0].put(#"{"_id":"x","n":1}"#)
    let old = try group[0].feed.end()
    try group[0].put(#"{"_id":"x","n":2}"#)
    try group.exchange()
    let end = try group[0].feed.end()
    for text in [end.description, old.description] {
      #expect(throws: KitError.positionUnknown(text)) { try group[1].feed.position(text) }
    }
    #expect(try group[0].feed.position("now") == end && group[0].feed.position("0") == .start)
    for text in [
      "", "x", "1", "-1-000000000000", "1-00000000000", "01-000000000000", "1-00000000000g", "0-000000000000",
    ] {
      #expect(throws: KitError.badPosition(text)) { try group[0].feed.position(text) }
    }
    // As after restoring a backup.
    try group[0].alter("DELETE FROM feed WHERE first > \(old.number)")
    #expect(throws: KitError.positionUnknown(end.description)) { try group[0].feed.position(end.description) }
    #expect(try group[0].feed.position(old.description) == old)
  }

  /// After damage, the feed starts again: no earlier position is valid, and a new reader misses nothing.
  @Test(arguments: [
    "DROP TABLE feed", "DROP TABLE feed_note", "UPDATE revision SET digest = x'00'",
  ]) func feedRestartsAfterDamage(_ damage: String) throws {
    let world = try SyncWorld(sealed: false)
    var one = try world.instance("one")
    for n in 1...3 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.put("b", [("n", .integer(1))])
    let end = try one.feed.end()
    try one.alter(damage)
    one.close()
    one = try world.reopened("one")
    _ = try one.rebuildProjection(dryRun: false)
    #expect(throws: KitError.positionUnknown(end.description)) { try one.feed.position(end.description) }
    var reader = Reader()
    try reader.follow(one)
    try reader.expect(one)
    #expect(reader.records.count == 2)
  }

  @Test func filtersSelectChangesByTypeAndQuery() throws {
    let group = try TestGroup(2)
    let one = group[0]
    try one.put(#"{"_id":"h1","_type":"host","n":1}"#)
    try one.put(#"{"_id":"p1","_type":"person","n":9}"#)
    try one.put(#"{"_id":"h1","_type":"thing","n":5}"#)
    try one.put(#"{"_id":"h2","_type":"host","n":7}"#)
    try one.delete("h2")
    func effects(_ types: String..., where sql: String? = nil, limit: Int? = nil) throws -> [String] {
      var filter = FeedFilter()
      filter.types = types
      filter.limit = limit
      filter.query = try sql.map { try RecordQuery(RecordFilter(), .init($0, [])) }
      var told: [String] = []
      try one.feed.forEach(after: .start, filter) {
        told.append("\($0.id) \($0.effect.rawValue)")
        return true
      }
      return told
    }
    #expect(try effects("host") == ["h1 created", "h1 updated", "h2 created", "h2 deleted"])
    #expect(try effects("host", limit: 2) == ["h1 created", "h1 updated"])
    #expect(try effects("thing") == ["h1 updated"])
    #expect(try effects("person", "thing") == ["p1 created", "h1 updated"])
    // A deleted record cannot be compared with a condition.
    #expect(try effects(where: "n > 6") == ["p1 created", "h2 created", "h2 deleted"])
    #expect(try effects(where: "n = 5") == ["h1 created", "h1 updated", "h2 created", "h2 deleted"])
    try group.exchange()
    try group[0].put(#"{"_id":"p1","_type":"person","n":10}"#)
    try group[1].put(#"{"_id":"p1","_type":"person","n":11}"#)
    let start = try one.feed.end()
    try group.exchange()
    var changes: [FeedChange] = []
    try one.feed.forEach(after: start) {
      changes.append($0)
      return true
    }
    let change = try #require(changes.first)
    #expect(changes.count == 1 && change.isConflict && !change.isOwn && change.block?.instance == group[1].instance)
    #expect(change.effect == (change.old == change.new ? .lost : .updated))
    #expect((change.lost == nil) == (change.effect == .updated))
  }

  /// All changes of a block take one row, and their authors are known.
  @Test func manyChangesTakeOneRow() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    let batch = WriteBatch(label: "many")
    for k in 0..<500 {
      try batch.addEdit("r\(k)", type: nil, .none, mustExist: false) { _ in .dictionary(Members([("n", .integer(1))])) }
    }
    _ = try one.records.write(batch)
    #expect(try one.feed.end().number == 500)
    #expect(try one.store.feed.notes(from: 1, through: 500).isEmpty)
    #expect(one.feed.drainAdded() == [1...500] && one.feed.drainAdded() == [])
    try one.put("r1", [("n", .integer(3))])
    for (range, ids) in [(10...12, 3), (499...501, 3), (1...1, 1), (501...600, 1)] as [(ClosedRange<Int64>, Int)] {
      var told = 0
      try one.feed.forEach(numbers: range) { change in
        #expect(range.contains(change.position.number))
        told += 1
      }
      #expect(told == ids)
    }
    #expect(one.feed.drainAdded() == [501...501])
    _ = try? one.store.write {
      _ = try one.put("r1", [("n", .integer(2))])
      throw KitError.notRecovery
    }
    #expect(one.feed.drainAdded() == [])
  }
}
