import SeaCore
import SeaTestSupport
import Testing

/// Laws of Membership, in worlds where everybody says anything.
@Suite struct MembershipLawTests {
  private typealias World = MembershipWorld

  private func randomActs(_ world: World, _ people: Int, _ random: inout SeededRandom) -> [World.Act] {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in
      let subject = Int.random(in: 0..<people, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3: return .authorize(subject, .admin)
      case 4: return .authorize(subject, Bool.random(using: &random) ? .write : .read)
      case 5: return .revoke(subject, world.heads[subject])
      case 6: return .revoke(subject, world.blocks[subject].randomElement(using: &random))
      default: return .revoke(subject, nil)
      }
    }
  }

  private func writeSomething(_ world: inout World, by author: Int, _ people: Int, _ random: inout SeededRandom) {
    let acts = randomActs(world, people, &random)
    let isFork = Int.random(in: 0..<6, using: &random) == 0
    let isOld = Int.random(in: 0..<3, using: &random) == 0
    world.write(
      author, acts: acts, after: isFork ? world.blocks[author].randomElement(using: &random) : nil,
      lamport: isOld ? 1 : nil)
  }

  private func world(_ random: inout SeededRandom) -> World {
    var world = World()
    let people = Int.random(in: 2...6, using: &random)
    for k in 1..<people where Bool.random(using: &random) { world.write(0, .authorize(k, .admin)) }
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      writeSomething(&world, by: Int.random(in: 0..<people, using: &random), people, &random)
    }
    return world
  }

  private func isSame(_ x: Membership, _ y: Membership, besides instance: UUID? = nil) -> Bool {
    x.known.filter { $0.instance != instance } == y.known.filter { $0.instance != instance }
  }

  @Test(arguments: TestSeed.some(20)) func entryOrderAndRepetitionChangeNothing(_ seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<25 {
      let world = world(&random)
      let straight = world.evaluate()
      let some = world.entries.filter { _ in Bool.random(using: &random) }
      let again = world.evaluate((world.entries + some).shuffled(using: &random))
      let same = isSame(straight, again)
      #expect(same, "seed \(seed)")
      #expect(straight.counted == again.counted, "seed \(seed)")
    }
  }

  private func reached(from founder: UUID, by entries: [Membership.Entry]) -> Set<UUID> {
    var reached: Set<UUID> = [founder]
    var before = 0
    while reached.count > before {
      before = reached.count
      for entry in entries where reached.contains(entry.author) {
        if case .authorize = entry.act { reached.insert(entry.subject) }
      }
    }
    return reached
  }

  @Test(arguments: TestSeed.some(20)) func everyMemberDescendsFromTheCreator(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 1000)
    for _ in 0..<25 {
      let world = world(&random)
      let membership = world.evaluate()
      let reached = reached(from: world.instance(0), by: membership.counted)
      for one in membership.known where one.role != nil { #expect(reached.contains(one.instance), "seed \(seed)") }
      for entry in membership.counted {
        #expect(reached.contains(entry.author), "seed \(seed)")
        guard entry.author != entry.subject else { continue }
        #expect(membership.hasAuthority(entry.block, world.isWithin), "seed \(seed)")
      }
      // What those say whom no chain of entries reaches, whether they count or not, is as if it had not been said.
      let possible = self.reached(from: world.instance(0), by: world.entries)
      let rest = world.entries.filter { possible.contains($0.author) }
      let same = isSame(world.evaluate(rest), membership)
      #expect(same, "seed \(seed)")
    }
  }

  /// Those who have said nothing are worked out in a shorter way; it comes to the same.
  @Test(arguments: TestSeed.some(20)) func revokingStrangerChangesNobodyElse(_ seed: UInt64) {
    func summary(_ membership: Membership, besides other: UUID) -> [String] {
      membership.known.filter { $0.instance != other }.map {
        "\($0.instance) \($0.role?.rawValue ?? "-") \($0.cut) \($0.authority)"
      }
    }
    var random = SeededRandom(seed &+ 6000)
    for _ in 0..<25 {
      var world = world(&random)
      let before = world.evaluate()
      let stranger = World.members.count - 1
      for k in 0..<stranger { world.write(k, .revoke(stranger, nil)) }
      let other = world.instance(stranger)
      let same = summary(before, besides: other) == summary(world.evaluate(), besides: other)
      #expect(same, "seed \(seed)")
    }
  }

  /// What a senior says about a junior counts whenever its block does.
  @Test(arguments: TestSeed.some(20)) func entriesOfSeniorsAboutJuniorsCount(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 2000)
    for _ in 0..<25 {
      let world = world(&random)
      let membership = world.evaluate()
      let counted = Set(membership.counted)
      for entry in world.entries {
        guard let author = membership[entry.author], author.authority != .nothing,
          membership.hasAuthority(entry.block, world.isWithin)
        else { continue }
        guard let subject = membership[entry.subject] else {
          #expect(counted.contains(entry), "seed \(seed)")
          continue
        }
        if author.rank < subject.rank { #expect(counted.contains(entry), "seed \(seed)") }
      }
    }
  }

  @Test(arguments: TestSeed.some(20)) func creatorRegainsAdminRoleByRevokingOthers(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 3000)
    for _ in 0..<25 {
      let world = world(&random)
      let membership = world.evaluate()
      #expect(membership[world.instance(0)]?.rank == 0)
      guard membership.role(of: world.instance(0)) != .admin else { continue }
      #expect(membership.counted.contains { $0.subject == world.instance(0) }, "seed \(seed)")
      // By its answer it comes back, unless it has left, whatever the others wrote.
      let founder = world.instance(0)
      guard !world.entries.contains(where: { $0.subject == founder && $0.author == founder }) else { continue }
      var answer = world
      answer.write(0, acts: (1..<World.members.count).map { .revoke($0, nil) })
      #expect(answer.roles()[0] == .admin, "seed \(seed)")
    }
  }

  /// Who was revoked by the founder, which nobody has revoked, can do nothing more, whatever time it writes.
  @Test(arguments: TestSeed.some(20)) func revokedInstanceCannotChangeAnything(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 4000)
    for _ in 0..<25 {
      var world = world(&random)
      let people = World.members.count
      let author = Int.random(in: 1..<6, using: &random)
      let last = world.blocks[author].randomElement(using: &random)
      world.write(0, acts: (1..<6).filter { $0 != author }.map { .revoke($0, world.heads[$0]) })
      world.write(0, .revoke(author, last), lamport: world.clock + 100)
      let before = world.evaluate()
      guard !world.entries.contains(where: { $0.subject == world.instance(0) }) else { continue }
      let known = Set(world.blocks[author])
      for _ in 0..<4 { writeSomething(&world, by: author, people, &random) }
      let after = world.evaluate()
      let same = isSame(before, after)
      #expect(same, "seed \(seed)")
      for block in world.blocks[author] where !known.contains(block) {
        #expect(!after.counts(block, world.isWithin), "seed \(seed)")
      }
    }
  }

  /// Juniors move what is applied of their seniors, and nothing that these say of others.
  @Test(arguments: TestSeed.some(20)) func juniorCannotInvalidateEntriesOfSeniors(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 5000)
    for _ in 0..<25 {
      var world = world(&random)
      let before = world.evaluate()
      guard let junior = before.known.last(where: { $0.isRanked }), junior.authority == .everything,
        let author = World.members.firstIndex(where: { $0.instance == junior.instance })
      else { continue }
      let seniors = before.known.filter { $0.rank < junior.rank }
      let people = seniors.compactMap { one in World.members.firstIndex { $0.instance == one.instance } }
      world.write(author, acts: people.map { .revoke($0, Bool.random(using: &random) ? nil : world.heads[$0]) })
      let after = world.evaluate()
      #expect(before.known.map(\.authority) == after.known.map(\.authority), "seed \(seed)")
      #expect(before.known.map(\.consideredBlocks) == after.known.map(\.consideredBlocks), "seed \(seed)")
      #expect(before.known.map(\.rank) == after.known.map(\.rank), "seed \(seed)")
      for one in seniors { #expect(after.role(of: one.instance) == nil, "seed \(seed)") }
    }
  }
}
