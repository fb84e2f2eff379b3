import SeaCore
import SeaTestSupport
import Testing

/// Which removed blocks are sound: those that an order names which counts, and of several the one whose block has the least hash.
@Suite struct ValidPurgesTests {
  private func block(_ instance: UInt64, _ index: UInt32) -> BlockRef {
    BlockRef(
      instance: UUID(high: instance, low: 1), index: index, digest: SHA256.hash(Array("\(instance) \(index)".utf8)))
  }

  @Test(arguments: TestSeed.some(30)) func validOrderWithLeastHashWins(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let authors = (1...4).flatMap { instance in (1...6).map { block(UInt64(instance), UInt32($0)) } }
    var orders: [(author: BlockRef, block: BlockKey)] = []
    for author in authors {
      for instance in 1...4 as ClosedRange<UInt64> where Bool.random(using: &random) {
        orders.append((author, BlockKey(block(instance, UInt32.random(in: 1...3, using: &random)))))
      }
    }
    let refused = Set(authors.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { BlockKey($0) })
    func mayOrder(_ author: BlockRef, _ subject: UUID) -> Bool {
      !refused.contains(BlockKey(author)) && author.instance >= subject
    }
    var wanted: [BlockKey: BlockKey] = [:]
    for (author, block) in orders.sorted(by: { $1.author.digest < $0.author.digest })
    where mayOrder(author, block.instance) { wanted[block] = BlockKey(author) }
    for _ in 0..<4 {
      orders.shuffle(using: &random)
      let found = ValidPurges.find(orders, mayOrder).mapValues { BlockKey(orders[$0].author) }
      #expect(found == wanted)
    }
  }
}
