import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A writer to the container without a key cannot change the identity of the database.
@Suite struct DatabaseIdentityTests {
  /// A container of an encrypted database with members and one record.
  private func world() throws -> MemberWorld {
    let world = try MemberWorld(sealed: true, inMemory: true)
    let one = try world.founder("one", ["team"])
    try one.put(#"{"_id":"a","x":"secret"}"#)
    try one.exchange("team")
    one.close()
    return world
  }

  private func clone(_ world: MemberWorld, _ name: String, password: String? = nil) throws -> Cloned {
    try Database.clone(world.scratch.path("team"), to: world.scratch.path(name), name: name, world.settings(password))
  }

  private func remove(_ folder: String, in world: MemberWorld) throws {
    for name in try world.scratch.files(folder) { try Path.remove(world.scratch.path(name)) }
  }

  /// All facts about the database are removed, in every combination.
  @Test(arguments: 0..<16) func strippedContainerCannotDowngradeDatabase(_ what: Int) throws {
    let world = try world()
    var text = String(decoding: try world.scratch.bytes("team/info.json"), as: UTF8.self)
    if what & 1 != 0 { text = text.replacing(#/,"sealed":"[0-9a-f]+"/#, with: "") }
    if what & 2 != 0 { text = text.replacing(",\"members\":true", with: "") }
    try world.scratch.write("team/info.json", Array(text.utf8))
    if what & 4 != 0 { try remove("team/keys", in: world) }
    if what & 8 != 0 { try remove("team/transactions", in: world) }
    if what & 3 != 0 {
      for password in [nil, world.password] {
        #expect(throws: ContainerError.self) { try clone(world, "two", password: password) }
        #expect(try !Path.exists(world.scratch.path("two")))
      }
      return
    }
    // Without a password, the clone only has a request in every case.
    let asked = try clone(world, "two")
    #expect(try asked.database.isPending() && asked.database.isSealed() && asked.database.hasMembers)
    #expect(throws: (any Error).self) { try asked.database.put(#"{"_id":"b"}"#) }
    #expect(try world.scratch.files("team").filter { $0.contains(asked.database.instance.description) }.count == 1)
    let has = what & 12 == 0
    if has {
      #expect(try clone(world, "three", password: world.password).exchange.pulled == 2)
    } else {
      #expect(throws: KitError.self) { try clone(world, "three", password: world.password) }
      #expect(try !Path.exists(world.scratch.path("three")))
    }
  }

  /// Known facts stay unchanged when the container later states others.
  @Test func changedInfoIsRepairedOrRefused() throws {
    let world = try world()
    let one = try world.reopened("one")
    let proof = try #require(one.folder.proof)
    let container = world.container("team")
    let info = try container.info()
    let plain = try #require(
      DatabaseProof(founder: proof.founder, contentType: info.contentType, first: nil, hasMembers: false))
    // A container with impossible facts is damaged and is repaired from local knowledge.
    for lie in [
      ContainerInfo(container: info.container, database: info.database, contentType: info.contentType),
      ContainerInfo(container: info.container, database: info.database, contentType: info.contentType, proof: plain),
    ] {
      try world.scratch.write("team/info.json", Array(lie.text.utf8))
      try one.exchange("team")
      #expect(try container.info() == info)
    }
    // The identity of another database means another container.
    let other = ContainerInfo(
      container: info.container, database: plain.database, contentType: info.contentType, proof: plain)
    try world.scratch.write("team/info.json", Array(other.text.utf8))
    #expect(throws: (any Error).self) { try one.exchange("team") }
    #expect(try one.isSealed() && one.hasMembers)
  }

  @Test(arguments: [false, true]) func cloneRequiresChainOfCreator(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let one = try world.founder("one", ["team"], members: sealed)
    try one.put(#"{"_id":"a"}"#)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    try two.put(#"{"_id":"b"}"#)
    try two.exchange("origin")
    try remove("team/transactions/\(one.instance)", in: world)
    let password = sealed ? world.password : nil
    #expect(throws: KitError.stillIncomplete(path: world.scratch.path("team"), what: .blocks)) {
      try clone(world, "three", password: password)
    }
    #expect(try !Path.exists(world.scratch.path("three")))
    // The container is identified again as soon as its first block is back.
    try one.exchange("team")
    #expect(try clone(world, "three", password: password).exchange.pulled > 2)
  }

  /// A stranger makes keys for the guest and blocks under them.
  @Test func keysOfStrangerAreNotAccepted() throws {
    let world = try world()
    let asked = try clone(world, "two").database
    let candidate = try asked.access.ownCandidate()
    let id = asked.databaseID
    let key = try #require(EpochKey(number: 1, bytes: Random.bytes(32)))
    let slot = try Slot.instance(
      asked.instance, exchange: candidate.exchange, key, database: id, ephemeral: Random.bytes(32))
    try remove("team/keys", in: world)
    try remove("team/transactions", in: world)
    try world.scratch.write("team/keys/\(slot.digest)", slot.bytes)
    let stranger = try IdentityFile.make()
    let entries: [ControlEntry] = [
      .instance(name: "one", key: stranger.key, exchange: try stranger.exchangeKey()),
      .epoch(try EpochChange(epoch: 1, key: key.digest, slots: [slot.digest], readers: [asked.instance])),
    ]
    // As if the stranger's key were the first one.
    var root = HMACSHA256(key: try HKDF.key(key.bytes, info: Array("sea root v1".utf8) + id.bytes))
    root.update(Array("sea chain v1".utf8) + id.bytes + stranger.key)
    let block = try ForgedBlock.first(
      of: stranger.instance, in: id, under: key, previous: root.digest(), entries, by: stranger)
    try world.scratch.write("team/transactions/\(stranger.instance)/1/0", block)
    try asked.exchange("origin")
    #expect(try asked.isPending())
    #expect(try !asked.keychain.isKept())
  }

  /// Even without a key, a plain chain is recognized as foreign in an encrypted container.
  @Test func plainChainInEncryptedContainerIsReported() throws {
    let world = try world()
    let stranger = try IdentityFile.make()
    let info = try world.container("team").info()
    var builder = BlockBuilder(reservedSize: 4096)
    let block = try builder.finish(
      database: info.database, identity: stranger, previous: nil, lamport: 1, time: 0, label: nil,
      controls: [.instance(name: "x", key: stranger.key, exchange: stranger.exchangeKey())]
    ) { block, _ in Array(block.bytes) }
    try world.scratch.write("team/transactions/\(stranger.instance)/1/0", block)
    var problems: [Problem.Code] = []
    func collect(_ report: ChainReport) { if let problem = report.problem { problems.append(problem.code) } }
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: false, collect, { problems.append($0.code) })
    #expect(problems == [.badMode])
  }

  @Test func onlyGeneratedIDCarriesProof() throws {
    let scratch = try ScratchFolder(inMemory: true)
    var creation = Database.Creation()
    let settings = Database.Settings(access: .write)
    creation.database = UUID("3e0d9a52-0c1b-4f6a-8a77-2f5d1c9b6e40")
    creation.hasMembers = true
    #expect(throws: KitError.badDatabaseID) { try Database.create(in: scratch.path("a"), creation, settings) }
    creation.hasMembers = false
    let four = try Database(path: Database.create(in: scratch.path("b"), creation, settings).path)
    #expect(four.folder.proof == nil && !four.hasMembers)
    creation.database = UUID("3e0d9a52-0c1b-8f6a-8a77-2f5d1c9b6e40")
    #expect(throws: KitError.badDatabaseID) { try Database.create(in: scratch.path("c"), creation, settings) }
    creation.database = nil
    let eight = try Database(path: Database.create(in: scratch.path("d"), creation, settings).path)
    #expect(eight.databaseID == eight.folder.proof?.database)
    #expect(eight.folder.proof?.founderInstance == eight.instance && !eight.hasMembers)
  }
}
