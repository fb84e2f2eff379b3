import SeaCore
import SeaTestSupport
import Testing

/// Whatever is claimed, times are the same in whatever order the blocks are looked at, and there is no end to no walk.
@Suite struct ProvenTimeTests {
  @Test func aCircleCountsAsNotHere() {
    // 0 is removed and claims 1, which names 0.
    #expect(ProvenTime.times(before: [[], [0]], claimed: [[1], []], greatest: [4, 0]) == [5, 6])
    #expect(ProvenTime.times(before: [[]], claimed: [[0]], greatest: [0]) == [1])
    // Not in a circle, a claim counts.
    #expect(ProvenTime.times(before: [[], []], claimed: [[1], []], greatest: [0, 7]) == [9, 8])
    // Two that claim each other, and one that is outside.
    #expect(ProvenTime.times(before: [[], [], [1]], claimed: [[1], [0], [0]], greatest: [2, 9, 0]) == [3, 10, 11])
    #expect(ProvenTime.times(before: [], claimed: [], greatest: []) == [])
    #expect(ProvenTime.times(before: [[]], claimed: [[]], greatest: [.max]) == [.max])
  }

  @Test(arguments: TestSeed.some(8)) func theOrderDecidesNothing(seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<200 {
      let count = Int.random(in: 1...12, using: &random)
      // What digests say leads to earlier ones only.
      let before = (0..<count).map { at in (0..<at).filter { _ in Int.random(in: 0..<3, using: &random) == 0 } }
      let claimed = (0..<count).map { _ in
        Bool.random(using: &random) ? [] : (0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      }
      let greatest = (0..<count).map { _ in UInt32.random(in: 0...9, using: &random) }
      let times = ProvenTime.times(before: before, claimed: claimed, greatest: greatest)
      let order = Array(0..<count).shuffled(using: &random)
      let place = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
      func moved(_ edges: [[Int]]) -> [[Int]] {
        order.map { edges[$0].map { place[$0]! }.shuffled(using: &random) }
      }
      let other = ProvenTime.times(
        before: moved(before), claimed: moved(claimed), greatest: order.map { greatest[$0] })
      #expect(order.map { times[$0] } == other, "seed \(seed)")
      // By the rule itself.
      func leads(_ from: Int, to target: Int) -> Bool {
        var (seen, todo) = (Set<Int>(), [from])
        while let at = todo.popLast() {
          if at == target { return true }
          if seen.insert(at).inserted { todo += before[at] + claimed[at] }
        }
        return false
      }
      for at in 0..<count {
        let counted = before[at] + claimed[at].filter { !leads($0, to: at) }
        #expect(times[at] == counted.reduce(greatest[at]) { max($0, times[$1]) } + 1, "seed \(seed)")
      }
    }
  }

  /// A long way is no deep one.
  @Test func aLongCircle() {
    let count = 100_000
    let times = ProvenTime.times(
      before: (0..<count).map { $0 == 0 ? [] : [$0 - 1] }, claimed: (0..<count).map { $0 == 0 ? [count - 1] : [] },
      greatest: [UInt32](repeating: 0, count: count))
    #expect(times[0] == 1 && times[count - 1] == UInt32(count))
  }
}
