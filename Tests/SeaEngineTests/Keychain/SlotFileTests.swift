import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Changes of key slots, requests and encrypted chains in a container, and their effects.
@Suite struct SlotFileTests {
  let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true) }

  private func slots() throws -> [String] { try world.scratch.files("team/keys") }

  @Test func memberRestoresDamagedSlots() throws {
    let one = try world.founder("one", ["team"], members: false)
    _ = try one.access.addPassword(Array("second".utf8))
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let names = try slots()
    let bytes = try names.map { try world.scratch.bytes($0) }
    #expect(names.count == 2)
    for change in 0..<3 {
      switch change {
      case 0:
        for (name, good) in zip(names, bytes) {
          var bad = good
          bad[bad.count / 2] ^= 1
          try world.scratch.write(name, bad)
        }
      case 1:
        try world.scratch.write(names[0], bytes[1])
        try world.scratch.write(names[1], bytes[0])
      default: for name in names { try Path.remove(world.scratch.path(name)) }
      }
      #expect(throws: KitError.stillIncomplete(path: world.scratch.path("team"), what: .keys)) {
        try world.newcomer("two", ["team"], password: world.password)
      }
      #expect(try !Path.exists(world.scratch.path("two")))
      // A member loses nothing and restores the slots.
      try one.put("b", [("n", .integer(Int64(change)))])
      #expect(try one.exchange("team").problems.filter { $0.isDamage } == [])
      #expect(try names.map { try world.scratch.bytes($0) } == bytes, "\(change)")
    }
    let two = try world.newcomer("two", ["team"], password: "second")
    #expect(try two.number("a") == 1)
  }

  /// Thousands of files, large files, and slots that would take hours.
  @Test func cloneSurvivesFloodOfJunkSlots() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    for k in 0..<500 { try world.scratch.write("team/keys/\(SHA256.hash([UInt8(k & 255), UInt8(k >> 8)]))", [1]) }
    try world.scratch.write("team/keys/\(SHA256.hash([1, 2, 3]))", [UInt8](repeating: 7, count: 1 << 16))
    try world.scratch.write("team/keys/\(SHA256.hash([1, 2, 4]))", [UInt8](repeating: 7, count: 1 << 17))
    let key = try #require(EpochKey(number: 9, bytes: [UInt8](repeating: 1, count: 32)))
    // The rounds in the header are only a claim.
    let cheap = try Slot.password(
      Array("x".utf8), key, database: one.databaseID, rounds: 50_000, salt: Random.bytes(16), iv: Random.bytes(12))
    for k in 0..<20 {
      var dear = cheap.bytes
      let rounds = try #require(dear.firstRange(of: [0x19, 0xC3, 0x50]))
      // 50,000 and the largest value have different lengths, so a number of the same length is used.
      dear.replaceSubrange(rounds, with: [0x19, 0xFF, UInt8(k)])
      try world.scratch.write("team/keys/\(SHA256.hash(dear))", dear)
    }
    let two = try world.newcomer("two", ["team"], password: world.password)
    #expect(try two.number("a") == 1)
    #expect(try two.store.control.slots().count == 1)
    try two.exchange("origin")
    try one.exchange("team")
  }

  /// The entry that lists a key slot arrives before the slot, and blocks of its key before both.
  @Test func blocksWaitForLateSlot() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.exchange("origin")
    try one.exchange("team")
    let before = try slots()
    _ = try one.access.rotate(Array(world.password.utf8))
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    // The first block of this newcomer is encrypted with the new key.
    let three = try world.newcomer("three", ["team"], password: world.password)
    try three.put("b", [("n", .integer(2))])
    try three.exchange("origin")
    let new = try slots().filter { !before.contains($0) }
    let bytes = try new.map { try world.scratch.bytes($0) }
    #expect(new.count >= 3)
    for name in new { try Path.remove(world.scratch.path(name)) }
    for _ in 0..<2 {
      let exchange = try two.exchange("origin", .pull)
      #expect(exchange.problems.contains { $0.code == .noKey })
      #expect(exchange.problems.filter { $0.isDamage } == [])
    }
    #expect(try two.number("a") == nil)
    #expect(try two.store.blocks.blocks(.unread).count == 1)
    #expect(try two.store.branches.chain(three.instance) == nil)
    #expect(throws: KitError.oldKey(epoch: 2)) { try two.put("c", [("n", .integer(3))]) }
    for (name, slot) in zip(new, bytes) { try world.scratch.write(name, slot) }
    #expect(try two.exchange("origin").problems == [])
    #expect(try two.number("a") == 1 && two.number("b") == 2)
    #expect(try two.keychain.ring()?.newest?.number == 2)
    try two.put("c", [("n", .integer(3))])
    #expect(try world.converge([one, two, three]) == [])
    for database in [two, three] {
      #expect(try database.store.projection.digest() == one.store.projection.digest())
      #expect(try database.store.projection.digest() == database.store.projection.expectedDigest())
    }
  }

  /// Anyone can wrap a key for an instance that has requested access.
  @Test func keyFromStrangerIsIgnored() throws {
    let one = try world.founder("one", ["team"])
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let key = try #require(EpochKey(number: 1, bytes: [UInt8](repeating: 1, count: 32)))
    let slot = try Slot.instance(
      two.instance, exchange: two.access.ownCandidate().exchange, key, database: one.databaseID,
      ephemeral: Random.bytes(32))
    try world.scratch.write("team/keys/\(slot.digest)", slot.bytes)
    _ = try two.exchange("origin")
    #expect(try two.isPending())
    #expect(try world.scratch.files("two/.sea/keys") == ["two/.sea/keys/instance"])
    try one.exchange("team")
    _ = try one.access.authorize(one.access.candidate(String(two.instance.description.prefix(8))), as: .write)
    #expect(try world.converge([one, two]) == [])
    #expect(try !two.isPending() && two.number("a") == 1)
    try two.put("b", [("n", .integer(2))])
    #expect(try world.converge([one, two]) == [])
    #expect(try one.number("b") == 2)
  }

  /// If ended slots were not recorded, an old password would work forever.
  @Test func restoredEndedSlotIsRefusedAndRemoved() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let old = try slots()
    let bytes = try old.map { try world.scratch.bytes($0) }
    _ = try one.access.changePassword(from: Array(world.password.utf8), to: Array("new".utf8))
    try one.exchange("team")
    for (name, slot) in zip(old, bytes) { try world.scratch.write(name, slot) }
    #expect(throws: KitError.badPassword(place: world.scratch.path("team"))) {
      try world.newcomer("two", ["team"], password: world.password)
    }
    #expect(try !Path.exists(world.scratch.path("two")))
    try world.newcomer("two", ["team"], password: "new").close()
    try one.exchange("team")
    #expect(try slots().filter { old.contains($0) }.isEmpty)
  }

  // MARK: - Requests

  @Test func requestStaysUntilAuthorization() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let file = "team/requests/\(two.instance)"
    let request = try world.scratch.bytes(file)
    try two.exchange("origin")
    #expect(try world.scratch.files("team/requests") == [file])
    #expect(try world.scratch.bytes(file) == request)
    for _ in 0..<2 { try one.exchange("team") }
    #expect(try one.access.requests.open().map(\.instance) == [two.instance])
    // Only the owner of the key can request access for an instance.
    var forged = request
    forged[forged.count - 1] ^= 1
    try world.scratch.write("team/requests/\(one.instance)", forged)
    try world.scratch.write(file, forged)
    try one.exchange("team")
    #expect(try one.access.requests.open().map(\.instance) == [two.instance])
    // A replaced request is restored.
    for junk in [forged, [UInt8](repeating: 0, count: 1 << 17)] {
      try world.scratch.write(file, junk)
      try two.exchange("origin")
      #expect(try world.scratch.bytes(file) == request)
    }
    _ = try one.access.authorize(one.access.candidate(String(two.instance.description.prefix(8))), as: .write)
    #expect(try one.access.requests.open().isEmpty)
    #expect(try world.converge([one, two]) == [])
    #expect(try !Path.exists(world.scratch.path(file)))
    #expect(try one.store.control.requests().isEmpty)
  }

  @Test func guestJoinsThroughReadOnlyContainer() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    var setting = ContainerSetting(name: "still", location: world.scratch.path("team"))
    setting.isReadOnly = true
    let two = try world.newcomer("two", ["team"])
    _ = try two.containers.remove("origin", force: true)
    _ = try two.containers.add(setting, create: false)
    try Path.remove(world.scratch.path("team/requests/\(two.instance)"))
    #expect(try two.exchange("still").problems.filter { $0.isDamage } == [])
    #expect(try world.scratch.files("team/requests").isEmpty)
    _ = try one.access.authorize(two.access.ownCandidate(), as: .write)
    try one.exchange("team")
    #expect(try two.exchange("still").problems == [] && !two.isPending())
  }

  // MARK: - Foreign chains

  @Test func chainWithWrongEncryptionIsQuarantined() throws {
    for isSealed in [true, false] {
      let good = try SyncWorld(sealed: isSealed)
      let one = try good.instance("one")
      try good.attach("team", to: one)
      try one.exchange("team")
      let two = try good.instance("two")
      try good.attach("other", to: two)
      try two.put("a", [("n", .integer(1))])
      try two.exchange("other")
      let place = good.blockPath("team", two.instance, 0)
      let bytes = try good.scratch.bytes(good.blockPath("other", two.instance, 0))
      // The same chain as written by a program that does not know about encryption, or wrongly assumes it.
      let identity = try IdentityFile.read(folder: "\(two.path)/keys", key: nil)
      var builder = BlockBuilder(reservedSize: 4096)
      let wrong = try SyncWorld(sealed: true)
      let sealing = Sealing(
        keys: KeyRing(try #require(wrong.proof), keys: [try #require(wrong.key)]), key: try #require(wrong.key),
        random: try Random.bytes(32))
      let other = try builder.finish(
        database: one.databaseID, identity: identity, previous: nil, lamport: 1, time: 0, label: nil,
        controls: [.instance(name: "two", key: identity.key, exchange: identity.exchangeKey())],
        sealing: isSealed ? nil : sealing
      ) { block, _ in Array(block.bytes) }
      try good.scratch.write(place, other)
      let codes = try one.exchange("team").problems.map(\.code)
      #expect(codes == [.badMode], "\(isSealed)")
      #expect(try one.store.peers.quarantine().count == 1)
      #expect(try one.store.branches.chain(two.instance) == nil)
      try good.scratch.write(place, bytes)
      #expect(try one.exchange("team").problems == [])
      #expect(try one.store.peers.quarantine().isEmpty)
    }
  }

  @Test func transplantedBlockFailsAuthentication() throws {
    let good = try SyncWorld(sealed: true)
    let one = try good.instance("one")
    try good.attach("team", to: one)
    try one.exchange("team")
    // Another database with the same key: data bound to the database does not match.
    let stranger = try good.instance("stranger", of: UUID.random())
    try good.attach("strange", to: stranger)
    try stranger.exchange("strange")
    let block = try good.scratch.bytes(good.blockPath("strange", stranger.instance, 0))
    try good.scratch.write(good.blockPath("team", stranger.instance, 0), block)
    #expect(try one.exchange("team").problems.map(\.code) == [.badTag])
    // Under the name of another instance.
    let two = try good.instance("two")
    try good.attach("other", to: two)
    try two.exchange("other")
    try Path.remove(good.scratch.path(good.blockPath("team", stranger.instance, 0)))
    let victim = try good.instance("victim")
    try good.scratch.write(
      good.blockPath("team", victim.instance, 0), good.scratch.bytes(good.blockPath("other", two.instance, 0)))
    #expect(try one.exchange("team").problems.map(\.code) == [.badTag])
    #expect(try one.store.branches.chains().map(\.instance) == [one.instance])
  }

  /// Each kind has its own code, and a flood is reported as a number.
  @Test func verifyReportsInvalidSlotsByKind() throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let container = world.container("team")
    func put(_ bytes: [UInt8], as name: String? = nil) throws {
      try container.write(name ?? SHA256.hash(bytes).description, bytes, in: .keys)
    }
    func isPassword(_ name: String) throws -> Bool {
      try container.read(name, in: .keys).map { try Slot($0).isPassword } ?? false
    }
    let name = try #require(try container.names(in: .keys).first(where: isPassword))
    let good = try #require(try container.read(name, in: .keys))
    try put(good, as: String(repeating: "0", count: 64))
    let rounds = try #require(good.indices.first { good[$0...].starts(with: [0x19, 0xc3, 0x50]) })
    var cheap = good
    cheap[rounds + 2] -= 1
    try put(cheap)
    for n in 0..<25 { try put(Array("no slot \(n)".utf8)) }
    let key = try #require(EpochKey(number: 1, bytes: [UInt8](repeating: 7, count: 32)))
    let elsewhere = try Slot.instance(
      one.instance, exchange: one.access.ownCandidate().exchange, key, database: UUID.random(),
      ephemeral: [UInt8](repeating: 9, count: 32))
    try put(elsewhere.bytes)
    var found: [Problem.Code: [String]] = [:]
    try Verification.container(
      container, named: "team", readsPayloads: false, { _ in }, { found[$0.code, default: []].append($0.detail) })
    #expect(Set(found.keys) == [.foreignFile, .badSlot, .badRounds])
    #expect(found[.foreignFile]?.count == 2 && found[.badRounds]?.count == 1)
    #expect(found[.badSlot]?.count == 21 && found[.badSlot]?.last == "5 more in keys")
  }
}
