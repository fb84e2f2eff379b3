import SeaCore
import SeaEngine
import SeaTestSupport
import Testing
import SeaStore

@Suite struct ResolveTests {
  /// Two instances that edited one record at the same time and know of each other.
  private func divided(_ count: Int = 2) throws -> TestGroup {
    let group = try TestGroup(count)
    try group[0].put(#"{"_id":"x","_type":"t","a":0,"b":0}"#)
    try group.exchange()
    for k in 0..<count { try group[k].put(#"{"_id":"x","_type":"t","a":\#(k + 1),"b":0}"#) }
    try group.exchange()
    return group
  }

  private func resolve(_ database: Database, _ resolution: Resolution) throws -> Resolved {
    try database.conflicts.resolve(["x"], resolution, label: "resolve")[0]
  }

  @Test func oneBlockResolvesConflict() throws {
    let group = try divided(3)
    let conflict = try #require(try group[0].conflict("x"))
    let leaves = conflict.sides.map(\.leaf.revision)
    #expect(leaves.count == 3)
    let head = try #require(try group[0].store.branches.chain(group[0].instance)?.head.index)
    let resolved = try resolve(group[0], .take(leaves[2].description))
    #expect(try group[0].store.branches.chain(group[0].instance)?.head.index == head + 1)
    #expect(resolved.leaves == leaves)
    try group.exchange()
    for one in group.instances {
      #expect(try one.conflict("x") == nil)
      let row = try one.records.find("x")
      let winner = try #require(try one.store.records.winner(of: row))
      #expect(winner.revision == resolved.revision)
      #expect(winner.parentRevision == leaves[0])
      #expect(try one.store.records.change(of: winner).merged == leaves.dropFirst().sorted())
      let ends = try one.store.records.leaves(of: row).dropFirst()
      #expect(ends.map(\.kind) == [.resolved, .resolved])
      #expect(Set(ends.map(\.parentRevision)) == Set(leaves.dropFirst()))
      var successors: [RevisionID?] = []
      try one.history.forEachEvent(of: row) { event in
        if event.leaf.kind == .resolved { successors.append(event.successor) }
        return true
      }
      #expect(successors == [resolved.revision, resolved.revision])
      #expect(try one.store.content(of: winner).body == conflict.sides[2].body)
    }
  }

  @Test func simultaneousEqualResolutionsDoNotConflict() throws {
    let group = try divided()
    let loser = try #require(try group[0].conflict("x")?.sides[1].leaf.revision)
    let both = try group.instances.map { try resolve($0, .take(loser.description)).revision }
    #expect(both[0] == both[1])
    try group.exchange()
    for one in group.instances { #expect(try one.conflict("x") == nil) }
  }

  @Test func simultaneousDifferentResolutionsConflict() throws {
    let group = try divided()
    let before = try #require(try group[0].conflict("x")).sides.map(\.leaf.revision)
    _ = try resolve(group[0], .take(before[0].description))
    _ = try resolve(group[1], .take(before[1].description))
    try group.exchange()
    for one in group.instances {
      let conflict = try #require(try one.conflict("x"))
      #expect(conflict.kind == .edit)
      #expect(conflict.sides.count == 2)
      // Both resolutions have both leaf revisions as ancestors, and the greater of these is the base.
      #expect(conflict.base?.leaf.revision == before[0])
    }
  }

  @Test func editOfResolvedRevisionConflictsAgain() throws {
    let group = try divided()
    let before = try #require(try group[0].conflict("x")).sides.map(\.leaf.revision)
    let resolved = try resolve(group[0], .winner).revision
    let late = try group[1].put(#"{"_id":"x","_type":"t","a":9,"b":9}"#, upon: before[1])
    try group.exchange()
    for one in group.instances {
      let conflict = try #require(try one.conflict("x"))
      #expect(Set(conflict.sides.map(\.leaf.revision)) == [resolved, late])
      // The nearest common ancestor is what the resolution merged, not the first revision.
      #expect(conflict.base?.leaf.revision == before[1])
    }
    _ = try resolve(group[1], .take(late.description))
    try group.exchange()
    for one in group.instances {
      #expect(try one.conflict("x") == nil)
      #expect(try one.json("x") == #"{"a":9,"b":9}"#)
    }
  }

  @Test(arguments: [true, false]) func deletionAgainstEditIsResolvedEitherWay(_ keep: Bool) throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","a":1}"#)
    try group.exchange()
    try group[0].delete("x")
    try group[1].put(#"{"_id":"x","a":2}"#)
    try group.exchange()
    let resolved = try resolve(group[0], keep ? .theirs : .ours)
    #expect(resolved.isDeleted == !keep)
    try group.exchange()
    for one in group.instances {
      #expect(try one.conflict("x") == nil)
      #expect(try one.records.find("x").isDeleted == !keep)
      #expect(try one.json("x") == (keep ? #"{"a":2}"# : nil))
    }
  }

  /// Elements of a set are merged from all sides, whichever side is taken.
  @Test(arguments: [0, 1, 2, 3]) func resolutionKeepsSetElementsOfAllSides(_ choice: Int) throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","a":0,"s":{"$set":[0,9]},"in":{"s":{"$set":[]}}}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","a":1,"s":{"$set":[0,1,9]},"in":{"s":{"$set":[1]}}}"#)
    try group[1].put(#"{"_id":"x","a":2,"s":{"$set":[0,2]},"in":{"s":{"$set":[2]}}}"#)
    try group.exchange()
    let row = try group[0].records.find("x")
    let winner = try #require(try group[0].store.records.winner(of: row)).revision
    let choices: [Resolution] = [.winner, .ours, .theirs, .take(winner.description)]
    let resolved = try resolve(group[0], choices[choice])
    let text = try #require(try group[0].json("x"))
    // An element that one side removed stays if the other side is taken.
    let kept = text.contains(#""a":1"#) ? ",9" : ""
    #expect(resolved.leaves.count == 2)
    #expect(text.contains(#""s":{"$set":[0,1,2\#(kept)]}"#) && text.contains(#""in":{"s":{"$set":[1,2]}}"#))
  }

  /// Undoing a resolution and repeating it keeps the authors of the leaf revisions.
  @Test(arguments: [0, 1]) func undoneResolutionKeepsOursAndTheirs(_ who: Int) throws {
    let group = try divided()
    func sides(_ database: Database) throws -> [String?] {
      let row = try database.records.find("x")
      let sides = try #require(try database.conflict("x")).sides
      let own = sides.filter(\.isOwn).map(\.leaf.revision)
      let ours = try database.records.revision("ours", of: row)
      #expect(own == [ours.revision])
      return try [ours, database.records.revision("theirs", of: row)].map {
        try database.store.content(of: $0).body?.json()
      }
    }
    let before = try group.instances.map { try sides($0) }
    _ = try resolve(group[who], .theirs)
    for _ in 0..<3 {
      _ = try group[who].history.undo(nil)
      try group.exchange()
      #expect(try group.instances.map { try sides($0) } == before)
      _ = try group[who].history.undo(.number(0))
    }
    // The same after another change.
    try group.exchange()
    let body = try #require(try group[who].json("x")).dropFirst()
    try group[1 - who].put(#"{"_id":"x","z":1,\#(body)"#)
    try group.exchange()
    _ = try group[who].history.undo(nil)
    try group.exchange()
    let after = before.map { sides in sides.map { side in side.map { String($0.dropLast()) + #","z":1}"# } } }
    #expect(try group.instances.map { try sides($0) } == after)
  }

  @Test func resolutionWithoutChoiceWritesNothing() throws {
    let group = try divided()
    try group[0].put(#"{"_id":"y","a":1}"#)
    let head = try group[0].store.branches.chain(group[0].instance)?.head
    let revisions = try #require(try group[0].conflict("x")).sides.map(\.leaf.revision)
    #expect {
      _ = try group[0].conflicts.resolve(["y", "x"], .merge(MergeChoices()), label: "resolve")
    } throws: { error in
      guard case KitError.noChoice(let open)? = error as? KitError else { return false }
      return open.count == 1 && open[0].id == "x" && open[0].paths.map(\.pointer) == ["/a"]
        && open[0].paths[0].values.map(\.revision) == revisions
    }
    #expect(throws: KitError.revisionNotFound(id: "x", revision: "9-0000")) { try resolve(group[0], .take("9-0000")) }
    #expect(try group[0].store.branches.chain(group[0].instance)?.head == head)
    #expect(try group[0].conflicts.resolve(["y"], .merge(MergeChoices()), label: "resolve")[0].revision == nil)
    #expect(try group[0].store.branches.chain(group[0].instance)?.head == head)
  }

  @Test func editOfAllConflictingPropertiesResolves() throws {
    let group = try divided()
    func edit(_ name: String) -> ResolutionEdit {
      ResolutionEdit(properties: [name]) { _, content in
        var content = content
        try content.set(.string("new"), at: PropertyPath(names: [name]))
        return content
      }
    }
    #expect(throws: KitError.self) {
      try group[0].conflicts.resolve(["x"], .merge(MergeChoices()), label: "resolve", .init(edit: edit("b")))
    }
    #expect(
      try group[0].conflicts.resolve(
        ["x"], .merge(MergeChoices()), label: "resolve", .init(edit: edit("a"), dryRun: true))[0]
        .revision != nil)
    #expect(try group[0].conflict("x") != nil)
    _ = try group[0].conflicts.resolve(["x"], .merge(MergeChoices()), label: "resolve", .init(edit: edit("a")))
    #expect(try group[0].json("x") == #"{"a":"new","b":0}"#)
  }

  @Test func documentOfOlderRevisionIsStale() throws {
    let group = try divided()
    let conflict = try #require(try group[0].conflict("x"))
    let document = Value.dictionary(Members([("a", .integer(7))]))
    let base = try #require(conflict.base?.leaf.revision)
    #expect(throws: KitError.stale(id: "x", have: conflict.sides[0].leaf.revision, want: base.description)) {
      try resolve(group[0], .with(document, type: nil, revision: base))
    }
    _ = try resolve(group[0], .with(document, type: nil, revision: conflict.sides[1].leaf.revision))
    #expect(try group[0].json("x") == #"{"a":7}"#)
    #expect(try group[0].records.find("x").type == "t")
  }

  /// The resolution adds a new element, and no earlier revision does. Otherwise, another instance could remove it
  /// together with the elements that it has seen.
  @Test func newSetElementsBelongToResolution() throws {
    let group = try TestGroup()
    try group[0].put(#"{"_id":"x","a":0,"s":{"$set":["old"]}}"#)
    try group.exchange()
    for k in 0...1 { try group[k].put(#"{"_id":"x","a":\#(k + 1),"s":{"$set":["old"]}}"#) }
    try group.exchange()
    let document = Value.dictionary(Members([("a", .integer(3)), ("s", .setDraft([.string("old"), .string("new")]))]))
    let resolved = try #require(try resolve(group[0], .with(document, type: nil, revision: nil)).revision)
    let row = try group[0].records.find("x")
    let winner = try #require(try group[0].store.records.winner(of: row))
    guard case .set(let set)? = try group[0].store.content(of: winner).body?.members?["s"] else {
      Issue.record("no set")
      return
    }
    #expect(set.tags(of: .string("new")) == [.revision(resolved.digest)])
    #expect(set.tags(of: .string("old")).count == 1)
    #expect(set.tags(of: .string("old")) != [.revision(resolved.digest)])
  }

  @Test func manyRecordsAreResolvedInOneBlock() throws {
    let group = try TestGroup()
    for k in 0...1 { for id in ["p", "q", "r"] { try group[k].put(#"{"_id":"\#(id)","a":\#(k)}"#) } }
    try group.exchange()
    let head = try #require(try group[0].store.branches.chain(group[0].instance)?.head.index)
    let results = try group[0].conflicts.resolve(group[0].conflicts.ids(), .winner, label: "resolve --winner")
    #expect(results.map(\.id) == ["p", "q", "r"])
    #expect(try group[0].store.branches.chain(group[0].instance)?.head.index == head + 1)
    #expect(try group[0].conflicts.ids() == [])
  }
}
