import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Histories that wrong merges typically get wrong, on databases that sync through folders.
@Suite(.plainAndSealed) struct HardMergeTests {
  /// A group in which all instances have the same record.
  private func group(_ count: Int = 2, _ json: String = #"{"_id":"x","a":0,"b":0,"c":0}"#) throws -> MergeGroup {
    let group = try MergeGroup(count)
    try group[0].put(json)
    try group.converge()
    return group
  }

  /// Checks that the group converges and that all instances show this record.
  private func expect(
    _ group: MergeGroup, _ shown: String?, clashes: [String] = [], merges: Int? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try group.converge() != nil, sourceLocation: location)
    #expect(try group.texts("x").count == 1, sourceLocation: location)
    for one in group.all {
      #expect(try one.shown("x") == shown, sourceLocation: location)
      let conflict = try one.conflict("x")
      #expect(conflict?.clashes.map(\.pointer) ?? [] == clashes, sourceLocation: location)
      if clashes.isEmpty { #expect(conflict == nil, sourceLocation: location) }
      if let merges { #expect(try one.merges("x").count == merges, sourceLocation: location) }
    }
  }

  @Test func simultaneousMergesWriteSameRevision() throws {
    let group = try group()
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 2)
    try group.push()
    for one in group.all { try one.exchange("team", .pull) }
    #expect(try group[0].live("x") == group[1].live("x") && group[0].live("x").count == 1)
    try expect(group, #"{"a":1,"b":2,"c":0}"#, merges: 1)
  }

  @Test func simultaneousEqualResolutionsWriteSameRevision() throws {
    let group = try group()
    for (k, one) in group.all.enumerated() { try one.set("x", "/a", Int64(k + 1)) }
    try group.converge()
    let sides = try #require(try group[0].conflict("x")).leaves
    let made = try group.all.map {
      try $0.conflicts.resolve(["x"], .take(sides[1].description), label: "r")[0].revision
    }
    #expect(made[0] == made[1])
    let taken = try group[0].shown("x")
    try expect(group, taken, merges: 1)
  }

  @Test func simultaneousDifferentResolutionsConflictAgain() throws {
    let group = try group()
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try group.converge()
    for (k, one) in group.all.enumerated() {
      let own = try #require(try one.conflict("x")).sides.first { $0.isOwn }
      _ = try one.conflicts.resolve(["x"], .take(try #require(own).leaf.revision.description), label: "r")
      try one.set("x", k == 0 ? "/b" : "/c", 7)
    }
    try group.converge()
    // Only properties that were resolved differently conflict again.
    let winner = try group[0].shown("x")
    try expect(group, winner, clashes: ["/a"], merges: 2)
    _ = try group[1].conflicts.resolve(["x"], .merge(MergeChoices(prefer: .revision("winner"))), label: "r")
    let end = try #require(try group[1].shown("x"))
    #expect(end.hasSuffix(#""b":7,"c":7}"#))
    try expect(group, end, merges: 3)
  }

  /// The same if the resolution equals the winner's content.
  @Test(arguments: [0, 1]) func editOfResolvedRevisionIsMerged(taken: Int) throws {
    let group = try group(3)
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try group.converge()
    let sides = try #require(try group[0].conflict("x")).sides
    let late = group.all.first { $0.instance == sides[1].author?.instance }!
    _ = try group[2].conflicts.resolve(["x"], .take(sides[taken].leaf.revision.description), label: "r")
    try late.put(#"{"_id":"x","a":\#(try late.value("x", sides[1], "/a")),"b":5,"c":0}"#, upon: sides[1].leaf.revision)
    let a = try late.value("x", sides[taken], "/a")
    // The resolved conflict does not come back, and the late edit is not lost.
    try expect(group, #"{"a":\#(a),"b":5,"c":0}"#, merges: 2)
  }

  @Test func deletionAgainstEditIsNotMergedAutomatically() throws {
    let group = try group()
    try group[0].delete("x")
    try group[1].set("x", "/a", 1)
    try expect(group, #"{"a":1,"b":0,"c":0}"#, clashes: ["/a"], merges: 0)
    #expect(try group[0].conflict("x")?.kind == .deletion)
    _ = try group[0].conflicts.resolve(["x"], .winner, label: "r")
    try expect(group, #"{"a":1,"b":0,"c":0}"#, merges: 1)
  }

  @Test func deletionPreventsMergeOfOtherEdits() throws {
    let group = try group(3)
    try group[0].delete("x")
    try group[1].set("x", "/a", 1)
    try group[2].set("x", "/b", 1)
    #expect(try group.converge() != nil)
    for one in group.all {
      #expect(try one.merges("x") == [] && one.conflict("x")?.sides.count == 3)
    }
    #expect(try group.texts("x").count == 1)
  }

  @Test func propertyTypeChangedOnOneSideMerges() throws {
    let group = try group()
    try group[0].change("x", "/a") { _ in .string("one") }
    try group[1].set("x", "/b", 1)
    try expect(group, #"{"a":"one","b":1,"c":0}"#, merges: 1)
    try group[0].change("x", "/c") { _ in .dictionary(Members([("n", .integer(1))])) }
    try group[1].set("x", "/c", 2)
    try group.converge()
    let winner = try group[0].shown("x")
    try expect(group, winner, clashes: ["/c"], merges: 1)
  }

  @Test func threeLeafRevisionsMergeAtOnce() throws {
    let group = try group(3)
    for (one, path) in zip(group.all, ["/a", "/b", "/c"]) { try one.set("x", path, 7) }
    try group.push()
    for one in group.all { try one.exchange("team", .pull) }
    try expect(group, #"{"a":7,"b":7,"c":7}"#, merges: 1)
  }

  @Test func conflictOfTwoPreventsMergeOfThird() throws {
    let group = try group(3)
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try group[2].set("x", "/b", 3)
    try group.push()
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.merges("x") == [] && one.live("x").count == 3) }
    _ = try group[2].conflicts.resolve(["x"], .merge(MergeChoices(prefer: .revision("winner"))), label: "r")
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.live("x").count == 1 && one.merges("x").count == 1) }
    #expect(try group[0].shown("x")?.contains(#""b":3"#) == true)
  }

  /// Each pair merges separately before the pairs meet.
  @Test func mergedRevisionsMergeAgain() throws {
    let group = try MergeGroup()
    for folder in ["east", "east", "west", "west"] { try group.add([folder, "all"]) }
    try group[0].put(#"{"_id":"x","a":0,"b":0,"c":0,"d":0}"#)
    try group.converge()
    for (one, path) in zip(group.all, ["/a", "/b", "/c", "/d"]) { try one.set("x", path, 7) }
    for _ in 0..<2 {
      for (one, folder) in zip(group.all, ["east", "east", "west", "west"]) { try one.exchange(folder) }
    }
    #expect(try group[0].merges("x").count == 1 && group[2].merges("x").count == 1)
    try group[1].set("x", "/a", 8)
    try expect(group, #"{"a":8,"b":7,"c":7,"d":7}"#, merges: 3)
  }

  /// Bases are merged one level deep. From the second time on, each property with different values conflicts.
  @Test func repeatedCrissCrossMergeConflictsOnAllProperties() throws {
    let group = try group()
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try group.converge()
    let path = try PropertyPath("/a")
    // Both resolve repeatedly, each in another way, and continue.
    for k in 1...2 {
      for (at, one) in group.all.enumerated() {
        let side = try #require(try one.conflict("x")).sides.first { try one.value("x", $0, "/a") == "\(at + 1)" }
        let pick = (path: path, choice: MergeChoices.Choice.revision(try #require(side).leaf.revision.description))
        _ = try one.conflicts.resolve(["x"], .merge(MergeChoices(picks: [pick])), label: "r")
        try one.set("x", at == 0 ? "/b" : "/c", Int64(k))
      }
      #expect(try group.converge() != nil)
      let clashes = k < 2 ? ["/a"] : ["/a", "/b", "/c"]
      for one in group.all { #expect(try one.conflict("x")?.clashes.map(\.pointer) == clashes, "\(k)") }
    }
    _ = try group[0].conflicts.resolve(["x"], .merge(MergeChoices(prefer: .revision("winner"))), label: "r")
    let end = try #require(try group[0].shown("x"))
    try expect(group, end, merges: 5)
  }

  @Test func deletionOnBothSidesIsNoConflict() throws {
    let group = try group()
    for one in group.all { try one.delete("x") }
    try expect(group, nil, merges: 0)
    try group[0].put(#"{"_id":"x","a":1}"#)
    try expect(group, #"{"a":1}"#)
    // One of the two edits first.
    try group[0].set("x", "/a", 2)
    try group[0].delete("x")
    try group[1].delete("x")
    try expect(group, nil, merges: 0)
  }

  @Test func deletionOfUneditedRecordIsNoConflict() throws {
    let group = try group()
    try group[1].delete("x")
    try expect(group, nil, merges: 0)
  }

  @Test func recordsCreatedTwiceOrRecreatedMerge() throws {
    let group = try group()
    try group[0].put(#"{"_id":"y","a":1}"#)
    try group[1].put(#"{"_id":"y","b":1}"#)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.shown("y") == #"{"a":1,"b":1}"#) }
    try group[0].delete("x")
    try group[0].put(#"{"_id":"x","a":9}"#)
    try group[1].delete("x")
    try group[1].put(#"{"_id":"x","b":9}"#)
    try expect(group, #"{"a":9,"b":9}"#, merges: 1)
  }

  /// There are more leaf revisions than a revision can name.
  @Test func sixtyEightLeafRevisionsMerge() throws {
    let group = try group(68, #"{"_id":"x","n":{"$counter":0}}"#)
    for (k, one) in group.all.enumerated() {
      try one.set("x", "/p\(k)", 1)
      try one.count("x", "/n", 1)
    }
    try group.push()
    for one in group.all.prefix(2) { try one.exchange("team") }
    for _ in 0..<3 { for one in group.all.prefix(2) { try one.exchange("team") } }
    #expect(try group[0].text("x") == group[1].text("x"))
    #expect(try group[0].live("x").count == 1)
    let shown = try #require(try group[0].shown("x"))
    #expect(shown.contains(#""n":{"$counter":68}"#))
    #expect(shown.split(separator: ",").count == 69)
  }
}

extension Database {
  /// The value of a conflict side at a path, as JSON.
  fileprivate func value(_ id: String, _ side: Conflict.Side, _ path: String) throws -> String {
    try side.body?[PropertyPath(path)]?.json() ?? "-"
  }
}
