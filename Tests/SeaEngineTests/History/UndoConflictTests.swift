import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

@Suite struct UndoConflictTests {
  /// All facts about a conflict except the names of its leaf revisions.
  private struct Picture: Equatable {
    var kind: Conflict.Kind
    var base: RevisionID?
    var sides: [String]

    init?(_ database: Database, _ id: String = "x") throws {
      guard let conflict = try database.conflict(id) else { return nil }
      kind = conflict.kind
      base = conflict.base?.leaf.revision
      sides = try conflict.sides.map { "\($0.type ?? "-") \(try $0.body?.json() ?? "deleted")" }.sorted()
    }
  }

  private func body(_ random: inout SeededRandom) -> String {
    let n = Int.random(in: 0..<3, using: &random)
    let set = (0...n).map { "\(($0 * 3 + n) % 5)" }.joined(separator: ",")
    return #""_type":"t\#(n / 2)","n":\#(n),"s":{"$set":[\#(set)]},"c":{"$counter":\#(n)}"#
  }

  /// Makes a record with some kind of conflict between two or three instances.
  private func divided(_ random: inout SeededRandom) throws -> TestGroup {
    while true {
      let group = try TestGroup(3)
      if Int.random(in: 0..<5, using: &random) > 0 {
        try group[0].put(#"{"_id":"x",\#(body(&random))}"#)
        try group.exchange()
      }
      let isThere = try group[0].store.records.record("x") != nil
      for one in group.instances.prefix(Int.random(in: 2...3, using: &random)) {
        for _ in 0..<Int.random(in: 1...2, using: &random) { try one.put(#"{"_id":"x",\#(body(&random))}"#) }
        if isThere, Int.random(in: 0..<4, using: &random) == 0 { try one.delete("x") }
      }
      try group.exchange()
      if try group[0].conflict("x") != nil { return group }
    }
  }

  private func resolve(_ database: Database, _ random: inout SeededRandom) throws {
    let sides = try #require(try database.conflict("x")).sides
    let resolution: Resolution
    switch Int.random(in: 0..<4, using: &random) {
    case 0: resolution = .winner
    case 1: resolution = .with(nil, type: nil, revision: nil)
    case 2:
      resolution = .with(
        .dictionary(
          Members([("n", .integer(9)), ("s", .setDraft([.integer(1), .integer(9)])), ("c", .counterDraft(7))])),
        type: "t", revision: nil)
    default: resolution = .take(sides.randomElement(using: &random)!.leaf.revision.description)
    }
    _ = try database.conflicts.resolve(["x"], resolution, label: "resolve")
  }

  private func shown(_ database: Database) throws -> String? {
    let row = try database.records.find("x")
    let leaf = try #require(try database.store.records.winner(of: row))
    let content = try database.store.content(of: leaf)
    return try content.body.map { "\(content.type ?? "-") \(try $0.json())" }
  }

  @Test(arguments: TestSeed.some(24)) func undoOfResolutionRestoresConflict(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try divided(&random)
    let database = group[0]
    let conflict = try #require(try Picture(database))
    try resolve(database, &random)
    #expect(try Picture(database) == nil)
    let resolved = try shown(database)
    let resolution = try database.history.operation(.number(0)).name.dropFirst(3)
    for round in 0..<3 {
      // By the operation's own name, or by that of the undo that restored it.
      let name = round == 1 ? .digest(String(resolution)) : OperationName?.none
      let undone = try database.history.undo(name)
      #expect(undone.records.map(\.effect) == [.reopened])
      #expect(undone.records[0].revisions.count == 1 + conflict.sides.count)
      #expect(try Picture(database) == conflict, "seed \(seed)")
      // Other instances see the same, and a later look gives the expected result.
      try group.exchange()
      for one in group.instances { #expect(try Picture(one) == conflict) }
      #expect(try database.history.undo(.number(0)).records.map(\.effect) == [.resolved])
      #expect(try Picture(database) == nil)
      #expect(try shown(database) == resolved)
    }
    try group.exchange()
    for one in group.instances {
      #expect(try Picture(one) == nil && shown(one) == resolved)
      #expect(try one.store.projection.digest() == database.store.projection.digest())
    }
  }

  /// A change on top of a resolution that was undone does not prevent the undo, but a change by another instance does.
  @Test(arguments: TestSeed.some(6)) func resolutionWithLaterChangeCanBeUndone(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try divided(&random)
    let database = group[0]
    let conflict = try #require(try Picture(database))
    _ = try database.conflicts.resolve(["x"], .winner, label: "resolve")
    let name = OperationName.digest(String(try database.history.operation(.number(0)).name.dropFirst(3)))
    try group.exchange()
    let before = try shown(database)
    try database.put(#"{"_id":"x","on":"top"}"#)
    _ = try database.history.undo(nil)
    #expect(try shown(database) == before)
    if seed % 2 == 0 {
      _ = try database.history.undo(.number(0))
      _ = try database.history.undo(.number(0))
    }
    _ = try database.history.undo(name)
    #expect(try Picture(database) == conflict)
    _ = try database.history.undo(.number(0))
    try group.exchange()
    #expect(try shown(group[1]) == before)
    try group[1].put(#"{"_id":"x","of":"another"}"#)
    try group.exchange()
    // A later change of another instance is in each of the leaf revisions, if possible.
    let other = try shown(database)
    if (try? database.history.undo(name)) != nil {
      #expect(try Picture(database)?.sides.allSatisfy { $0.contains(#""of":"another""#) } == true)
      _ = try group.exchange(merging: true)
      #expect(try Picture(group[2]) == Picture(database) && Picture(database) != nil)
      _ = try database.history.undo(.number(0))
    }
    #expect(try shown(database) == other && Picture(database) == nil)
  }

  /// Two instances that undo the same merge write the same revisions, and these are not merged again until a user asks
  /// for it.
  @Test func undoneMergeIsNotRepeated() throws {
    let group = try TestGroup(3)
    try group[0].put(#"{"_id":"x","a":0,"b":0,"s":{"$set":[1]}}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","a":1,"b":0,"s":{"$set":[1,2]}}"#)
    try group[1].put(#"{"_id":"x","a":0,"b":1,"s":{"$set":[3]}}"#)
    try group.exchange()
    let conflict = try #require(try Picture(group[0]))
    for k in 0...1 { #expect(try group[k].conflicts.merge().count == 1) }
    let merged = try #require(try shown(group[0]))
    try group.exchange([0, 1])
    for k in 0...1 {
      #expect(try group[k].history.effects(of: group[k].history.operation(.number(0))) == [.merged: 1])
      #expect(try group[k].history.undo(.number(0)).records.map(\.effect) == [.reopened])
    }
    try group.exchange(merging: true)
    for one in group.instances {
      #expect(try Picture(one) == conflict)
      #expect(try one.store.projection.digest() == group[0].store.projection.digest())
    }
    #expect(try group[1].history.undo(.number(0)).records.map(\.effect) == [.resolved])
    try group.exchange(merging: true)
    for one in group.instances { #expect(try Picture(one) == nil && shown(one) == merged) }
    // An undo that the other instance has undone cannot be undone again.
    #expect(throws: KitError.self) { try group[0].history.undo(.number(0)) }
  }

  /// After the undo of a resolution, each side still belongs to its author, who can be named.
  @Test func undoneResolutionKeepsAuthors() throws {
    let group = try TestGroup(2)
    try group[0].put(#"{"_id":"x","n":0}"#)
    try group.exchange()
    for k in 0...1 { try group[k].put(#"{"_id":"x","n":\#(k + 1)}"#) }
    try group.exchange()
    for resolution in [
      Resolution.winner, .take("i1"), .with(.dictionary(Members([("n", .integer(9))])), type: nil, revision: nil),
    ] {
      _ = try group[0].conflicts.resolve(["x"], resolution, label: "resolve")
      _ = try group[0].history.undo(nil)
      let sides = try #require(try group[0].conflict("x")).sides
      #expect(Set(sides.map { $0.owner?.instance }) == Set(group.instances.map(\.folder.instance)))
      for side in sides {
        #expect(side.isOwn == (side.owner?.instance == group[0].folder.instance))
        #expect(try side.body?.json() == (side.isOwn ? #"{"n":1}"# : #"{"n":2}"#))
      }
    }
    _ = try group[0].conflicts.resolve(["x"], .take("i1"), label: "resolve")
    #expect(try shown(group[0])?.contains("2") == true)
  }

  @Test func undoOfDeletionRestoresConflict() throws {
    var random = SeededRandom(TestSeed.value &+ 5)
    let group = try TestGroup(2)
    try group[0].put(#"{"_id":"x",\#(body(&random))}"#)
    try group.exchange()
    for k in 0...1 { try group[k].put(#"{"_id":"x","n":\#(k)}"#) }
    try group.exchange()
    let conflict = try #require(try Picture(group[0]))
    try group[0].delete("x")
    #expect(try Picture(group[0]) == nil)
    #expect(try group[0].history.undo(nil).records[0].revisions.count == 2)
    #expect(try Picture(group[0]) == conflict)
    _ = try group[0].history.undo(.number(0))
    #expect(try Picture(group[0]) == nil && shown(group[0]) == nil)
  }

  // MARK: Counters and sets

  /// The counter's sum over all live leaf revisions.
  private func count(_ database: Database) throws -> Int128 {
    var sum = SeaCore.Counter()
    for leaf in try database.store.records.leaves(of: database.records.find("x")) {
      if case .counter(let counter)? = try database.store.content(of: leaf).body?[PropertyPath("in.c")] {
        sum = sum.joined(counter)
      }
    }
    return sum.value
  }

  private func add(_ delta: Int64, _ database: Database, upon leaf: RevisionID? = nil) throws {
    let batch = WriteBatch(label: "count")
    try batch.addEdit("x", type: nil, leaf.map { .revision($0.description) } ?? .none, mustExist: false) { old in
      var members = old?.members ?? Members()
      var counter = SeaCore.Counter()
      if case .counter(let known)? = members["in"]?.members?["c"] { counter = known }
      members["in"] = .dictionary(Members([("c", .counterDraft(counter.value + Int128(delta)))]))
      members["n"] = .integer(delta)
      return .dictionary(members)
    }
    _ = try database.records.write(batch)
  }

  /// An undo subtracts what its operation changed of the sum, whatever was counted in other branches.
  @Test(arguments: TestSeed.some(12)) func undoSubtractsOnlyOwnCount(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    try add(5, group[0])
    try group.exchange()
    var deltas: [String: Int128] = [:]
    var undos = 0
    // At least forty steps, and more until something was undone.
    for step in 1...400 where step <= 40 || undos < 5 {
      let who = Int.random(in: 0..<3, using: &random)
      let database = group[who]
      let before = try count(database)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: try group.exchange()
      case 1...3:
        let leaves = try database.store.records.leaves(of: database.records.find("x")).filter { $0.kind == .put }
        let leaf = leaves.randomElement(using: &random)!.revision
        try add(Int64(step * 10) * (Bool.random(using: &random) ? 1 : -1), database, upon: leaf)
        deltas[try database.history.operation(.number(0)).name] = try count(database) - before
      default:
        let name = Bool.random(using: &random) ? nil : OperationName.number(Int.random(in: 0..<3, using: &random))
        guard let undone = try? database.history.undo(name), undone.records.contains(where: { !$0.revisions.isEmpty })
        else {
          #expect(try count(database) == before)
          continue
        }
        // The first operation made the record; without it there is no counter.
        guard let delta = deltas[undone.operation.name], try !database.records.find("x").isDeleted else {
          _ = try database.history.undo(.number(0))
          #expect(try count(database) == before)
          continue
        }
        #expect(try count(database) == before - delta, "seed \(seed), step \(step)")
        deltas[try database.history.operation(.number(0)).name] = -delta
        undos += 1
      }
    }
    #expect(undos > 4)
  }

  /// A set is restored with its former tags; an element that was removed and added again is new.
  @Test func undoKeepsTagsOfSetElements() throws {
    let group = try TestGroup(2)
    let added = try group[0].put(#"{"_id":"x","s":{"$set":["old","kept"]}}"#)
    try group[0].put(#"{"_id":"x","s":{"$set":["kept","new"]}}"#)
    try group.exchange()
    // Another instance without knowledge of the undo removes the kept elements and adds one.
    try group[1].put(#"{"_id":"x","s":{"$set":["new","theirs"]}}"#)
    _ = try group[0].history.undo(nil)
    let leaf = try #require(try group[0].store.records.winner(of: group[0].records.find("x")))
    guard case .set(let set)? = try group[0].store.content(of: leaf).body?.members?["s"] else {
      Issue.record("no set")
      return
    }
    #expect(set.tags(of: .string("kept")) == [.revision(added.digest)])
    #expect(set.tags(of: .string("old")) == [.revision(leaf.revision.digest)])
    #expect(set.tags(of: .string("new")).isEmpty)
    try group.exchange()
    // Merged: "kept" was removed there, "new" here, and "old" was restored.
    let merged = try #require(try group[1].conflict("x")).paths.first?.merged
    #expect(try merged?.json() == #"{"$set":["old","theirs"]}"#)
  }
}
