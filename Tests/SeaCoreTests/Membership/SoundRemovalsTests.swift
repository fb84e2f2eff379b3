import SeaCore
import SeaTestSupport
import Testing

/// Which removed blocks are sound, and what is believed behind the others.
@Suite struct SoundRemovalsTests {
  typealias Block = SoundRemovals.Block

  /// Chains of some instances whose blocks order one another's removal. `leaves` are entries by which an instance ends
  /// its say for good.
  private struct World {
    var blocks: [Block] = []
    /// Who may order nothing any more, once the block counts that says so; the greater is senior.
    var ends: [(block: BlockRef, subject: UUID)] = []
    let seniors = (0..<3).map { UUID(high: 10 - UInt64($0), low: 1) }

    func judge(_ counts: (BlockRef) -> Bool) -> (BlockRef, UUID) -> Bool {
      let ended = Set(ends.filter { counts($0.block) }.map(\.subject))
      return { author, subject in
        !ended.contains(author.instance) && rank(author.instance) <= rank(subject)
      }
    }

    func rank(_ instance: UUID) -> Int { seniors.firstIndex(of: instance) ?? seniors.count }
    func evaluate(_ blocks: [Block]) -> SoundRemovals {
      SoundRemovals(blocks) {
        let answer = judge($0.counts)
        return SoundRemovals.Judge(mayOrder: answer, stands: answer)
      }
    }
    func key(_ block: Block) -> SoundRemovals.Key { SoundRemovals.Key(block.ref) }
  }

  private func digest(_ text: String) -> Digest { SHA256.hash(Array(text.utf8)) }

  private func order(_ block: Block) -> SoundRemovals.Order {
    let header = BlockHeader(
      mode: .signed, payloadSize: 100, index: block.ref.index, lamport: block.lamport, previous: block.previous,
      data: .zero)
    return SoundRemovals.Order(PurgeOrder(block.ref, header: header))
  }

  private func chain(_ instance: UUID, _ count: Int, removed: Set<Int> = []) -> [Block] {
    var previous = Digest.zero
    return (0..<count).map { index in
      let ref = BlockRef(instance: instance, index: UInt32(index), digest: digest("\(instance) \(index)"))
      defer { previous = ref.digest }
      return Block(ref, previous: previous, lamport: UInt32(index + 1), isRemoved: removed.contains(index))
    }
  }

  @Test func whatNobodyOrderedIsDamageAndHidesNothing() {
    var world = World()
    let author = world.seniors[0]
    world.blocks = chain(author, 6, removed: [2])
    world.ends = [(world.blocks[4].ref, author)]
    let found = world.evaluate(world.blocks)
    #expect(found.sound.isEmpty && found.unsound == [world.key(world.blocks[2])])
    #expect(world.blocks.map { found.counts($0.ref) } == [true, true, false, false, false, false])
  }

  /// The author's own order stands behind what it names; so does one behind another removed block.
  @Test func ordersBehindWhatTheyName() {
    var world = World()
    let author = world.seniors[1]
    var blocks = chain(author, 8, removed: [2, 4])
    blocks[3].orders = [order(blocks[2])]
    blocks[6].orders = [order(blocks[4])]
    world.blocks = blocks
    let found = world.evaluate(blocks)
    #expect(found.unsound.isEmpty && blocks.allSatisfy { found.counts($0.ref) })
  }

  @Test func onlyTheAuthorAndSeniorsMayOrder() {
    var world = World()
    var (senior, middle, junior) = (
      chain(world.seniors[0], 3), chain(world.seniors[1], 3, removed: [1]), chain(world.seniors[2], 3)
    )
    junior[2].orders = [order(middle[1])]
    #expect(world.evaluate(senior + middle + junior).sound.isEmpty)
    senior[2].orders = [order(middle[1])]
    #expect(world.evaluate(senior + middle + junior).unsound.isEmpty)
    // Who has no say any more orders nothing.
    world.ends = [(junior[1].ref, world.seniors[0])]
    #expect(world.evaluate(senior + middle + junior).sound.isEmpty)
    // What says so stands behind a removed block that nobody ordered, and is not believed.
    junior[0].isRemoved = true
    #expect(world.evaluate(senior + middle + junior).sound == [world.key(middle[1])])
  }

  /// What was purged by right hides nothing for one moment: not the end that stands behind it.
  @Test func whatIsRightlyGoneHidesNothing() {
    var world = World()
    var (senior, middle) = (chain(world.seniors[0], 6, removed: [2]), chain(world.seniors[1], 4))
    let junior = chain(world.seniors[2], 4, removed: [1])
    senior[5].orders = [order(senior[2])]
    middle[3].orders = [order(junior[1])]
    world.ends = [(senior[4].ref, world.seniors[1])]
    #expect(world.evaluate(senior + middle + junior).sound == [world.key(senior[2])])
    world.ends = []
    #expect(world.evaluate(senior + middle + junior).unsound.isEmpty)
  }

  /// What is behind damage is never handed on, so that it allows nothing either.
  @Test func anOrderBehindDamageDoesNotCount() {
    let world = World()
    var senior = chain(world.seniors[0], 6, removed: [2, 4])
    let junior = chain(world.seniors[1], 3, removed: [1])
    senior[5].orders = [order(junior[1]), order(senior[4])]
    #expect(world.evaluate(senior + junior).sound.isEmpty)
    senior[1].orders = [order(junior[1])]
    #expect(world.evaluate(senior + junior).sound == [world.key(junior[1])])
    senior[5].orders += [order(senior[2])]
    #expect(world.evaluate(senior + junior).unsound.isEmpty)
  }

  /// A chain of which next to nothing is left: each order stands behind all that was removed.
  @Test(.timeLimit(.minutes(20))) func manyBehindEachOther() {
    let world = World()
    var blocks = chain(world.seniors[0], 20_002, removed: Set(1...20_000))
    blocks[20_001].orders = blocks[1...20_000].map(order)
    let found = world.evaluate(blocks)
    #expect(found.sound.count == 20_000 && blocks.allSatisfy { found.counts($0.ref) })
    blocks[20_001].orders.removeFirst()
    #expect(world.evaluate(blocks).unsound.count == 20_000)
  }

  /// Who says it is ended by what it orders to be gone: it comes to an end all the same.
  @Test func whatContradictsItselfIsNotSound() {
    let world = World()
    var blocks = chain(world.seniors[0], 4, removed: [1])
    blocks[3].orders = [order(blocks[1])]
    var rounds = 0
    let found = SoundRemovals(blocks) { soFar in
      rounds += 1
      let isFree = soFar.orders.isEmpty
      return SoundRemovals.Judge(mayOrder: { _, _ in isFree }, stands: { _, _ in isFree })
    }
    #expect(found.sound.isEmpty && rounds <= SoundRemovals.freeRounds + 3)
  }

  @Test func anOrderNamesOneBlockOnly() {
    let world = World()
    for change in 0..<4 {
      var blocks = chain(world.seniors[0], 4, removed: [1])
      var named = blocks[1]
      switch change {
      case 0: named.lamport += 1
      case 1: named.previous = digest("other")
      case 2: named.ref = BlockRef(instance: named.ref.instance, index: 1, digest: digest("other"))
      default: break
      }
      blocks[3].orders = [order(named)]
      #expect(world.evaluate(blocks).unsound.isEmpty == (change == 3))
    }
  }

  /// Whatever came in which order, and more orders and whole blocks never make less sound than they should.
  @Test(arguments: TestSeed.some(60)) func theOrderOfArrivalDoesNotMatter(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var world = World()
    var blocks: [Block] = []
    for instance in world.seniors {
      let count = Int.random(in: 3...12, using: &random)
      var removed: Set<Int> = []
      for _ in 0..<Int.random(in: 0...4, using: &random) { removed.insert(Int.random(in: 1..<count, using: &random)) }
      blocks += chain(instance, count, removed: removed)
    }
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let at = Int.random(in: 0..<blocks.count, using: &random)
      if blocks[at].isRemoved { continue }
      blocks[at].orders.append(order(blocks.randomElement(using: &random)!))
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let block = blocks.randomElement(using: &random)!
      if !block.isRemoved { world.ends.append((block.ref, world.seniors.randomElement(using: &random)!)) }
    }
    let found = world.evaluate(blocks)
    for _ in 0..<4 {
      let again = world.evaluate(blocks.shuffled(using: &random))
      #expect(again.sound == found.sound && again.unsound == found.unsound)
      for block in blocks { #expect(again.counts(block.ref) == found.counts(block.ref)) }
    }
    let ordered = Set(blocks.flatMap(\.orders))
    for block in blocks where block.isRemoved {
      if !ordered.contains(order(block)) { #expect(!found.sound.contains(world.key(block))) }
    }
    // By its definition, block for block.
    for block in blocks {
      let before = blocks.filter {
        $0.isRemoved && $0.ref.instance == block.ref.instance && $0.ref.index <= block.ref.index
      }
      #expect(found.counts(block.ref) == before.allSatisfy { found.sound.contains(world.key($0)) })
    }
  }
}
