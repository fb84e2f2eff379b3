import SeaCore
import SeaTestSupport
import Testing

/// Clocks follow from the rules of sea-format(5), Lamport time, as somebody would apply them one by one.
@Suite struct ClockEvaluationTests {
  private struct Block {
    var ref: BlockRef
    var lamport: UInt32
    var heads: [BlockRef]
  }

  private struct World: ClockFacts {
    var branches: [(base: (branch: Int, index: Int)?, first: Int, blocks: [Block])] = []

    func block(_ branch: Int, _ index: Int) -> ClockBlock? {
      guard index - branches[branch].first < branches[branch].blocks.count else { return nil }
      let block = branches[branch].blocks[index - branches[branch].first]
      return ClockBlock(lamport: block.lamport, heads: block.heads)
    }
    func lamport(_ branch: Int, _ index: Int) -> UInt32 {
      branches[branch].blocks[index - branches[branch].first].lamport
    }
    func base(of branch: Int) -> BlockRef? { branches[branch].base.map { at($0.branch, $0.index).ref } }
    func siblings(leaving branch: Int) -> [Int] { branches.indices.filter { branches[$0].base?.branch == branch } }
    func locate(_ head: BlockRef) -> ClockPlace? {
      for (number, branch) in branches.enumerated() {
        guard let at = branch.blocks.firstIndex(where: { $0.ref == head }) else { continue }
        return ClockPlace(branch: number, index: branch.first + at, lamport: branch.blocks[at].lamport)
      }
      return nil
    }

    func at(_ branch: Int, _ index: Int) -> Block { branches[branch].blocks[index - branches[branch].first] }
    var places: [(branch: Int, index: Int)] {
      branches.enumerated().flatMap { number, branch in branch.blocks.indices.map { (number, branch.first + $0) } }
    }
    /// The block before one, in its branch or where that leaves another.
    func previous(_ branch: Int, _ index: Int) -> (branch: Int, index: Int)? {
      index > branches[branch].first ? (branch, index - 1) : branches[branch].base
    }
  }

  private static func ref(_ instance: Int, _ index: Int, _ label: Int) -> BlockRef {
    BlockRef(
      instance: UUID(high: UInt64(instance), low: 1), index: UInt32(index),
      digest: SHA256.hash(Array("\(instance) \(index) \(label)".utf8)))
  }

  private func world(_ random: inout SeededRandom) -> World {
    var world = World()
    for _ in 0..<4 { world.branches.append((nil, 0, [])) }
    for label in 0..<60 {
      var number = Int.random(in: 0..<world.branches.count, using: &random)
      if Int.random(in: 0..<12, using: &random) == 0, !world.branches[number].blocks.isEmpty {
        let index =
          world.branches[number].first + Int.random(in: 0..<world.branches[number].blocks.count, using: &random)
        world.branches.append(((number, index), index + 1, []))
        number = world.branches.count - 1
      }
      let all = world.places
      let index = world.branches[number].first + world.branches[number].blocks.count
      var heads = all.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)).map {
        world.at($0, $1).ref
      }
      var root = number
      while let base = world.branches[root].base { root = base.branch }
      heads.removeAll { $0.instance == UUID(high: UInt64(root), low: 1) }
      let before =
        heads.compactMap { world.locate($0)?.lamport } + [
          world.previous(number, index).map { world.at($0, $1).lamport } ?? 0
        ]
      var block = Block(
        ref: Self.ref(root, index, label), lamport: LamportClock.next(after: before.max() ?? 0), heads: heads)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: block.lamport += 3
      case 1: block.heads.append(Self.ref(99, label, label))
      default: break
      }
      world.branches[number].blocks.append(block)
    }
    return world
  }

  private func key(_ place: (branch: Int, index: Int)) -> Int { place.branch * 1000 + place.index }

  /// One after another, until nothing changes.
  private func naive(_ world: World) -> (earned: Set<Int>, wrong: Set<Int>) {
    var (earned, wrong): (Set<Int>, Set<Int>) = ([], [])
    var isDone = false
    while !isDone {
      isDone = true
      for place in world.places where !earned.contains(key(place)) && !wrong.contains(key(place)) {
        let block = world.at(place.branch, place.index)
        let previous = world.previous(place.branch, place.index)
        if let previous, wrong.contains(key(previous)) {
          wrong.insert(key(place))
          isDone = false
          continue
        }
        guard previous.map({ earned.contains(key($0)) }) ?? true else { continue }
        let known = block.heads.compactMap { world.locate($0) }
          .filter { earned.contains($0.branch * 1000 + $0.index) }
        if known.count < block.heads.count { continue }
        let greatest = max(
          previous.map { world.at($0.branch, $0.index).lamport } ?? 0, known.map(\.lamport).max() ?? 0)
        if block.lamport == LamportClock.next(after: greatest) {
          earned.insert(key(place))
        } else {
          wrong.insert(key(place))
        }
        isDone = false
      }
    }
    return (earned, wrong)
  }

  private func proven(_ world: World, _ place: (branch: Int, index: Int), _ known: inout [Int: UInt32]) -> UInt32 {
    if let time = known[key(place)] { return time }
    let block = world.at(place.branch, place.index)
    var greatest = world.previous(place.branch, place.index).map { proven(world, $0, &known) } ?? 0
    for head in block.heads {
      guard let there = world.locate(head) else { continue }
      greatest = max(greatest, proven(world, (there.branch, there.index), &known))
    }
    let time = LamportClock.proven(block.lamport, after: greatest)
    known[key(place)] = time
    return time
  }

  @Test(arguments: TestSeed.some(20)) func clockVerdictsMatchTheRules(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 700)
    for _ in 0..<25 {
      let world = world(&random)
      let fresh = Dictionary(
        uniqueKeysWithValues: world.branches.enumerated().map { number, branch in
          let end = branch.first + branch.blocks.count
          return (number, ClockBranch(first: branch.first, end: end, next: branch.first))
        })
      var judge = ClockEvaluation(fresh)
      judge.run(world.branches.indices.shuffled(using: &random), world)
      let (earned, wrong) = naive(world)
      var times = ProvenTimes(world, judge.branches)
      var known: [Int: UInt32] = [:]
      for place in world.places {
        let branch = judge.branches[place.branch]
        #expect(branch?.isEarned(place.index) == earned.contains(key(place)), "seed \(seed)")
        #expect(branch?.isWrong(place.index) == wrong.contains(key(place)), "seed \(seed)")
        let at = ClockPlace(
          branch: place.branch, index: place.index, lamport: world.at(place.branch, place.index).lamport)
        #expect(times.time(of: at) == proven(world, place, &known), "seed \(seed)")
      }
      #expect(Set(judge.wrong).count == judge.wrong.count, "seed \(seed)")
    }
  }

  /// A block that names the last blocks of many chains, which are earned one after another.
  private final class Naming: ClockFacts {
    let count: Int
    private(set) var lookups = 0
    private var numbers: [BlockRef: Int] = [:]

    init(_ count: Int) {
      self.count = count
      for chain in 1...count { numbers[ClockEvaluationTests.ref(chain, 1, 0)] = chain }
    }

    func lamport(_ branch: Int, _ index: Int) -> UInt32 {
      index == 0 ? 1 : UInt32(branch == 0 ? count + 2 : branch + 1)
    }
    func base(of branch: Int) -> BlockRef? { nil }
    func siblings(leaving branch: Int) -> [Int] { [] }
    func locate(_ head: BlockRef) -> ClockPlace? {
      lookups += 1
      return numbers[head].map { ClockPlace(branch: $0, index: 1, lamport: lamport($0, 1)) }
    }
    func block(_ branch: Int, _ index: Int) -> ClockBlock? {
      let heads =
        index == 0 || branch == 1
        ? []
        : branch == 0
          ? (1...count).map { ClockEvaluationTests.ref($0, 1, 0) } : [ClockEvaluationTests.ref(branch - 1, 1, 0)]
      return ClockBlock(lamport: lamport(branch, index), heads: heads)
    }
  }

  @Test func headLookupsGrowLinearly() {
    for count in [1000, 2000] {
      let world = Naming(count)
      var judge = ClockEvaluation(
        Dictionary(uniqueKeysWithValues: (0...count).map { ($0, ClockBranch(first: 0, end: 2, next: 0)) }))
      // The last chain first, so that each waits for the one before it.
      judge.run(Array(1...count) + [0], world)
      #expect(judge.branches.values.allSatisfy { $0.next == 2 && !$0.isWrong })
      #expect(world.lookups <= 3 * count)
    }
  }
}
