import SeaCore
import SeaTestSupport
import Testing

/// Merging takes a time for each property, and no more for each other one.
@Suite(.serialized) struct MergeGrowthTests {
  private func content(_ count: Int, _ value: (Int64) -> Int64) -> Content {
    Content(type: nil, body: .dictionary(Members((0..<Int64(count)).map { ("p\($0)", .integer(value($0))) })))
  }

  private func merge(_ count: Int, _ ours: (Int64) -> Int64, _ theirs: (Int64) -> Int64) throws {
    func revision(_ depth: UInt32, _ number: UInt8) -> RevisionID {
      RevisionID(depth: depth, digest: SHA256.hash([number]))
    }
    let base = revision(1, 0)
    let graph = RevisionGraph<any Error>(
      origins: { $0 == base ? [] : [base] }, content: { _ in content(count) { $0 } })
    let leaves = [MergeLeaf(revision(2, 1), content(count, ours)), MergeLeaf(revision(2, 2), content(count, theirs))]
    let merge = try LeafMerge(leaves, graph)
    #expect(merge.content != nil)
  }

  @Test func propertiesOfBothSides() throws {
    let growth = try Growth.ofFourfold(400) { count, measure in
      try measure { try merge(count, { $0 + $0 % 2 }, { $0 + ($0 + 1) % 2 }) }
    }
    #expect(growth < Growth.linear)
  }

  @Test func clashes() throws {
    let growth = try Growth.ofFourfold(400) { count, measure in
      try measure { try merge(count, { $0 + 1 }, { $0 + 2 }) }
    }
    #expect(growth < Growth.linear)
  }

  @Test func openPlacesOfABase() throws {
    let growth = try Growth.ofFourfold(400) { count, measure in
      let open = (0..<count).map { PropertyPath(names: ["p\($0)"]) }
      let base = Base(content(count) { $0 }, open: open)
      try measure {
        let merge = Merge(base: base, ours: content(count) { $0 + 1 }, theirs: content(count) { $0 + 2 })
        #expect(merge.clashes.count == count)
      }
    }
    #expect(growth < Growth.linear)
  }

  @Test func groups() throws {
    let growth = try Growth.ofFourfold(200) { count, measure in
      let groups = (0..<count).map { k in [PropertyPath(names: ["p\(2 * k)"]), PropertyPath(names: ["p\(2 * k + 1)"])] }
      let (ours, theirs) = (content(2 * count) { $0 }, content(2 * count) { $0 + 1 })
      try measure {
        let merge = Merge(base: .nothing, ours: ours, theirs: theirs, rules: MergeRules(atomic: groups))
        #expect(!merge.isClean)
      }
    }
    #expect(growth < Growth.linear)
  }

  @Test func groupsThatOverlapAreOne() throws {
    let paths = [["a"], ["b", "c"], ["a", "x"], ["b"], ["d"], ["d", "e", "f"], ["a"]].map { PropertyPath(names: $0) }
    let groups = [[paths[0], paths[1]], [paths[2]], [paths[3], paths[4]], [paths[5]], [paths[6]]]
    let value = try Value.json(#"{"r":{"a":{"x":1},"b":{"c":1},"d":{"e":{"f":1}}}}"#).members?["r"] ?? .empty
    let found = AtomicGroups(groups, value, value)
    #expect(found.all.map { $0.paths.map(\.pointer) } == [["/a", "/b", "/d"]])
  }
}
