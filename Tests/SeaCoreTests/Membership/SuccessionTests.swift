import SeaCore
import SeaTestSupport
import Testing

/// Laws of lines: instances that go on in the place of others.
@Suite struct SuccessionTests {
  private typealias World = MembershipWorld

  /// A world in which some follow others; the founder may be followed.
  private func world(_ random: inout SeededRandom, people: Int) -> (world: World, follows: [Int?]) {
    var world = World()
    var follows: [Int?] = [nil]
    for k in 1..<people {
      follows.append(Int.random(in: 0..<3, using: &random) == 0 ? nil : Int.random(in: 0..<k, using: &random))
    }
    for (k, before) in follows.enumerated() { world.follow(k, before) }
    for k in 1..<people where Bool.random(using: &random) { world.write(0, .authorize(k, .admin)) }
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      let subject = Int.random(in: 0..<people, using: &random)
      let act: World.Act =
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: .authorize(subject, .admin)
        case 3: .authorize(subject, Bool.random(using: &random) ? .write : .read)
        case 4, 5: .revoke(subject, world.heads[subject])
        case 6: .keeping(subject, (0..<people).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        default: .revoke(subject, nil)
        }
      world.write(Int.random(in: 0..<people, using: &random), act)
    }
    return (world, follows)
  }

  @Test(arguments: TestSeed.some(20)) func orderOfArrivalDoesNotMatter(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 100)
    for _ in 0..<25 {
      var (world, _) = world(&random, people: 8)
      let straight = world.evaluate()
      world.births.shuffle(using: &random)
      let again = world.evaluate(world.entries.shuffled(using: &random))
      #expect(straight.known == again.known, "seed \(seed)")
      #expect(straight.counted == again.counted, "seed \(seed)")
    }
  }

  /// What each instance is comes out of a plain reading of the page: all that counts and concerns it, one after another.
  @Test(arguments: TestSeed.some(20)) func standingMatchesTheSpecification(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 200)
    for _ in 0..<25 {
      let (world, follows) = world(&random, people: 9)
      let membership = world.evaluate()
      for k in follows.indices {
        let naive = self.naive(k, world, follows, membership)
        let standing = membership[world.instance(k)]
        #expect(standing?.role == naive.role, "seed \(seed)")
        #expect(standing?.cut ?? .nothing == naive.cut, "seed \(seed)")
        #expect(standing?.authority ?? .nothing == naive.authority, "seed \(seed)")
      }
    }
  }

  private func ancestors(_ k: Int, _ follows: [Int?]) -> [Int] {
    var all = [k]
    while let next = follows[all[all.count - 1]] { all.append(next) }
    return all
  }

  private typealias State = (role: Role?, cut: Membership.BlockSelection, authority: Membership.BlockSelection)

  /// By what seniors say, then by what all say who are heard.
  private func naive(_ k: Int, _ world: World, _ follows: [Int?], _ membership: Membership) -> State {
    let others = membership.counted.filter { $0.author != $0.subject }
    let own = world.entries.filter { $0.author == $0.subject && $0.subject == world.instance(k) }
    func state(_ heard: [Membership.Entry]) -> State {
      let state = naive(k, world, follows, heard)
      if state.role == nil { return state }
      return naive(k, world, follows, (heard + own).sorted(by: Membership.Entry.precedes))
    }
    let authority = state(others.filter { membership.isSenior($0.author, to: $0.subject) }).authority
    let (role, cut, _) = state(others)
    return (role == .admin && authority != .everything ? .write : role, cut, authority)
  }

  private func naive(_ k: Int, _ world: World, _ follows: [Int?], _ entries: [Membership.Entry]) -> State {
    let own = ancestors(k, follows)
    var state: State = own.contains(0) ? (.admin, .everything, .everything) : (nil, .nothing, .nothing)
    for entry in entries {
      guard let about = own.firstIndex(where: { world.instance($0) == entry.subject }) else { continue }
      let isOwn = entry.author == entry.subject
      switch entry.act {
      case .authorize(let one):
        if isOwn { continue }
        state.role = one.role
        if one.role == .admin { (state.cut, state.authority) = (.everything, .everything) }
        if one.role == .write { state.cut = .everything }
        if one.role == .read, state.cut == .everything { state.cut = .nothing }
        if one.role != .admin, state.authority == .everything { state.authority = .nothing }
      case .revoke(_, let last, _) where about == 0:
        if isOwn, state.role == nil { continue }
        let given = last.map { Membership.BlockSelection.last($0) } ?? .nothing
        if state.role == .admin { state.authority = given }
        if given == .nothing || (state.role != .read && state.cut != .nothing) { state.cut = given }
        state.role = nil
      case .revoke(_, _, let keeps):
        if own[..<about].contains(where: { keeps.contains(world.instance($0)) }) || state.role == nil { continue }
        state = (nil, .nothing, .nothing)
      }
    }
    return state
  }

  /// Whoever follows somebody, and whatever those of a line say, no two of one line are cut by each other.
  @Test(arguments: TestSeed.some(20)) func entriesWithinOneSuccessionLineNeverCount(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 300)
    for _ in 0..<25 {
      let (world, _) = world(&random, people: 8)
      let membership = world.evaluate()
      for entry in membership.counted where entry.author != entry.subject {
        #expect(membership[entry.author]?.line != membership[entry.subject]?.line, "seed \(seed)")
      }
    }
  }

  /// Also where nothing counts about the other one.
  @Test(arguments: TestSeed.some(20)) func instancesInOneLineShareARank(_ seed: UInt64) {
    var random = SeededRandom(seed &+ 400)
    for _ in 0..<25 {
      let (world, follows) = world(&random, people: 8)
      let membership = world.evaluate()
      for k in follows.indices {
        guard let before = follows[k] else { continue }
        let (one, other) = (world.instance(k), world.instance(before))
        #expect(!membership.isSenior(one, to: other), "seed \(seed)")
        #expect(!membership.isSenior(other, to: one), "seed \(seed)")
        for third in follows.indices {
          let third = world.instance(third)
          #expect(membership.isSenior(third, to: one) == membership.isSenior(third, to: other), "seed \(seed)")
        }
      }
    }
  }

  @Test func successorInheritsRoleAndRank() {
    var world = World()
    world.follow(2, 0)
    world.follow(3, 2)
    world.write(2, .authorize(4, .write))
    world.write(3, .authorize(5, .admin))
    #expect(world.roles().prefix(6) == [.admin, nil, .admin, .admin, .write, .admin])
    #expect(world.evaluate()[world.instance(3)]?.rank == 0)
    // A junior's word against the founder's successor is contradicted by any of the line.
    world.write(5, .revoke(3, nil), .revoke(2, nil), .revoke(0, nil))
    world.write(2, .revoke(5, nil))
    #expect(world.roles().prefix(6) == [.admin, nil, .admin, .admin, .write, nil])
  }

  @Test func successorsOfOneInstanceCannotRevokeEachOther() {
    var world = World()
    world.write(0, .authorize(1, .admin))
    world.follow(2, 1)
    world.follow(3, 1)
    world.write(2, .revoke(3, nil), .revoke(1, nil))
    world.write(3, .revoke(2, nil), .authorize(2, .read))
    #expect(world.roles().prefix(4) == [.admin, .admin, .admin, .admin])
    // But each may leave, and no more than that.
    world.write(1, .revoke(1, world.heads[1]))
    #expect(world.roles().prefix(4) == [.admin, nil, .admin, .admin])
  }

  @Test func revokingAKeyRevokesItsSuccessors() {
    var world = World()
    world.write(0, .authorize(1, .admin))
    world.follow(2, 1)
    world.follow(3, 2)
    let last = world.write(3, .authorize(4, .write))
    var whole = world
    whole.write(0, .revoke(1, nil))
    #expect(whole.roles().prefix(5) == [.admin, nil, nil, nil, nil])
    var kept = world
    kept.write(0, .keeping(1, [2]))
    #expect(kept.roles().prefix(5) == [.admin, nil, .admin, .admin, .write])
    // What they wrote stays where each is named with its point, the youngest first.
    var line = world
    line.write(0, .revoke(3, last), .revoke(2, nil), .revoke(1, nil))
    #expect(line.roles().prefix(5) == [.admin, nil, nil, nil, .write])
  }

  /// Of two first blocks of one instance that with the smaller hash says what it follows, whichever came first.
  @Test func firstBlockWithSmallerHashNamesPredecessor() {
    let digests = [SHA256.hash([1]), SHA256.hash([2])].sorted()
    let name = UUID(high: 5, low: 9)
    for smallerFollows in [true, false] {
      let follows = World.members[0].instance
      let two = [
        Membership.FirstBlock(instance: name, digest: digests[smallerFollows ? 0 : 1], follows: follows),
        Membership.FirstBlock(instance: name, digest: digests[smallerFollows ? 1 : 0]),
      ]
      for births in [two, two.reversed()] {
        let membership = Membership(World().proof, births: World().births + births, entries: []) {
          $0.index <= $1.index
        }
        #expect(membership.role(of: name) == (smallerFollows ? .admin : nil))
      }
    }
  }

  @Test func circularSuccessionIsIgnored() {
    var world = World()
    world.follow(1, 2)
    world.follow(2, 3)
    world.follow(3, 1)
    world.follow(4, 1)
    world.write(0, .authorize(1, .write))
    #expect(world.roles().prefix(5) == [.admin, .write, nil, nil, .write])
  }

  /// A line as long as you like, in which much is said about the oldest, and one with as many siblings.
  @Test(arguments: [false, true]) func thousandsOfSuccessorsAreEvaluated(siblings: Bool) throws {
    let count = 8000
    var births = World().births
    let founder = World.members[0]
    let names = (0..<count).map { UUID(high: UInt64($0) + 1, low: 9) }
    for (k, name) in names.enumerated() {
      let before = k == 0 ? World.members[1].instance : siblings ? names[0] : names[k - 1]
      births.append(Membership.FirstBlock(instance: name, digest: .zero, follows: before))
    }
    let role = try Authorization(key: World.members[1].key, exchange: [UInt8](repeating: 9, count: 32), role: .admin)
    let entries = (0..<count).compactMap { k in
      let block = BlockRef(instance: founder.instance, index: UInt32(k), digest: SHA256.hash(Array("\(k)".utf8)))
      let act: ControlEntry =
        k % 3 == 1 ? .revoke(instance: role.instance, last: block, keeps: [names[k / 2]]) : .authorize(role)
      return Membership.Entry(act, block: block, lamport: UInt32(k + 1), item: 0)
    }
    let membership = Membership(World().proof, births: births, entries: entries) { $0.index <= $1.index }
    #expect(membership.known.count == count + 2)
  }
}
