import SeaCore
import SeaTestSupport
import Testing

/// The nearest common ancestors, held against their own definition.
@Suite struct CommonAncestorsTests {
  /// Revisions with what they come from, in the order they were made.
  private struct Family {
    var made: [RevisionID] = []
    var origins: [RevisionID: [RevisionID]] = [:]

    var graph: RevisionGraph<Never> {
      let origins = origins
      return RevisionGraph(origins: { origins[$0] }, content: { _ in nil })
    }

    @discardableResult
    mutating func add(_ parent: RevisionID?, _ merged: [RevisionID], _ random: inout Seeded) -> RevisionID {
      var digest = [UInt8](repeating: 0, count: 32)
      digest[0] = UInt8.random(in: 0...3, using: &random)
      (digest[30], digest[31]) = (UInt8(made.count >> 8 & 0xFF), UInt8(made.count & 0xFF))
      digest[29] = UInt8(made.count >> 16)
      let revision = RevisionID(depth: (parent?.depth ?? 0) + 1, digest: Digest(digest)!)
      made.append(revision)
      origins[revision] = [parent].compactMap { $0 } + merged
      return revision
    }

    /// Whether every revision comes from less deep ones.
    var isFalling: Bool { origins.allSatisfy { one in one.value.allSatisfy { $0.depth < one.key.depth } } }

    /// All shapes: several roots, histories that cross, links to deeper revisions, revisions that are not known.
    static func any(_ random: inout Seeded) -> Family {
      var family = Family()
      let (few, links) = (Int.random(in: 1...8, using: &random), Int.random(in: 0...5, using: &random))
      for _ in 0..<Int.random(in: 2...40, using: &random) {
        let near = family.made.suffix(few)
        let parent = Int.random(in: 0..<12, using: &random) == 0 ? nil : near.randomElement(using: &random)
        var merged: [RevisionID] = []
        for _ in 0..<Int.random(in: 0...2, using: &random) where Int.random(in: 0..<6, using: &random) < links {
          merged += [(Bool.random(using: &random) ? near : family.made[...]).randomElement(using: &random)]
            .compactMap { $0 }
        }
        family.add(parent, merged, &random)
      }
      for _ in 0..<(Bool.random(using: &random) ? 0 : Int.random(in: 1...3, using: &random)) {
        family.origins[family.made.randomElement(using: &random)!] = nil
      }
      return family
    }
  }

  /// All that a side comes from, itself too, as far as it is known.
  private func ancestors(_ side: [RevisionID], _ family: Family) -> Set<RevisionID> {
    var found: Set<RevisionID> = []
    var stack = side
    while let next = stack.popLast() {
      guard let origins = family.origins[next], found.insert(next).inserted else { continue }
      stack += origins
    }
    return found
  }

  /// What both sides come from, without what another one of these comes from.
  private func naive(_ a: [RevisionID], _ b: [RevisionID], _ family: Family) -> [RevisionID] {
    let common = ancestors(a, family).intersection(ancestors(b, family))
    let farther = common.map { ancestors(family.origins[$0] ?? [], family) }
    return common.filter { one in !farther.contains { $0.contains(one) } }.sorted(by: >)
  }

  @Test(arguments: 0..<20 * TestSeed.factor) func nearestAncestorsMatchTheirDefinition(_ block: UInt64) {
    var (several, rising) = (0, 0)
    for seed in TestSeed.numbered(block * 150..<block * 150 + 150) {
      var random = Seeded(seed)
      let family = Family.any(&random)
      for _ in 0..<4 {
        let a = (0..<Int.random(in: 1...3, using: &random)).map { _ in family.made.randomElement(using: &random)! }
        let b = (0..<Int.random(in: 1...2, using: &random)).map { _ in family.made.randomElement(using: &random)! }
        let expected = naive(a, b, family)
        #expect(family.graph.nearestCommon(a, b) == expected, "seed \(seed)")
        #expect(family.graph.nearestCommon(b, a) == expected, "seed \(seed)")
        if expected.count > 1 { several += 1 }
        if !family.isFalling { rising += 1 }
      }
    }
    #expect(several > 10 && rising > 10)
  }

  /// The deeper of two candidates comes from the other one, over a link that leads up from far below.
  @Test func ancestorOfAnotherCandidateIsExcluded() {
    var random = Seeded(TestSeed.value &+ 1)
    var family = Family()
    var high = family.add(nil, [], &random)
    for _ in 0..<20 { high = family.add(high, [], &random) }
    var low = family.add(nil, [high], &random)
    for _ in 0..<40 { low = family.add(low, [], &random) }
    let a = family.add(low, [high], &random)
    let b = family.add(low, [high], &random)
    #expect(family.graph.nearestCommon([a], [b]) == [low])
  }

  @Test func searchCountsLinksAndCanBeAborted() throws {
    struct Ended: Error {}
    var random = Seeded(TestSeed.value &+ 3)
    var family = Family()
    var level: [RevisionID] = []
    for _ in 0..<3 {
      let above = level
      level = (0..<20).map { k in
        family.add(above.isEmpty ? nil : above[k], above.enumerated().filter { $0.offset != k }.map(\.element), &random)
      }
    }
    let sides = (Array(level.dropLast()), [level.last!])
    func steps(_ most: Int) throws -> Int {
      var steps = 0
      let graph = RevisionGraph<any Error>(
        origins: { family.origins[$0] }, content: { _ in nil },
        spend: {
          steps += $0
          if steps > most { throw Ended() }
        })
      _ = try graph.nearestCommon(sides.0, sides.1)
      return steps
    }
    let links = family.origins.values.reduce(0) { $0 + $1.count }
    let all = try steps(.max)
    #expect(all > links / 2 && all <= 3 * (links + family.made.count))
    #expect(throws: Ended.self) { try steps(all - 1) }
  }

  private func visits(
    _ family: Family, _ a: [RevisionID], _ b: [RevisionID]
  ) -> (found: [RevisionID], visits: Int) {
    var visits = 0
    let graph = RevisionGraph<Never>(
      origins: {
        visits += 1
        return family.origins[$0]
      }, content: { _ in nil })
    return (graph.nearestCommon(a, b), visits)
  }

  @Test func longHistoryIsNotTraversed() {
    var random = Seeded(TestSeed.value &+ 2)
    var family = Family()
    var trunk = family.add(nil, [], &random)
    for _ in 1..<50_000 { trunk = family.add(trunk, [], &random) }
    let a = family.add(family.add(trunk, [], &random), [], &random)
    let b = family.add(trunk, [], &random)
    let short = visits(family, [a], [b])
    #expect(short.found == [trunk])
    #expect(short.visits < 10)
    // Merges on the way change nothing of it, and neither does one side that has gone far ahead.
    var ahead = a
    for _ in 0..<100 { ahead = family.add(family.add(ahead, [b], &random), [a], &random) }
    let late = family.add(b, [], &random)
    let long = visits(family, [ahead], [late])
    #expect(long.found == [b])
    #expect(long.visits < 250)
  }

  @Test func leafMergeReadsFewRevisionsOfLongHistory() throws {
    var history = MergeHistory()
    var trunk = try history.put(#"{"n":0,"a":0,"b":0}"#)
    for k in 1..<2000 { trunk = try history.put("{\"n\":\(k),\"a\":0,\"b\":0}", trunk) }
    try history.put(#"{"n":0,"a":1,"b":0}"#, trunk)
    try history.put(#"{"n":0,"a":0,"b":1}"#, trunk)
    let whole = history.graph
    var visits = 0
    let graph = RevisionGraph<Never>(
      origins: {
        visits += 1
        return whole.origins($0)
      }, content: { whole.content($0) })
    let merge = LeafMerge(history.live.map { history.leaf($0) }, graph)
    #expect(try history.json(merge.content) == #"{"a":1,"b":1,"n":0}"#)
    #expect(visits < 10)
  }
}
