import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Members that continue under another key, recovery, and epochs that leave out a senior.
@Suite struct SuccessorTests {
  /// A founder and a member that know each other.
  private func two(sealed: Bool, role: Role = .admin) throws -> (MemberWorld, Database, Database) {
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: sealed ? world.password : nil)
    try two.exchange("origin")
    try one.exchange("team")
    try one.authorize(two, as: role)
    #expect(try world.converge([one, two]) == [])
    return (world, one, two)
  }

  private func oldKeys(_ database: Database) throws -> Int {
    try Directory(Path.join(database.path, "keys")).list().entries.count { $0.name.hasPrefix("old-") }
  }

  @Test(arguments: [false, true]) func successorOfCreatorKeepsRights(sealed: Bool) throws {
    let (world, one, two) = try two(sealed: sealed)
    let old = one.instance
    let renewal = try one.author.renew(.asked)
    #expect(!renewal.needsAuthorization && one.instance != old)
    #expect(try oldKeys(one) == 0)
    #expect(try one.members.membership()?.role(of: one.instance) == .admin)
    try one.put(#"{"_id":"a"}"#)
    #expect(try world.converge([one, two]) == [])
    #expect(try two.get("a") != nil)
    #expect(try one.memberText() == two.memberText())
    // It has the same rights as before.
    let three = try world.newcomer("three", ["team"], password: sealed ? world.password : nil)
    try three.exchange("origin")
    try one.exchange("team")
    try one.authorize(three, as: .write)
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    try three.put(#"{"_id":"b"}"#)
    #expect(try world.converge([one, three]) == [])
    #expect(try one.get("b") != nil)
    #expect(try one.members.membership()?.role(of: two.instance) == nil)
  }

  @Test func pendingInstanceKeepsOldKeyUntilAuthorized() throws {
    let world = try MemberWorld(sealed: false, inMemory: true)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let candidate = try two.access.ownCandidate()
    #expect(try two.author.renew(.asked).needsAuthorization)
    #expect(try oldKeys(two) == 1)
    try two.put(#"{"_id":"a"}"#)
    try two.exchange("origin")
    try one.exchange("team")
    #expect(try one.get("a") == nil)
    // Authorizing the predecessor authorizes the successor.
    _ = try one.access.authorize(candidate, as: .write)
    #expect(try world.converge([one, two]) == [])
    #expect(try one.get("a") != nil)
    #expect(try oldKeys(two) == 0)
  }

  @Test(arguments: [false, true]) func revocationCoversPredecessors(sealed: Bool) throws {
    let (world, one, two) = try two(sealed: sealed)
    let old = two.instance
    try two.put(#"{"_id":"a"}"#)
    try two.author.renew(.asked)
    try two.put(#"{"_id":"b"}"#)
    #expect(try world.converge([one, two]) == [])
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    // Its changes stay.
    #expect(try one.get("a") != nil && one.get("b") != nil)
    let membership = try one.members.membership()
    #expect(membership?.role(of: old) == nil && membership?.role(of: two.instance) == nil)
    #expect(throws: KitError.unauthorized(.revoked)) {
      try two.exchange("origin")
      try one.exchange("team")
      try two.exchange("origin")
      try two.put(#"{"_id":"c"}"#)
    }
  }

  @Test func predecessorCanBeRevokedAlone() throws {
    let (world, one, two) = try two(sealed: false)
    let old = two.instance
    try two.author.renew(.asked)
    #expect(try world.converge([one, two]) == [])
    _ = try one.access.revoke(old, after: nil, rotates: false, only: true)
    #expect(try world.converge([one, two]) == [])
    #expect(try two.members.membership()?.role(of: old) == nil)
    #expect(try two.members.membership()?.role(of: two.instance) == .admin)
    try two.put(#"{"_id":"c"}"#)
  }

  @Test(arguments: [false, true]) func recoveryWordsReplaceLostCreator(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let identity = try RecoveryWords(seed: Random.bytes(32)).identity()
    var creation = Database.Creation()
    creation.name = "one"
    creation.hasMembers = true
    creation.isSealed = sealed
    creation.recovery = identity
    let made = try Database.create(in: world.scratch.path("one"), creation, world.settings(world.password))
    let one = try world.reopened("one", made.path)
    try world.attach("team", one)
    try one.put(#"{"_id":"a"}"#)
    try one.exchange("team")
    #expect(try one.keychain.newestEpoch() == (sealed ? 1 : 0))
    // The founder's device is lost. Another one is authorized with the recovery words.
    let two = try world.newcomer("two", ["team"], password: sealed ? world.password : nil)
    let own = try two.access.ownCandidate()
    _ = try two.author.act(as: identity, named: "recovery") { try two.access.authorize(own, as: .admin) }
    #expect(two.instance == own.instance)
    _ = try two.author.act(as: identity, named: "recovery") {
      try two.access.revoke(one.instance, after: nil, rotates: true)
    }
    try two.put(#"{"_id":"b"}"#)
    try two.exchange("origin")
    let membership = try #require(try two.members.membership())
    #expect(membership.role(of: two.instance) == .admin && membership.role(of: one.instance) == nil)
    #expect(membership[identity.instance]?.rank == 0 && membership.role(of: identity.instance) == .admin)
    #expect(try two.store.branches.chain(identity.instance)?.head.index == 2)
    if sealed { #expect(try two.keychain.newestEpoch() == 2) }
    try one.exchange("team")
    #expect(try one.get("b") != nil || sealed)
    #expect(try one.memberText() == two.memberText() || sealed)
    // Its password no longer works.
    guard !sealed else { return }
    #expect(try world.newcomer("three", ["team"]).get("a") != nil)
  }

  /// A junior begins an epoch without its senior, then another one with a far higher number. No instance follows, and
  /// the senior revokes the junior.
  @Test func epochExcludingSeniorIsIgnored() throws {
    let (world, one, two) = try two(sealed: true)
    let chain = try #require(try two.store.branches.chain(two.instance))
    let entries = try [2, UInt32.max].map { number in
      let key = try #require(EpochKey(number: number, bytes: Random.bytes(32)))
      return ControlEntry.epoch(
        try EpochChange(
          epoch: number, key: key.digest, slots: [SHA256.hash([UInt8(number & 9)])],
          readers: number == 2 ? [two.instance] : [one.instance]))
    }
    let block = try ForgedBlock.make(two, behind: chain.head, lamport: chain.lamport + 1, entries)
    try world.scratch.write("team/transactions/\(two.instance)/\(Layout.path(of: chain.head.index + 1))", block)
    try one.exchange("team")
    #expect(try one.store.branches.chain(two.instance)?.head.index == chain.head.index + 1)
    #expect(try one.keychain.newestEpoch() == 1)
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    #expect(try one.keychain.newestEpoch() == 2)
    try one.put(#"{"_id":"b"}"#)
  }

  /// An epoch begun without knowledge of a senior is repaired by the next sync.
  @Test func syncRepairsEpochLackingSenior() throws {
    let (world, one, two) = try two(sealed: true)
    let three = try world.newcomer("three", ["team"], password: world.password)
    try three.exchange("origin")
    try one.exchange("team")
    // The founder authorizes another admin while the junior begins an epoch without knowing it.
    try two.exchange("origin")
    try two.authorize(three, as: .write)
    try one.authorize(three, as: .admin)
    _ = try two.access.rotate(nil)
    #expect(try world.converge([one, two, three]) == [])
    for database in [one, two, three] {
      #expect(try database.keychain.newestEpoch() == 2)
      #expect(try database.keychain.ring()?.newest?.number == 2)
    }
    try three.put(#"{"_id":"a"}"#)
    #expect(try world.converge([one, two, three]) == [])
    #expect(try one.get("a") != nil && two.get("a") != nil)
  }
}
