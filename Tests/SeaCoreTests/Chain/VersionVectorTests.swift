import SeaCore
import SeaTestSupport
import Testing

/// What somebody has, what he lacks, and the laws of both.
@Suite struct VersionVectorTests {
  private let names: [BranchID]

  init() {
    let instances: [UUID] = [UUID(high: 0, low: 8), UUID(high: 1, low: 8), UUID(high: 2, low: 8)]
    var names: [BranchID] = []
    for instance in instances {
      names.append(BranchID(instance))
      names.append(BranchID(instance, fork: ForkID(high: 0, low: 7)))
    }
    self.names = names
  }

  private func random(_ generator: inout SeededRandom) -> VersionVector {
    var frontier = VersionVector()
    for name in names where Bool.random(using: &generator) {
      frontier.raise(name, to: UInt32.random(in: 0..<20, using: &generator))
    }
    return frontier
  }

  private func runs(_ generator: inout SeededRandom) -> [BlockRun] {
    names.map { name in
      let first = name.isMainBranch ? 0 : UInt32.random(in: 0..<10, using: &generator)
      return BlockRun(name, first: first, last: first + UInt32.random(in: 0..<10, using: &generator))
    }
  }

  @Test func emptyVectorMissesEveryBlock() {
    let run = BlockRun(names[0], first: 0, last: 4)
    #expect(VersionVector().missing(of: [run]) == [run])
    #expect([run, BlockRun(names[1], first: 3, last: 3)].blocks == 6)
  }

  @Test func raisingNeverLowersAnIndex() {
    var frontier = VersionVector()
    #expect(frontier.raise(names[0], to: 3) && !frontier.raise(names[0], to: 3) && !frontier.raise(names[0], to: 2))
    #expect(frontier[names[0]] == 3 && frontier[names[1]] == nil)
    #expect(frontier.covers(BlockRef(names[0], index: 3, digest: .zero)))
    #expect(!frontier.covers(BlockRef(names[0], index: 4, digest: .zero)))
    frontier.forget([names[0].instance])
    #expect(frontier == VersionVector())
  }

  @Test(arguments: 0..<200) func missingUnionAndIntersectionMatchDefinition(seed: Int) {
    var generator = SeededRandom(UInt64(seed))
    let (a, b, all) = (random(&generator), random(&generator), runs(&generator))
    for run in a.missing(of: all) {
      let whole = all.first { $0.branch == run.branch }!
      #expect(
        run.last == whole.last && run.first >= whole.first
          && run.first == max(whole.first, (a[run.branch] ?? 0) + (a[run.branch] == nil ? 0 : 1)))
    }
    // Who takes in what he lacks lacks nothing.
    var full = a
    for run in a.missing(of: all) { full.raise(run.branch, to: run.last) }
    #expect(full.missing(of: all) == [])
    // What both have is what either has, and no more.
    var (union, common) = (a, a)
    union.formUnion(b)
    common.formIntersection(b)
    for name in names {
      let known: [UInt32] = [a[name], b[name]].compactMap { $0 }
      #expect(union[name] == known.max())
      #expect(common[name] == (known.count == 2 ? known.min() : nil))
    }
    #expect(union.missing(of: all).blocks <= min(a.missing(of: all).blocks, b.missing(of: all).blocks))
    #expect(common.missing(of: all).blocks >= max(a.missing(of: all).blocks, b.missing(of: all).blocks))
  }

  /// Places call their branches differently, and mean the same blocks.
  @Test func blockIsEqualInEveryBranch() throws {
    let digest = SHA256.hash([1])
    let trunk = BlockRef(instance: names[0].instance, index: 3, digest: digest)
    let sibling = BlockRef(BranchID(names[0].instance, forkedAt: digest), index: 3, digest: digest)
    #expect(trunk == sibling && trunk.hashValue == sibling.hashValue && trunk.branch != sibling.branch)
    #expect(trunk != BlockRef(instance: names[2].instance, index: 3, digest: digest))
    #expect(sibling.description == "\(names[0].instance)~\(digest.description.prefix(32))/3")
    #expect(BranchID(sibling.branch.description) == sibling.branch)
    #expect(BranchID("x") == nil && BranchID(sibling.branch.description.uppercased()) == nil)
  }
}
