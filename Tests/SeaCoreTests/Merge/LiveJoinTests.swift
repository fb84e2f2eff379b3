import SeaCore
import SeaTestSupport
import Testing

@Suite struct LiveJoinTests {
  private let instances = (1...4).map { UUID(high: UInt64($0), low: 7) }

  private func body(_ json: String, _ previous: Content? = nil, by instance: Int = 0) throws -> Content {
    Content(
      type: nil,
      body: try Value.adopting(
        .json("{\"r\":\(json)}"), previous: .dictionary(Members([("r", previous?.body ?? .empty)])),
        instance: instances[instance]
      ).members?["r"])
  }

  private func settled(_ history: MergeHistory, _ revision: RevisionID) -> Content {
    history.nodes[revision]!.content.inherited(from: revision.digest)
  }

  @Test func incrementsAndDecrementsAddUp() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5},"d":{"n":{"$counter":1}}}"#))
    let before = settled(history, root)
    for (k, n) in [7, 4, 5].enumerated() {
      try history.add(body(#"{"n":{"$counter":\#(n)},"d":{"n":{"$counter":\#(n)}}}"#, before, by: k), parent: root)
    }
    #expect(try history.json(history.shown) == #"{"d":{"n":{"$counter":14}},"n":{"$counter":6}}"#)
    #expect(try history.json(history.merge().content) == history.json(history.shown))
  }

  @Test func counterIgnoresDeletedLeaf() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5}}"#))
    let before = settled(history, root)
    try history.add(body(#"{"n":{"$counter":6}}"#, before, by: 1), parent: root)
    let other = try history.add(body(#"{"n":{"$counter":9}}"#, before, by: 2), parent: root)
    #expect(try history.json(history.shown) == #"{"n":{"$counter":10}}"#)
    try history.add(.deleted, parent: other)
    #expect(try history.json(history.shown) == #"{"n":{"$counter":6}}"#)
    try history.add(.deleted, parent: history.live[0])
    #expect(history.shown == nil)
  }

  @Test func counterResetSubtractsOnlySeenIncrements() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5}}"#))
    let before = settled(history, root)
    try history.add(body(#"{"n":{"$counter":0}}"#, before, by: 1), parent: root)
    try history.add(body(#"{"n":{"$counter":7}}"#, before, by: 2), parent: root)
    #expect(try history.json(history.shown) == #"{"n":{"$counter":2}}"#)
    // Each of two resets does.
    try history.add(body(#"{"n":{"$counter":0}}"#, before, by: 3), parent: root)
    #expect(try history.json(history.shown) == #"{"n":{"$counter":-3}}"#)
  }

  @Test func recreatedCounterMergesWithOldCount() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5}}"#))
    let gone = try history.add(body("{}"), parent: root)
    let anew = try history.add(body(#"{"n":{"$counter":1}}"#), parent: gone)
    try history.add(body(#"{"n":{"$counter":5},"x":1}"#, settled(history, root)), parent: root)
    // What was counted before is still known to the other side, and merging changes nothing of what is shown.
    #expect(history.live[0] == anew)
    #expect(try history.json(history.shown) == #"{"n":{"$counter":5}}"#)
    #expect(try history.json(history.merge().content) == #"{"n":{"$counter":5},"x":1}"#)
  }

  @Test func aConcurrentAddSurvivesARemove() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"s":{"$set":["a","b"]}}"#))
    let before = settled(history, root)
    try history.add(body(#"{"s":{"$set":["b"]}}"#, before, by: 1), parent: root)
    let gone = try history.add(body(#"{"s":{"$set":[]}}"#, before, by: 2), parent: root)
    try history.add(body(#"{"s":{"$set":["a","c"]}}"#, settled(history, gone), by: 2), parent: gone)
    // "a" was removed and added anew, "b" removed, "c" added.
    #expect(try history.json(history.shown) == #"{"s":{"$set":["a","c"]}}"#)
    #expect(try history.json(history.merge().content) == history.json(history.shown))
  }

  @Test func winnerDecidesPlainPropertiesAndPresence() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"a":1}"#))
    try history.add(body(#"{"a":2,"n":{"$counter":1}}"#, by: 1), parent: root)
    let middle = try history.add(body(#"{"a":3}"#, by: 2), parent: root)
    let winner = try history.add(body(#"{"a":4}"#, by: 2), parent: middle)
    #expect(history.live[0] == winner)
    #expect(try history.json(history.shown) == #"{"a":4}"#)
  }

  @Test func counterWrittenToAnyLeafIncludesAllLeaves() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5}}"#))
    let before = settled(history, root)
    let lost = try history.add(body(#"{"n":{"$counter":7}}"#, before, by: 1), parent: root)
    let middle = try history.add(body(#"{"n":{"$counter":6}}"#, before, by: 2), parent: root)
    try history.add(body(#"{"n":{"$counter":9}}"#, settled(history, middle), by: 2), parent: middle)
    let join = history.leaves.reduce(LiveJoin()) { $0.joined(history.join($1)) }
    // The third one, who has counted four, writes upon what lost.
    let old = settled(history, lost)
    let new = try body(#"{"n":{"$counter":8},"d":{"n":{"$counter":1}}}"#, old, by: 2)
    let made = try join.counting(on: #require(new.body), from: old.body, by: instances[2])
    #expect(try made.json() == #"{"d":{"n":{"$counter":1}},"n":{"$counter":12}}"#)
    try history.add(Content(type: nil, body: made), parent: lost)
    #expect(try history.shown?.body?[PropertyPath("/n")]?.json() == #"{"$counter":12}"#)
  }

  @Test func decisionReaddsSetElementsAndKeepsCount() throws {
    var history = MergeHistory()
    let root = try history.add(body(#"{"n":{"$counter":5},"s":{"$set":["a","b"]}}"#))
    let before = settled(history, root)
    try history.add(body(#"{"n":{"$counter":6},"s":{"$set":["b"]}}"#, before, by: 1), parent: root)
    let keeps = try history.add(body(#"{"n":{"$counter":7},"s":{"$set":["a"]}}"#, before, by: 2), parent: root)
    let decided = settled(history, keeps).body!.deciding(about: history.merge().content?.body)
    #expect(try decided.json() == #"{"n":{"$counter":8},"s":{"$set":["a"]}}"#)
    guard case .set(let set)? = decided.members?["s"] else { return }
    #expect(set.tags(of: .string("a")) == [.thisRevision])
  }

  // MARK: Laws

  @Test(arguments: 0..<20 * TestSeed.factor) func joinIsAssociativeCommutativeAndIdempotent(_ block: UInt64) throws {
    for seed in TestSeed.numbered(block * 100..<block * 100 + 100) {
      var world = try MergeWorld(seed, 4, merging: seed % 2 == 0)
      let joins = world.all.leaves.map { world.all.join($0) }
      let straight = joins.reduce(LiveJoin()) { $0.joined($1) }.shown
      let history = world.all
      let atOnce = LiveJoin(all: history.leaves.map { ($0, history.nodes[$0]!.content) }) { history.seen($0) }
      #expect(atOnce.shown == straight, "seed \(seed)")
      // In any order, some leaves again, and leaves that are no longer any.
      let again = (joins + joins.filter { _ in Bool.random(using: &world.random) }).shuffled(using: &world.random)
      #expect(again.reduce(LiveJoin()) { $0.joined($1) }.shown == straight, "seed \(seed)")
      // Grouped in any way.
      var parts = joins.shuffled(using: &world.random) + [LiveJoin()]
      while parts.count > 1 {
        let k = Int.random(in: 0..<parts.count - 1, using: &world.random)
        parts[k] = parts[k].joined(parts.remove(at: k + 1))
      }
      #expect(parts[0].shown == straight, "seed \(seed)")
      #expect(parts[0].joined(parts[0]).shown == straight, "seed \(seed)")
    }
  }

  /// Counters show what the live leaves' states say, element by element and instance by instance.
  @Test(arguments: 0..<10 * TestSeed.factor) func joinedCountersAndSetsMatchDefinition(_ block: UInt64) throws {
    for seed in TestSeed.numbered(block * 100 + 5000..<block * 100 + 5100) {
      let history = try MergeWorld(seed, 4, merging: true).all
      let live = history.live
      let bodies = live.map { settled(history, $0).body! }
      guard let shown = history.shown?.body else { continue }
      for path in try [PropertyPath("/n"), PropertyPath("/d/n")] {
        guard case .counter(let counter)? = shown[path] else { continue }
        let states = bodies.compactMap { body -> Counter? in
          if case .counter(let one)? = body[path] { one } else { nil }
        }
        for instance in instances {
          let entries = states.compactMap { $0.entries.first { $0.instance == instance } }
          let entry = counter.entries.first { $0.instance == instance }
          #expect(entry?.increments ?? 0 == entries.map(\.increments).max() ?? 0, "seed \(seed)")
          #expect(entry?.decrements ?? 0 == entries.map(\.decrements).max() ?? 0, "seed \(seed)")
        }
      }
      for path in try [PropertyPath("/s"), PropertyPath("/d/s")] {
        guard case .set(let set)? = shown[path] else { continue }
        let states = zip(live, bodies).compactMap { revision, body -> (Set<Digest>, ElementSet)? in
          guard case .set(let one)? = body[path] else { return nil }
          return (Set(history.graph.ancestors(of: [revision]).keys.map(\.digest)), one)
        }
        for element in (0...3).map({ Value.integer($0) }) {
          let isThere = history.nodes.keys.contains { added in
            let tag = ElementSet.Tag.revision(added.digest)
            return states.contains { $0.1.tags(of: element).contains(tag) }
              && states.allSatisfy { $0.1.tags(of: element).contains(tag) || !$0.0.contains(added.digest) }
          }
          #expect(set.contains(element) == isThere, "seed \(seed) \(path) \(element)")
        }
      }
    }
  }

  /// Where the sets of all leaves are the same, it does not matter what they have seen.
  @Test func historyIndependentJoinIgnoresHistory() throws {
    var (without, all) = (0, 0)
    for seed in TestSeed.numbered(40000..<40400) {
      let history = try MergeWorld(seed, 4, merging: false).all
      let live = history.live
      guard live.count > 1 else { continue }
      all += 1
      guard !LiveJoin.dependsOnHistory(live.map { settled(history, $0) }) else { continue }
      without += 1
      let join = live.reduce(LiveJoin()) { $0.joined(LiveJoin($1, history.nodes[$1]!.content, seen: [])) }
      #expect(join.shown?.body?.encoding == history.shown?.body?.encoding, "seed \(seed)")
    }
    #expect(without > 0 && without < all)
  }

  /// What is merged says what was shown before, where all leaves have the property.
  @Test(arguments: 0..<20 * TestSeed.factor) func automaticMergeKeepsShownCountersAndSets(_ block: UInt64) throws {
    var merges = 0
    for seed in TestSeed.numbered(block * 100 + 10000..<block * 100 + 10100) {
      var history = try MergeWorld(seed, 4, merging: true).all
      let (live, shown) = (history.live, history.shown?.body)
      let bodies = live.map { history.nodes[$0]!.content.body! }
      guard try history.mergeAlone() != nil, let merged = history.shown?.body else { continue }
      merges += 1
      for path in try ["/n", "/d/n", "/s", "/d/s"].map({ try PropertyPath($0) }) {
        guard bodies.allSatisfy({ $0[path] != nil }) else { continue }
        #expect(try merged[path]?.json() == shown?[path]?.json(), "seed \(seed) \(path)")
      }
      #expect(history.live.count == 1)
    }
    #expect(merges > 10)
  }

  /// Instances that have come to know the same revisions and merge alone have the same bytes, whatever came when.
  @Test(arguments: 0..<20 * TestSeed.factor) func replicasWithSameRevisionsMergeToSameBytes(_ block: UInt64) throws {
    for seed in TestSeed.numbered(block * 100 + 20000..<block * 100 + 20100) {
      var world = try MergeWorld(seed, 4, merging: true)
      for k in world.replicas.indices {
        for revision in world.all.nodes.keys.shuffled(using: &world.random) {
          world.replicas[k].receive(revision, from: world.all)
        }
        try world.replicas[k].mergeAlone()
      }
      let first = world.replicas[0]
      for replica in world.replicas {
        #expect(Set(replica.nodes.keys) == Set(first.nodes.keys), "seed \(seed)")
        #expect(replica.shown?.body?.encoding == first.shown?.body?.encoding, "seed \(seed)")
        for (revision, node) in replica.nodes { #expect(first.nodes[revision]?.bytes == node.bytes, "seed \(seed)") }
      }
    }
  }

  /// Instances that merge alone whatever they get, in pairs at random, come to rest: a few meetings after the last edit
  /// all have the same bytes, and merging has written no more than the edits and meetings can account for.
  @Test(arguments: 0..<10 * TestSeed.factor) func automaticMergesConverge(_ block: UInt64) throws {
    for seed in TestSeed.numbered(block * 50 + 30000..<block * 50 + 30050) {
      var world = try MergeWorld(seed, 2 + Int(seed % 4), merging: true)
      let edits = world.all.nodes.count
      var meetings = 0
      repeat {
        for k in world.replicas.indices.shuffled(using: &world.random) {
          let other = world.replicas.randomElement(using: &world.random)!
          for revision in other.nodes.keys { world.replicas[k].receive(revision, from: other) }
          try world.replicas[k].mergeAlone()
        }
        meetings += 1
      } while meetings < 40 && Set(world.replicas.map { Set($0.nodes.keys) }).count > 1
      #expect(meetings < 40, "seed \(seed)")
      let first = world.replicas[0]
      #expect(first.live.count <= 1 || !first.merge().isClean, "seed \(seed)")
      #expect(first.nodes.count <= 4 * edits + 16, "seed \(seed): \(edits) \(first.nodes.count)")
      // In whatever order the leaves are given.
      let merge = first.merge()
      let again = first.merge(first.live.shuffled(using: &world.random))
      #expect(merge.content == again.content && merge.clashes.map(\.pointer) == again.clashes.map(\.pointer))
    }
  }
}
