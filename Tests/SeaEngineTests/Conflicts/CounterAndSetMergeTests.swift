import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Counters and sets on databases that sync: no count and no element is lost.
@Suite(.plainAndSealed) struct CounterAndSetMergeTests {
  private func group(_ count: Int, _ json: String, own: [Int: [String: String]] = [:]) throws -> MergeGroup {
    let group = try MergeGroup(count, own: own)
    try group[0].put(json)
    try group.converge()
    return group
  }

  private func expect(_ group: MergeGroup, _ shown: String, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(try group.converge() != nil, sourceLocation: location)
    for one in group.all { #expect(try one.shown("x") == shown, sourceLocation: location) }
  }

  @Test func counterResetSubtractsOnlyKnownCounts() throws {
    let group = try group(3, #"{"_id":"x","n":{"$counter":5}}"#)
    try group[0].put(#"{"_id":"x","n":{"$counter":0}}"#)
    try group[1].count("x", "/n", 2)
    try group[2].count("x", "/n", -1)
    try expect(group, #"{"n":{"$counter":1}}"#)
    for one in group.all { #expect(try one.live("x").count == 1) }
  }

  /// One side removes elements, and the other side adds some of them again.
  @Test func setElementAddedAgainSurvivesRemoval() throws {
    let group = try group(2, #"{"_id":"x","s":{"$set":["a","b","c"]}}"#)
    for name in ["a", "b"] { try group[0].element("x", "/s", name, isThere: false) }
    try group[1].element("x", "/s", "a", isThere: false)
    try group[1].element("x", "/s", "a", isThere: true)
    try group[1].element("x", "/s", "d", isThere: true)
    try expect(group, #"{"s":{"$set":["a","c","d"]}}"#)
    try group[1].element("x", "/s", "a", isThere: false)
    try expect(group, #"{"s":{"$set":["c","d"]}}"#)
  }

  /// The visible counter is the sum of all leaf revisions, and counting continues from it.
  @Test func countersSumWhileOtherPropertiesConflict() throws {
    let group = try group(2, #"{"_id":"x","a":0,"n":{"$counter":0}}"#)
    for (k, one) in group.all.enumerated() {
      try one.set("x", "/a", Int64(k + 1))
      try one.count("x", "/n", 3)
    }
    #expect(try group.converge() != nil)
    for _ in 0..<3 {
      for one in group.all { try one.count("x", "/n", 1) }
      #expect(try group.converge() != nil)
    }
    for one in group.all {
      #expect(try one.shown("x")?.hasSuffix(#""n":{"$counter":12}}"#) == true)
      #expect(try one.conflict("x")?.clashes.map(\.pointer) == ["/a"])
    }
    // No count is lost, whichever side is taken.
    let loser = try #require(try group[0].conflict("x")).leaves[1]
    _ = try group[0].conflicts.resolve(["x"], .take(loser.description), label: "r")
    try group[1].count("x", "/n", 1)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.shown("x")?.hasSuffix(#""n":{"$counter":13}}"#) == true) }
  }

  /// A losing leaf revision may contain fewer of its author's own counts than another one.
  @Test func countOnLosingRevisionIsNotLost() throws {
    let group = try group(2, #"{"_id":"x","a":0,"n":{"$counter":0}}"#, own: [0: ["merge.auto": "off"]])
    try group[1].set("x", "/a", 1)
    try group[0].set("x", "/a", 2)
    try group[0].count("x", "/n", 5)
    try group[0].count("x", "/n", 5)
    #expect(try group.converge() != nil)
    let sides = try #require(try group[0].conflict("x")).sides
    #expect(sides[0].isOwn && !sides[1].isOwn)
    try group[0].put(#"{"_id":"x","a":1,"n":{"$counter":1}}"#, upon: sides[1].leaf.revision)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.shown("x")?.hasSuffix(#""n":{"$counter":11}}"#) == true) }
  }

  /// A resolution keeps an element that one side removed. It then stays, even if that side is edited.
  @Test func setElementKeptByResolutionSurvivesLaterEdit() throws {
    let group = try group(4, #"{"_id":"x","a":0,"b":0,"s":{"$set":["e"]}}"#, own: [3: ["merge.auto": "off"]])
    try group[0].element("x", "/s", "e", isThere: false)
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try group[1].set("x", "/b", 0)
    #expect(try group.converge() != nil)
    let sides = try #require(try group[2].conflict("x")).sides
    let keeps = try #require(sides.first { $0.author?.instance == group[1].instance })
    let gone = try #require(sides.first { $0.author?.instance == group[0].instance })
    _ = try group[2].conflicts.resolve(["x"], .take(keeps.leaf.revision.description), label: "r")
    try group[0].put(#"{"_id":"x","a":1,"b":7,"s":{"$set":[]}}"#, upon: gone.leaf.revision)
    // The last instance sees both, unmerged.
    for k in [2, 0] { try group[k].exchange("team", .push) }
    try group[3].exchange("team", .pull)
    #expect(try group[3].live("x").count == 2)
    #expect(try group[3].shown("x")?.contains(#""s":{"$set":["e"]}"#) == true)
    try expect(group, #"{"a":2,"b":7,"s":{"$set":["e"]}}"#)
  }
}
