import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Changes by members are valid; changes by others are pending.
@Suite(.serialized) struct MemberTests {
  private func expectAgreement(_ all: [Database]) throws {
    for one in all {
      #expect(try one.store.projection.digest() == all[0].store.projection.digest())
      #expect(try one.store.projection.digest() == one.store.projection.expectedDigest())
      #expect(try one.memberText() == all[0].memberText())
    }
  }

  private func two(_ world: MemberWorld) throws -> (Database, Database) {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.isSealed ? world.password : nil)
    return (one, two)
  }

  @Test(arguments: [false, true]) func changesArePendingUntilAuthorization(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let (one, two) = try two(world)
    try two.put("a", [("n", .integer(1))])
    #expect(try two.number("a") == 1)
    try two.exchange("origin")
    #expect(try one.exchange("team").problems.filter { $0.isDamage } == [])
    #expect(try one.number("a") == nil)
    #expect(try one.store.blocks.pendingBlocks().map(\.blocks) == [2])
    #expect(try one.access.instances().first { $0.instance == two.instance }?.state == .pending)
    let change = try one.access.authorize(try one.access.candidate("two"), as: .write)
    #expect(change.blocks == 2)
    #expect(try one.number("a") == 1)
    #expect(try one.store.blocks.pendingBlocks().isEmpty)
    #expect(try world.converge([one, two]) == [])
    try expectAgreement([one, two])
  }

  /// A stranger's changes reach an admin through others, and become valid once the stranger is authorized.
  @Test func pendingChangesAreForwarded() throws {
    let world = try MemberWorld(sealed: false)
    let one = try world.founder("one", ["east"])
    try one.exchange("east")
    let middle = try world.newcomer("middle", ["east"])
    try world.attach("west", middle)
    try middle.exchange("west")
    let far = try world.newcomer("far", ["west"])
    try far.put("a", [("n", .integer(1))])
    #expect(try world.converge([far, middle, one]) == [])
    #expect(try one.store.branches.chain(far.instance) != nil && one.number("a") == nil)
    _ = try one.access.authorize(one.access.candidate("far"), as: .write)
    #expect(try world.converge([far, middle, one]) == [])
    #expect(try one.number("a") == 1 && middle.number("a") == 1)
    // The forwarding instance is not a member and is not compared, since it applies its own changes.
    try expectAgreement([one, far])
  }

  @Test(arguments: [false, true]) func changesAfterRevocationArePendingUntilReauthorization(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let (one, two) = try two(world)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    try two.put("a", [("n", .integer(1))])
    #expect(try world.converge([one, two]) == [])
    // It continues to write before it learns of the revocation, also to the valid record.
    try two.put("a", [("n", .integer(2))])
    try two.put("b", [("n", .integer(1))])
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    try one.exchange("team")
    try two.exchange("origin")
    try one.exchange("team")
    #expect(try one.number("a") == 1 && one.number("b") == nil)
    #expect(try one.store.blocks.pendingBlocks().map(\.blocks) == [2])
    #expect(throws: KitError.unauthorized(.revoked)) { try two.put("c", [("n", .integer(1))]) }
    // Changes made before the revocation arrived are removed there.
    #expect(try two.number("a") == 1 && two.number("b") == nil)
    // After a new authorization, all of them are valid.
    _ = try one.authorize(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    #expect(try one.number("a") == 2 && one.number("b") == 1)
    try expectAgreement([one, two])
  }

  /// A revocation at an earlier block removes changes that were valid.
  @Test func backdatedRevocationRemovesValidChanges() throws {
    let world = try MemberWorld(sealed: false)
    let (one, two) = try two(world)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(two, as: .write)
    for n in 1...3 { try two.put("r\(n)", [("n", .integer(Int64(n)))]) }
    try two.put("r1", [("n", .integer(10))])
    #expect(try world.converge([one, two]) == [])
    #expect(throws: KitError.blockNotFound("\(two.instance)/99")) {
      try one.access.revoke(two.instance, after: 99, rotates: false)
    }
    let three = try world.newcomer("three", ["team"])
    let change = try one.access.revoke(two.instance, after: 2, rotates: false)
    #expect(change.blocks == 2 && change.last?.index == 2)
    #expect(try one.number("r1") == 1 && one.number("r2") == 2 && one.number("r3") == nil)
    try one.exchange("team")
    try three.exchange("origin")
    _ = try one.authorize(three, as: .read)
    #expect(try world.converge([one, three]) == [])
    try expectAgreement([one, three])
  }

  /// A revoked instance continues from a copy of an earlier state: earlier Lamport times, other blocks.
  @Test(arguments: [false, true]) func forkByRevokedInstanceHasNoEffect(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let (one, two) = try two(world)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(two, as: .admin)
    #expect(try world.converge([one, two]) == [])
    let third = try world.newcomer("three", ["team"], password: sealed ? world.password : nil)
    try third.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(third, as: .write)
    #expect(try world.converge([one, two, third]) == [])
    let lamport = try #require(try two.store.branches.chain(two.instance)).lamport
    let head = try #require(try two.store.branches.chain(two.instance)).head
    try two.put("good", [("n", .integer(1))])
    #expect(try world.converge([one, two, third]) == [])
    _ = try one.access.revoke(two.instance, after: nil, rotates: true)
    try one.exchange("team")
    // A correctly signed block in the place of the valid one, with an authorization.
    let forged = try ForgedBlock.make(
      two, behind: head, lamport: lamport + 1,
      [
        .authorize(
          Authorization(key: two.access.ownCandidate().key, exchange: two.access.ownCandidate().exchange, role: .admin)),
        .revoke(instance: one.instance, last: nil),
      ])
    let fork = hash(of: forged).description.prefix(32)
    let path = "team/transactions/\(two.instance)~\(fork)/\(Layout.path(of: head.index + 1))"
    try world.scratch.write(path, forged)
    for _ in 0..<2 {
      for database in [third, one] { _ = try database.sync(database.containers.settings()[0], .both) }
    }
    for database in [one, third] {
      #expect(try database.number("good") == 1)
      #expect(try database.members.membership()?.role(of: two.instance) == nil)
      #expect(try database.members.membership()?.role(of: one.instance) == .admin)
      #expect(try database.store.branches.siblings(of: two.instance).count == 1)
    }
    try expectAgreement([one, third])
    // A newcomer that sees everything at once agrees.
    let late = try world.newcomer("late", ["team"])
    try late.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(late, as: .write)
    _ = try world.converge([one, third, late])
    try expectAgreement([one, third, late])
  }

  @Test(arguments: [false, true]) func seniorWinsWhenAdminsRevokeEachOther(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    var others: [Database] = []
    for name in ["two", "three", "four"] {
      let other = try world.newcomer(name, ["team"], password: sealed ? world.password : nil)
      try other.exchange("origin")
      try one.exchange("team")
      _ = try one.authorize(other, as: .admin)
      others.append(other)
    }
    #expect(try world.converge([one] + others) == [])
    let (two, three, four) = (others[0], others[1], others[2])
    for (by, about) in [(two, three), (three, two)] {
      try by.put("by-\(by.instance)", [("n", .integer(1))])
      _ = try by.access.revoke(about.instance, after: nil, rotates: true)
      try by.put("after-\(by.instance)", [("n", .integer(1))])
    }
    #expect(try world.converge([one] + others) != nil)
    // The senior one stays, and later blocks of the other one are ignored.
    #expect(try one.members.membership()?.role(of: two.instance) == .admin)
    #expect(try one.members.membership()?.role(of: three.instance) == nil)
    try expectAgreement([one, two, four])
    #expect(try one.number("after-\(two.instance)") == 1)
    #expect(try one.number("by-\(three.instance)") == nil)
    for database in [one, two, four] { try database.put("r-\(database.instance)", [("n", .integer(1))]) }
    _ = try world.converge([one] + others)
    try expectAgreement([one, two, four])
    #expect(try one.store.blocks.blocks(.unread, of: two.instance).isEmpty)
  }

  @Test func roleChangesTakeEffect() throws {
    let world = try MemberWorld(sealed: false)
    let (one, two) = try two(world)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(two, as: .write)
    try two.put("a", [("n", .integer(1))])
    #expect(try world.converge([one, two]) == [])
    #expect(throws: KitError.unauthorized(.notAdmin)) { try two.authorize(one, as: .read) }
    _ = try one.authorize(two, as: .read)
    #expect(try world.converge([one, two]) == [])
    #expect(try one.number("a") == 1)
    #expect(throws: KitError.unauthorized(.readOnly)) { try two.put("b", [("n", .integer(1))]) }
    _ = try one.authorize(two, as: .admin)
    #expect(try world.converge([one, two]) == [])
    try two.put("b", [("n", .integer(1))])
    #expect(try world.converge([one, two]) == [])
    #expect(try one.number("b") == 1)
    // A member can leave, even the founder.
    _ = try two.access.revoke(two.instance, after: nil, rotates: true)
    #expect(throws: KitError.unauthorized(.revoked)) { try two.put("c", [("n", .integer(1))]) }
    #expect(try world.converge([one, two]) == [])
    #expect(try one.members.membership()?.role(of: two.instance) == nil && one.number("b") == 1)
    try expectAgreement([one, two])
  }

  /// A reader is authorized by its request, begins its chain, and reads.
  @Test func readerAuthorizedByRequestReadsOnly() throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"])
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    try one.exchange("team")
    _ = try one.access.authorize(one.access.candidate(String(two.instance.description.prefix(32))), as: .read)
    #expect(try world.converge([one, two]) == [])
    #expect(try two.number("a") == 1 && !two.isPending())
    #expect(throws: KitError.unauthorized(.readOnly)) { try two.put("b", [("n", .integer(1))]) }
    try expectAgreement([one, two])
  }

  /// Keys announced by an instance that is not an admin are ignored.
  @Test func epochsOfNonAdminsAreIgnored() throws {
    let world = try MemberWorld(sealed: true)
    let (one, two) = try two(world)
    try two.exchange("origin")
    try one.exchange("team")
    _ = try one.authorize(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    #expect(throws: KitError.unauthorized(.notAdmin)) { try two.access.rotate(nil) }
    let bad = try #require(EpochKey(number: 2, bytes: [UInt8](repeating: 7, count: 32)))
    let slot = try Slot.instance(
      one.instance, exchange: one.access.ownCandidate().exchange, bad, database: one.databaseID,
      ephemeral: Random.bytes(32))
    try world.scratch.write("team/keys/\(slot.digest)", slot.bytes)
    let valid = try one.keychain.validSlotNames()
    let chain = try #require(try two.store.branches.chain(two.instance))
    let block = try ForgedBlock.make(
      two, behind: chain.head, lamport: chain.lamport + 10,
      [.epoch(EpochChange(epoch: 2, key: bad.digest, slots: [slot.digest], ended: valid.sorted()))])
    try world.scratch.write("team/transactions/\(two.instance)/\(Layout.path(of: chain.head.index + 1))", block)
    try one.exchange("team")
    #expect(try one.keychain.validSlotNames() == valid && one.keychain.newestEpoch() == 1)
    #expect(try one.keychain.ring()?.newest?.number == 1 && one.keychain.ring()?.all.count == 1)
    // Using the last possible epoch does not help either.
    let last = try #require(EpochKey(number: .max, bytes: [UInt8](repeating: 8, count: 32)))
    let trap = try Slot.instance(
      one.instance, exchange: one.access.ownCandidate().exchange, last, database: one.databaseID,
      ephemeral: Random.bytes(32))
    try world.scratch.write("team/keys/\(trap.digest)", trap.bytes)
    let three = try world.newcomer("three", ["team"], password: world.password)
    try three.exchange("origin")
    let begun = try #require(try three.store.branches.chain(three.instance))
    let sealed = try ForgedBlock.make(
      three, behind: begun.head, lamport: begun.lamport + 1, [.shared(key: "log.date", value: nil)], last)
    try world.scratch.write("team/transactions/\(three.instance)/\(Layout.path(of: begun.head.index + 1))", sealed)
    for _ in 0..<2 { #expect(try one.exchange("team").problems.filter { $0.isDamage } == []) }
    #expect(try one.store.blocks.pendingBlocks().contains { $0.instance == three.instance && $0.blocks == 2 })
    #expect(try one.keychain.newestEpoch() == 1 && one.keychain.ring()?.newest?.number == 1)
    _ = try one.access.rotate(nil)
    #expect(try one.keychain.newestEpoch() == 2)
  }
}

/// A block that a member's program would not write.
enum ForgedBlock {
  /// Makes a first block under any key with any previous hash.
  /// - Parameter signer: nil if the maker cannot sign for the instance.
  static func first(
    of instance: UUID, in database: UUID, under key: EpochKey, previous: Digest, _ controls: [ControlEntry],
    by signer: Identity? = nil
  ) throws -> [UInt8] {
    let names = database.bytes + instance.bytes
    let secret = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
    var writer = ByteWriter()
    writer.payload(time: 0, label: nil, items: controls.count)
    for control in controls { control.write(into: &writer) }
    let clear = writer.array()
    let header = BlockHeader(
      mode: [.signed, .sealed, .control], payloadSize: UInt32(clear.count + SealedBlock.overhead), index: 0, lamport: 1,
      previous: previous, data: .zero)
    let iv = [UInt8](repeating: 1, count: AESGCM.ivSize)
    let additional = names + header.encoded()[..<BlockHeader.signedPart] + key.digest.bytes
    let content = try key.digest.bytes + iv + AESGCM.seal(clear, key: secret, iv: iv, additional: additional)
    let covered = SignedMessage.covered(header, heads: SHA256.hash([]), content: SHA256.hash(content))
    let message = SignedMessage.bytes(database: database, instance: instance, covered)
    let signature =
      try signer.map { try Ed25519.sign(message, seed: $0.signingSeed, key: $0.key) }
      ?? [UInt8](repeating: 3, count: Payload.signatureSize)
    return resealed(header.encoded() + content + signature)
  }

  static func make(
    _ author: Database, behind head: BlockRef, lamport: UInt32, _ controls: [ControlEntry], _ key: EpochKey? = nil
  ) throws -> [UInt8] {
    let folder = "\(author.path)/keys"
    let identity = try IdentityFile.read(folder: folder, key: nil)
    var builder = BlockBuilder(reservedSize: 8192)
    let ring = try key.map { KeyRing(author.folder.proof!, keys: [$0]) } ?? author.keychain.ring()
    let sealing = try ring.map { ring in
      Sealing(keys: ring, key: (key ?? ring[ring.first])!, random: try Random.bytes(32))
    }
    return try builder.finish(
      database: author.databaseID, identity: identity, previous: head, lamport: lamport, time: 0, label: "forged",
      controls: controls, sealing: sealing
    ) { block, _ in Array(block.bytes) }
  }
}
