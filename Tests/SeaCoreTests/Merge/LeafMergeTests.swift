import SeaCore
import Testing

/// The hard cases: who merges what against which base.
@Suite struct LeafMergeTests {
  private func clashes(_ merge: LeafMerge) -> [String] { merge.clashes.map(\.pointer) }

  @Test func leavesMergeAgainstTheirCommonAncestor() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1}"#)
    let x = try history.put(#"{"a":2,"b":1}"#, root)
    let y = try history.put(#"{"a":1,"b":2}"#, root)
    #expect(history.graph.nearestCommon([x], [y]) == [root])
    #expect(history.graph.nearestCommon([x], [root]) == [root])
    let merge = history.merge()
    #expect(try merge.isClean && history.json(merge.content) == #"{"a":2,"b":2}"#)
    #expect(merge.leaves.map(\.revision) == [x, y].sorted(by: >))
  }

  @Test func independentAutomaticMergesAreIdentical() throws {
    var here = MergeHistory()
    let root = try here.put(#"{"a":1,"b":1,"c":{"x":1}}"#)
    try here.put(#"{"a":2,"b":1,"c":{"x":1,"y":1}}"#, root)
    try here.put(#"{"a":1,"b":2,"c":{}}"#, root)
    var there = here
    let (x, y) = (try here.mergeAlone(), try there.mergeAlone())
    #expect(x != nil && x == y)
    #expect(Set(here.nodes.keys) == Set(there.nodes.keys))
    for (revision, node) in here.nodes { #expect(there.nodes[revision]?.bytes == node.bytes) }
    #expect(here.live == [x] && here.leaves.count == 2)
    #expect(try here.mergeAlone() == nil)
  }

  @Test func identicalResolutionsAreOneRevision() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let leaves = try [history.put(#"{"a":2}"#, root), history.put(#"{"a":3}"#, root)].sorted(by: >)
    #expect(clashes(history.merge()) == ["/a"])
    let content = history.nodes[leaves[1]]!.content
    let here = try history.resolve(leaves, content)
    let there = try history.resolve(leaves, content)
    #expect(here == there && history.live == [here])
  }

  @Test func differentResolutionsConflictAgain() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1,"c":1}"#)
    let leaves = try [history.put(#"{"a":2,"b":1,"c":1}"#, root), history.put(#"{"a":3,"b":2,"c":1}"#, root)]
      .sorted(by: >)
    // Each took what one of the leaves said: that is no reason to prefer the other one's choice.
    let one = try history.resolve(leaves, Content(type: nil, body: Value.json(#"{"a":2,"b":2,"c":1}"#)))
    let two = try history.resolve(leaves, Content(type: nil, body: Value.json(#"{"a":3,"b":2,"c":5}"#)))
    #expect(history.graph.nearestCommon([one], [two]) == leaves)
    let base = history.graph.base(of: [one], two)
    #expect(base.open.map(\.pointer) == ["/a"])
    #expect(base.content.body?.members?["b"] == .integer(2))
    let merge = history.merge()
    #expect(clashes(merge) == ["/a"])
    #expect(merge.steps[0].paths.filter { $0.state != .same }.map(\.path.pointer) == ["/a", "/c"])
    // Once it is settled, it stays so.
    let end = try history.resolve(history.live, merge.content!)
    #expect(history.live == [end])
  }

  /// Both sides resolve one conflict in two ways, time and again. From the second time on, the two revisions that they
  /// come from have two nearest common ancestors in turn, so their base is unknown, and what differs in them is open.
  @Test func basesAreMergedOneLevelDeep() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"n":0}"#)
    var sides = try [history.put(#"{"a":1,"n":1}"#, root), history.put(#"{"a":2,"n":0}"#, root)]
    for (rung, open) in [[], ["/a", "/n"], ["/a", "/n"]].enumerated() {
      sides = try [#"{"a":1,"n":1,"k":\#(rung)}"#, #"{"a":2,"n":0,"k":\#(rung)}"#].map { json in
        try history.resolve(sides.sorted(by: >), Content(type: nil, body: Value.json(json)))
      }
      let base = history.graph.base(of: [sides.max()!], sides.min()!)
      #expect(base.open.map(\.pointer) == open)
    }
  }

  /// Of seventeen nearest common ancestors there is no base, of sixteen there is.
  @Test(arguments: [16, 17]) func basesHaveAtMostSixteenAncestors(_ count: Int) throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let leaves = try (0..<count).map { try history.put("{\"a\":1,\"b\($0)\":1}", root) }.sorted(by: >)
    let sides = try (0..<2).map { side in
      try history.add(
        Content(type: nil, body: Value.json("{\"a\":1,\"side\":\(side)}")), parent: leaves[0],
        merged: Array(leaves.dropFirst()))
    }
    let base = history.graph.base(of: [sides[0]], sides[1])
    #expect(base.open.map(\.pointer) == (count > 16 ? [""] : []))
    #expect(base.content.body?.members?.count == (count > 16 ? nil : count + 1))
  }

  /// The nearest that both come from has ended; what it came from in turn, and one of them directly, is not the base: what was
  /// made again after a deletion starts from nothing.
  @Test func endedRevisionIsNearerThanItsAncestors() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let second = try history.put(#"{"a":1,"d":1}"#, root)
    let deleted = try history.add(.deleted, parent: second)
    let ended = try history.add(.deleted, parent: deleted, kind: .resolved)
    let anew = try history.put(#"{"t":1}"#, ended)
    // The search finds this only through a revision that it visits after the second one.
    var other = second
    for x in 0..<64 where other >= second {
      other = try history.add(Content(type: nil, body: Value.json("{\"x\":\(x)}")), parent: root, merged: [ended])
    }
    let taken = try history.add(
      Content(type: nil, body: Value.json(#"{"a":1,"y":1}"#)), parent: second, merged: [other])
    #expect(history.graph.nearestCommon([anew], [taken]) == [ended])
    let base = history.graph.base(of: [anew], taken)
    #expect(base.content.body?.members?["a"] == nil && base.open.isEmpty)
  }

  @Test func editOfResolvedBranchMergesCleanly() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1}"#)
    let leaves = try [history.put(#"{"a":2,"b":1}"#, root), history.put(#"{"a":3,"b":1}"#, root)].sorted(by: >)
    let lost = leaves[1]
    let merged = try history.resolve(leaves, history.nodes[leaves[0]]!.content)
    // Somebody who does not know that goes on with what lost.
    var body = history.nodes[lost]!.content.body!
    try body.set(.integer(7), at: PropertyPath("/b"))
    let late = try history.add(Content(type: nil, body: body), parent: lost)
    #expect(Set(history.live) == [merged, late])
    #expect(history.graph.nearestCommon([merged], [late]) == [lost])
    let merge = history.merge()
    // The clash that was settled does not come back, and the late edit is not lost.
    #expect(merge.isClean)
    #expect(merge.content?.body?.members?["a"] == history.nodes[leaves[0]]!.content.body?.members?["a"])
    #expect(merge.content?.body?.members?["b"] == .integer(7))
  }

  @Test func editOfResolvedPropertyConflictsAgain() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let leaves = try [history.put(#"{"a":2}"#, root), history.put(#"{"a":3}"#, root)].sorted(by: >)
    try history.resolve(leaves, history.nodes[leaves[0]]!.content)
    try history.put(#"{"a":9}"#, leaves[1])
    #expect(clashes(history.merge()) == ["/a"])
  }

  @Test func aDeletedLeafContributesNothing() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let edit = try history.put(#"{"a":2}"#, root)
    try history.add(.deleted, parent: root)
    #expect(history.live == [edit])
    #expect(try history.json(history.merge().content) == #"{"a":2}"#)
    // Between the two it is a clash of the whole record; against no edit the deletion holds.
    let base = Base(history.nodes[root]!.content)
    let merge = Merge(base: base, ours: .deleted, theirs: history.nodes[edit]!.content)
    #expect(merge.clashes.map(\.path.pointer) == [""])
    #expect(Merge(base: base, ours: .deleted, theirs: base.content).content.body == nil)
  }

  @Test func recordsRecreatedAfterDeletionMerge() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let gone = try history.add(.deleted, parent: root)
    let x = try history.put(#"{"b":1}"#, gone)
    let y = try history.put(#"{"c":1}"#, gone)
    #expect(history.graph.nearestCommon([x], [y]) == [gone])
    #expect(try history.json(history.merge().content) == #"{"b":1,"c":1}"#)
  }

  @Test func typeChangeMergesLikeAnyChange() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1}"#, type: "t")
    try history.put(#"{"a":"one","b":1}"#, root, type: "t")
    let other = try history.put(#"{"a":1,"b":2}"#, root, type: "u")
    #expect(history.merge().content == Content(type: "u", body: try .json(#"{"a":"one","b":2}"#)))
    try history.put(#"{"a":1.5,"b":2}"#, other, type: "u")
    #expect(clashes(history.merge()) == ["/a"])
  }

  @Test func threeLeavesMergeInAnyOrder() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1,"c":1}"#)
    let one = try history.put(#"{"a":2,"b":1,"c":1}"#, root)
    let two = try history.put(#"{"a":1,"b":2,"c":1}"#, root)
    let three = try history.put(#"{"a":1,"b":2,"c":2}"#, two)
    let four = try history.put(#"{"a":1,"b":3,"c":1}"#, two)
    #expect(Set(history.live) == [one, three, four])
    #expect(try history.json(history.merge().content) == #"{"a":2,"b":3,"c":2}"#)
    for order in [[one, three, four], [four, three, one], [three, one, four]] {
      #expect(history.merge(order).content == history.merge().content)
    }
    try history.put(#"{"a":3,"b":2,"c":2}"#, three)
    #expect(clashes(history.merge()) == ["/a"])
  }

  @Test func mergeOfMergesCombinesAllChanges() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1,"c":1,"d":1}"#)
    let x = try history.put(#"{"a":2,"b":1,"c":1,"d":1}"#, root)
    let y = try history.put(#"{"a":1,"b":2,"c":1,"d":1}"#, root)
    let z = try history.put(#"{"a":1,"b":1,"c":2,"d":1}"#, root)
    // Two instances that know different leaves merge alone; the revisions differ, what they say adds up.
    let (xy, yz) = ([x, y].sorted(by: >), [y, z].sorted(by: >))
    let one = try history.add(history.merge(xy).content!, parent: xy[0], merged: [xy[1]])
    let two = try history.add(history.merge(yz).content!, parent: yz[0], merged: [yz[1]])
    #expect(history.graph.nearestCommon([one], [two]) == [y])
    let both = [one, two].sorted(by: >)
    #expect(try history.json(history.merge(both).content) == #"{"a":2,"b":2,"c":2,"d":1}"#)
    // An edit of what came out of the first merge, against the second.
    let edit = try history.put(#"{"a":2,"b":5,"c":1,"d":1}"#, one)
    #expect(try history.json(history.merge([edit, two]).content) == #"{"a":2,"b":5,"c":2,"d":1}"#)
  }

  @Test func crisscrossHistoryKeepsTheConflict() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":0,"n":0,"m":0}"#)
    var pair = try [history.put(#"{"a":1,"n":0,"m":0}"#, root), history.put(#"{"a":2,"n":0,"m":0}"#, root)]
    for k in 1...40 {
      let n = "\"n\":\(k),\"m\":0"
      pair = try [
        history.put("{\"a\":1,\(n)}", pair[0], merged: [pair[1]]),
        history.put("{\"a\":2,\(n)}", pair[1], merged: [pair[0]]),
      ]
    }
    #expect(history.graph.nearestCommon([pair[0]], [pair[1]]).count == 2)
    #expect(clashes(history.merge(pair)) == ["/a"])
    // Deeper than anybody's history gets the base counts as unknown, and nothing is merged that should not be.
    for k in 1...200 {
      let n = "\"n\":0,\"m\":\(k)"
      pair = try [
        history.put("{\"a\":1,\(n)}", pair[0], merged: [pair[1]]),
        history.put("{\"a\":2,\(n)}", pair[1], merged: [pair[0]]),
      ]
    }
    #expect(clashes(history.merge(pair)) == ["/a"])
  }

  @Test func unknownRevisionIsNoAncestor() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1}"#)
    let x = try history.put(#"{"a":2}"#, root)
    let y = try history.put(#"{"a":1,"b":1}"#, root)
    let graph = history.graph
    let pruned = RevisionGraph<Never>(origins: { $0 == root ? nil : graph.origins($0) }, content: { graph.content($0) })
    #expect(pruned.nearestCommon([x], [y]) == [])
    let emptied = RevisionGraph<Never>(
      origins: { graph.origins($0) }, content: { $0 == root ? nil : graph.content($0) })
    let leaves = [history.leaf(x), history.leaf(y)]
    #expect(clashes(LeafMerge(leaves, pruned)) == ["/a"])
    #expect(clashes(LeafMerge(leaves, emptied)) == ["/a", "/b"])
  }

  @Test func policyUsesOriginOfEachValue() throws {
    var history = MergeHistory()
    let root = try history.put(#"{"a":1,"b":1}"#)
    var later: [RevisionID] = []
    for k in 2...4 { later.append(try history.put("{\"a\":\(k),\"b\":1}", root, lamport: UInt32(10 - k))) }
    let rules = MergeRules(policy: { $0.pointer == "/a" ? .newest : nil })
    #expect(try history.json(history.merge(rules: rules).content) == #"{"a":2,"b":1}"#)
    // The value that only the second leaf brought in goes by the clock of the second.
    let old = try history.put(#"{"a":1,"b":5}"#, history.put(#"{"a":1,"b":1}"#, root, lamport: 50), lamport: 50)
    #expect(history.live[0] == old)
    #expect(try history.json(history.merge(rules: rules).content) == #"{"a":2,"b":5}"#)
    let own = history.live.map { history.leaf($0, isOwn: $0 == later[1]) }
    let ours = LeafMerge(own, history.graph, rules: MergeRules(policy: { _ in .ours }))
    #expect(ours.content?.body?.members?["a"] == .integer(3) || !ours.isClean)
  }
}
