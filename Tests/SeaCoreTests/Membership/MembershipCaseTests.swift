import SeaCore
import SeaTestSupport
import Testing

/// Cases in which it is easy to be wrong. 0 is the founder.
@Suite struct MembershipCaseTests {
  private typealias World = MembershipWorld

  /// A founder, two admins by it, and an admin by the first of these.
  private func family() -> World {
    var world = World()
    world.write(0, .authorize(1, .admin))
    world.write(0, .authorize(2, .admin))
    world.write(1)
    world.write(1, .authorize(3, .admin))
    world.write(2)
    world.write(3)
    return world
  }

  private func expect(_ world: World, _ roles: [Int: Role], _ location: SourceLocation = #_sourceLocation) {
    let found = world.roles().enumerated().compactMap { k, role in role.map { "\(k) \($0)" } }
    #expect(found == roles.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }, sourceLocation: location)
  }

  @Test func creatorIsAdminWithoutEntries() {
    let world = World()
    let membership = world.evaluate()
    #expect(membership.creator == world.instance(0))
    #expect(membership.known.map(\.instance) == [world.instance(0)])
    #expect(membership[world.instance(0)]?.rank == 0)
    expect(world, [0: .admin])
  }

  @Test func otherKeyIsNotTheCreator() {
    var world = World()
    world.write(1, .authorize(1, .admin), .authorize(2, .admin))
    let births = world.births.dropFirst()
    let membership = Membership(world.proof, births: births, entries: world.entries) { _, _ in true }
    #expect(membership.creator == nil)
    #expect(membership.known.isEmpty)
    expect(world, [0: .admin])
  }

  @Test func ranksFollowOrderOfAuthorization() {
    let world = family()
    let membership = world.evaluate()
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .admin])
    #expect(membership.known.map(\.instance) == [0, 1, 2, 3].map { world.instance($0) })
    #expect(membership.known.map(\.rank) == [0, 1, 2, 3])
    #expect(membership.counted.count == 3)
    #expect(membership[world.instance(3)]?.authorized?.author == world.instance(1))
    #expect(membership[world.instance(3)]?.key == World.members[3].key)
    #expect(membership[world.instance(3)]?.exchange == [UInt8](repeating: 5, count: 32))
  }

  /// An instance that was a reader before others were admins is not senior to them once it is made an admin.
  @Test func readersHaveNoSeniority() {
    var world = World()
    world.write(0, .authorize(4, .read))
    world.write(0, .authorize(1, .admin))
    world.write(1, .authorize(4, .admin))
    let membership = world.evaluate()
    #expect(membership[world.instance(4)]?.role == .admin)
    #expect(membership[world.instance(4)]?.rank == 2)
  }

  @Test func entriesOfWritersDoNotCount() {
    var world = family()
    world.write(0, .authorize(4, .write))
    world.write(4, .authorize(5, .admin), .revoke(3, nil), .revoke(0, nil))
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .admin, 4: .write])
  }

  @Test func reauthorizationRestoresBlocksByRole() throws {
    var world = family()
    let last = try #require(world.heads[3])
    world.write(1, .revoke(3, last))
    let beyond = world.write(3, .authorize(5, .read))
    expect(world, [0: .admin, 1: .admin, 2: .admin])
    #expect(world.evaluate()[world.instance(3)]?.cut == .last(last))
    #expect(world.evaluate().counts(last, world.isWithin))
    #expect(!world.evaluate().counts(beyond, world.isWithin))
    world.write(2, .authorize(3, .write))
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .write])
    #expect(world.evaluate().counts(beyond, world.isWithin))
    #expect(!world.evaluate().hasAuthority(beyond, world.isWithin))
    #expect(world.evaluate().hasAuthority(last, world.isWithin))
    world.write(2, .authorize(3, .admin))
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .admin, 5: .read])
  }

  @Test func demotedWriterKeepsBlocksUpToRevocationPoint() throws {
    var world = family()
    world.write(0, .authorize(4, .write))
    let last = world.write(4)
    world.write(1, .authorize(4, .read))
    #expect(world.evaluate()[world.instance(4)]?.role == .read)
    #expect(world.evaluate()[world.instance(4)]?.cut == .nothing)
    world.write(1, .authorize(4, .write))
    world.write(1, .revoke(4, last), .authorize(4, .read))
    #expect(world.evaluate()[world.instance(4)]?.cut == .last(last))
    // To end the membership of a reader releases nothing.
    let later = world.write(4)
    world.write(1, .revoke(4, later))
    #expect(world.evaluate()[world.instance(4)]?.role == nil)
    #expect(world.evaluate()[world.instance(4)]?.cut == .last(last))
  }

  @Test func revokingStrangerReleasesNoBlocks() {
    var world = family()
    let stranger = world.write(6)
    world.write(0, .revoke(6, stranger))
    #expect(!world.evaluate().counts(stranger, world.isWithin))
  }

  /// An admin who becomes a writer in one block with a revoke keeps what it did as an admin.
  @Test func demotedAdminKeepsEntriesUpToRevocationPoint() throws {
    var world = family()
    let last = try #require(world.heads[1])
    world.write(0, .revoke(1, last), .authorize(1, .write))
    world.write(1, .authorize(5, .admin))
    expect(world, [0: .admin, 1: .write, 2: .admin, 3: .admin])
    var blunt = family()
    blunt.write(0, .authorize(1, .write))
    expect(blunt, [0: .admin, 1: .write, 2: .admin])
  }

  /// What the senior writes does not count any more; what it says of others does, as nobody above it has ended that.
  @Test func juniorRevokesBlocksButNotEntriesOfSenior() throws {
    var world = family()
    world.write(3, .revoke(0, world.heads[0]))
    expect(world, [1: .admin, 2: .admin, 3: .admin])
    let beyond = world.write(0, .authorize(6, .admin))
    expect(world, [1: .admin, 2: .admin, 3: .admin, 6: .admin])
    #expect(!world.evaluate().counts(beyond, world.isWithin) && world.evaluate().hasAuthority(beyond, world.isWithin))
    #expect(world.evaluate().mayOrder(beyond, about: world.instance(1), world.isWithin))
    // Found again.
    world.write(3, .authorize(0, .write))
    expect(world, [0: .write, 1: .admin, 2: .admin, 3: .admin, 6: .admin])
    world.write(2, .authorize(0, .admin))
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .admin, 6: .admin])
  }

  /// Only a senior gives back the authority that a senior has taken.
  @Test func juniorCannotRestoreRevokedAdmin() throws {
    var world = family()
    world.write(0, .revoke(1, world.heads[1]))
    world.write(2, .authorize(1, .admin))
    expect(world, [0: .admin, 1: .write, 2: .admin, 3: .admin])
    world.write(1, .authorize(5, .write))
    expect(world, [0: .admin, 1: .write, 2: .admin, 3: .admin])
    world.write(0, .authorize(1, .admin))
    expect(world, [0: .admin, 1: .admin, 2: .admin, 3: .admin, 5: .write])
  }

  /// Several lose one device after the other: all that happened stays.
  @Test func successiveRevocationsKeepEarlierEntries() throws {
    var world = family()
    world.write(1, .revoke(0, world.heads[0]))
    world.write(2, .revoke(1, world.heads[1]))
    world.write(3, .revoke(2, world.heads[2]))
    expect(world, [3: .admin])
    // The one before the last was no friend: what it said of others is taken back one by one.
    let beforeIt = try #require(world.blocks[2].first)
    world.write(3, .revoke(2, beforeIt))
    expect(world, [3: .admin])
    world.write(3, .authorize(1, .admin))
    expect(world, [1: .admin, 3: .admin])
  }

  @Test func juniorSurvivesRevokingItsAuthorizer() throws {
    var world = family()
    world.write(3, .revoke(1, nil))
    expect(world, [0: .admin, 2: .admin, 3: .admin])
    world.write(2, .revoke(1, nil))
    expect(world, [0: .admin, 2: .admin, 3: .admin])
    world.write(0, .revoke(1, nil))
    expect(world, [0: .admin, 2: .admin])
  }

  @Test func mutualRevocationLeavesTheSenior() throws {
    for (senior, junior) in [(0, 1), (1, 2), (0, 3), (2, 3)] {
      for juniorFirst in [true, false] {
        var world = family()
        let (ofSenior, ofJunior) = (world.heads[senior], world.heads[junior])
        let time = world.clock
        world.write(senior, .revoke(junior, ofJunior), lamport: time + (juniorFirst ? 20 : 10))
        world.write(junior, .revoke(senior, ofSenior), lamport: time + (juniorFirst ? 10 : 20))
        let roles = world.roles()
        #expect(roles[senior] == .admin)
        #expect(roles[junior] == nil)
      }
    }
  }

  @Test func lastOfTwoAuthorizationsHolds() {
    for (first, second) in [(Role.read, Role.admin), (.admin, .read), (.write, .read)] {
      var world = family()
      world.write(2, .authorize(5, first), lamport: 50)
      world.write(1, .authorize(5, second), lamport: 51)
      #expect(world.roles()[5] == second)
      world.write(3, .authorize(5, first), lamport: 51)
      // At the same time, by the name.
      let later = world.instance(1) < world.instance(3) ? first : second
      #expect(world.roles()[5] == later)
    }
  }

  @Test func authorizationsBeforeRevocationPointStayValid() throws {
    var world = family()
    let before = world.write(1, .authorize(4, .write))
    world.write(1, .authorize(5, .write))
    world.write(0, .revoke(1, before))
    expect(world, [0: .admin, 2: .admin, 3: .admin, 4: .write])
    world.write(0, .revoke(1, nil))
    expect(world, [0: .admin, 2: .admin])
  }

  @Test func leavingInstanceCannotReturnByItself() throws {
    var world = family()
    let last = try #require(world.heads[1])
    world.write(1, .revoke(1, last))
    expect(world, [0: .admin, 2: .admin, 3: .admin])
    #expect(world.evaluate()[world.instance(1)]?.cut == .last(last))
    let time = world.clock
    world.write(1, .authorize(1, .admin), .authorize(6, .admin), .revoke(1, world.heads[1]), lamport: time + 1)
    #expect(world.evaluate()[world.instance(1)]?.cut == .last(last))
    world.write(0, .authorize(1, .write))
    expect(world, [0: .admin, 1: .write, 2: .admin, 3: .admin])
    world.write(0, .revoke(0, world.heads[0]))
    expect(world, [1: .write, 2: .admin, 3: .admin])
    #expect(world.evaluate().known.first?.instance == world.instance(0))
  }

  /// Who is revoked cannot leave with another cut.
  @Test func revokedInstanceCannotMoveItsRevocationPoint() throws {
    var world = family()
    let last = try #require(world.heads[1])
    let beyond = world.write(1)
    world.write(0, .revoke(1, last))
    world.write(1, .revoke(1, beyond))
    world.write(1, .revoke(1, nil), after: world.blocks[1].first, lamport: 1)
    #expect(world.evaluate()[world.instance(1)]?.cut == .last(last))
    expect(world, [0: .admin, 2: .admin, 3: .admin])
  }

  @Test func forkBeforeRevocationPointDoesNotCount() throws {
    var world = family()
    let first = try #require(world.blocks[1].first)
    let last = try #require(world.heads[1])
    world.write(0, .revoke(1, last))
    let fork = world.write(1, .authorize(6, .admin), .revoke(2, nil), after: first, lamport: 1)
    expect(world, [0: .admin, 2: .admin, 3: .admin])
    #expect(fork.index == last.index)
    #expect(!world.evaluate().counts(fork, world.isWithin))
    #expect(world.evaluate().counts(first, world.isWithin))
  }

  /// A cut whose block has not come yet lets nothing through.
  @Test func unknownRevocationPointAllowsNoBlocks() {
    var world = family()
    world.write(0, .revoke(1, BlockRef(instance: world.instance(1), index: 9, digest: .zero)))
    expect(world, [0: .admin, 2: .admin])
  }
}
