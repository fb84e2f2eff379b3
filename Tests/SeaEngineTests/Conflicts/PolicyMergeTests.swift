import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// The effect of merge settings on databases that sync: shared, local and contradictory ones.
@Suite(.plainAndSealed) struct PolicyMergeTests {
  private func group(
    _ count: Int = 2, own: [Int: [String: String]] = [:], share: [String: String] = [:]
  ) throws -> MergeGroup {
    let group = try MergeGroup(count, own: own)
    try group[0].put(#"{"_id":"x","_type":"t","a":0,"b":0,"d":{"e":0}}"#)
    for (key, value) in share.sorted(by: { $0.key < $1.key }) { try group.share(key, value) }
    try group.converge()
    return group
  }

  private func expect(
    _ group: MergeGroup, _ shown: String?, clashes: [String] = [], merges: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try group.converge() != nil, sourceLocation: location)
    #expect(try group.texts("x").count == 1, sourceLocation: location)
    for one in group.all {
      if let shown { #expect(try one.shown("x") == shown, sourceLocation: location) }
      #expect(try one.conflict("x")?.clashes.map(\.pointer) ?? [] == clashes, sourceLocation: location)
      #expect(try one.merges("x").count == merges, sourceLocation: location)
    }
  }

  @Test func nothingMergesIfEveryInstanceDisablesMerging() throws {
    let group = try group(own: [0: ["merge.auto": "off"], 1: ["merge.auto": "off"]])
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 1)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.merges("x") == [] && one.live("x").count == 2) }
    try expect(group, nil, merges: 0)
  }

  @Test func oneInstanceMergesForAll() throws {
    let group = try group(own: [0: ["merge.auto": "off"], 1: ["merge.auto": "clean"]])
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 1)
    try expect(group, #"{"a":1,"b":1,"d":{"e":0}}"#, merges: 1)
  }

  @Test func sharedOffPreventsMergeUntilRemoved() throws {
    let group = try group(share: ["merge.auto": "off"])
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 1)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.merges("x") == []) }
    // After a change of settings, remaining conflicts are merged.
    try group.share("merge.auto", nil)
    try expect(group, #"{"a":1,"b":1,"d":{"e":0}}"#, merges: 1)
  }

  @Test func sharedPolicyGivesSameMergeEverywhere() throws {
    let group = try group(share: ["merge.t.policy": "/a=max", "merge.policy": "newest /b=text /d/e=min"])
    try group[0].change("x", "/b") { _ in .string("a\nb\nc\n") }
    try group.converge()
    for (k, one) in group.all.enumerated() {
      try one.set("x", "/a", Int64(k + 1))
      try one.set("x", "/d/e", Int64(k + 1))
      try one.change("x", "/b") { _ in .string(k == 0 ? "A\nb\nc\n" : "a\nb\nC\n") }
    }
    try group.push()
    for one in group.all { try one.exchange("team", .pull) }
    #expect(try group[0].live("x") == group[1].live("x"))
    try expect(group, #"{"a":2,"b":"A\nb\nC\n","d":{"e":1}}"#, merges: 1)
  }

  /// The work for long texts counts: a record that takes too much stays a conflict for people.
  @Test func textsThatTakeTooMuchWorkAreNotMerged() throws {
    let group = try group(share: ["merge.t.policy": "text"])
    func change(_ path: String, _ count: Int) throws {
      for (k, one) in group.all.enumerated() {
        let changed = k == 0 ? 0..<count : (1500 - count)..<1500
        let lines = (0..<1500).map { changed.contains($0) ? "\(k) \($0)\n" : "\($0)\n" }
        try one.change("x", path) { _ in .string(lines.joined()) }
      }
    }
    for path in ["/a", "/b"] {
      try group[0].change("x", path) { _ in .string((0..<1500).map { "\($0)\n" }.joined()) }
    }
    try group.converge()
    for one in group.all { one.conflicts.mergeSteps = 14_000 }
    try change("/a", 5)
    try group.converge()
    for one in group.all { #expect(try one.merges("x").count == 1 && one.conflict("x") == nil) }
    try change("/b", 700)
    try group.push()
    for one in group.all { try one.exchange("team", .pull) }
    for one in group.all { #expect(try one.merges("x").count == 1 && one.conflict("x")?.isClean == true) }
  }

  @Test func localPolicyOfOneInstanceSettlesConflict() throws {
    let group = try group(3, own: [2: ["merge.t.policy": "max"]])
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/a", 2)
    try expect(group, #"{"a":2,"b":0,"d":{"e":0}}"#, merges: 1)
  }

  /// Each instance merges its own way once; the result is a conflict that local settings do not end.
  @Test(arguments: [["ours", "ours"], ["theirs", "theirs"], ["max", "min"], ["ours", "ours", "ours"]])
  func contradictoryLocalPoliciesLeaveConflict(policies: [String]) throws {
    var own: [Int: [String: String]] = [:]
    for (k, policy) in policies.enumerated() { own[k] = ["merge.policy": policy] }
    let group = try group(policies.count, own: own)
    for (k, one) in group.all.enumerated().prefix(2) { try one.set("x", "/a", Int64(k + 1)) }
    try group.push()
    for one in group.all.prefix(2) { try one.exchange("team", .pull) }
    for one in group.all.prefix(2) { #expect(try one.merges("x").count == 1 && one.conflict("x") == nil) }
    try expect(group, nil, clashes: ["/a"], merges: 2)
    // A shared policy ends it.
    try group.share("merge.t.policy", "/a=max")
    try expect(group, #"{"a":2,"b":0,"d":{"e":0}}"#, merges: 3)
  }

  /// `newest` depends on the first block with a change, not on the order of arrival.
  @Test(arguments: [false, true]) func newestPolicyUsesFirstBlockOfChange(turned: Bool) throws {
    let group = try group(4, own: [3: ["merge.auto": "off"]], share: ["merge.policy": "newest"])
    try group[0].set("x", "/a", 1)
    try group[1].put(#"{"_id":"other1"}"#)
    try group[1].set("x", "/a", 2)
    for k in 0..<3 { try group[2].put(#"{"_id":"third\#(k)"}"#) }
    // The same value as the first one's, but much later.
    try group[2].set("x", "/a", 1)
    let order = turned ? [2, 1, 0] : [0, 1, 2]
    for k in order {
      try group[k].exchange("team", .push)
      try group[3].exchange("team", .pull)
    }
    // For this instance, its own change arrived first.
    try group[2].exchange("team")
    try expect(group, #"{"a":2,"b":0,"d":{"e":0}}"#, merges: 1)
  }

  // MARK: Undone merges

  @Test func undoneMergeIsNotRepeated() throws {
    let group = try group(3)
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 1)
    try expect(group, #"{"a":1,"b":1,"d":{"e":0}}"#, merges: 1)
    try group[1].takeBack("x")
    #expect(try group.converge() != nil)
    for one in group.all {
      let conflict = try #require(try one.conflict("x"))
      #expect(conflict.sides.count == 2 && conflict.isClean && conflict.paths.map(\.pointer) == ["/a", "/b"])
      #expect(try one.merges("x").count == 1)
    }
    // Neither settings nor other records change that.
    try group.share("merge.policy", "max")
    try group[0].put(#"{"_id":"y"}"#)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.live("x").count == 2 && one.merges("x").count == 1) }
    _ = try group[2].conflicts.resolve(["x"], .merge(MergeChoices()), label: "r")
    try expect(group, #"{"a":1,"b":1,"d":{"e":0}}"#, merges: 2)
  }

  /// Continuing with one of the leaf revisions does not decide about the other.
  @Test(arguments: [0, 1]) func editDoesNotRepeatUndoneMerge(side: Int) throws {
    let group = try group()
    try group[0].set("x", "/a", 1)
    try group[1].set("x", "/b", 1)
    try group.converge()
    try group[1].takeBack("x")
    try group.converge()
    let leaf = try #require(try group[0].conflict("x")).sides[side]
    let numbers = try ["/a", "/b"].map { try leaf.body?[PropertyPath($0)]?.json() ?? "-" }
    try group[0].put(
      #"{"_id":"x","_type":"t","a":\#(numbers[0]),"b":\#(numbers[1]),"d":{"e":5}}"#, upon: leaf.leaf.revision)
    #expect(try group.converge() != nil)
    for one in group.all { #expect(try one.live("x").count == 2 && one.merges("x").count == 1) }
  }
}
