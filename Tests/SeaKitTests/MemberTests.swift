import SeaKit
import SeaTestSupport
import Testing

@Suite struct MemberTests {
  private static func pair(sealed: Bool, password: String? = nil) async throws -> Pair {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    (new.hasMembers, new.isSealed) = (true, sealed)
    return try await Pair(new, password: password)
  }

  /// A sealed database, of the password `correct horse`, in a folder that goes with what keeps it.
  private static func sealed() async throws -> (ScratchFolder, Database) {
    let scratch = try ScratchFolder(inMemory: true)
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.isSealed = true
    var options = Database.Options()
    options.password = { "correct horse" }
    let database = try await Database.create(in: scratch.path("one"), new, options)
    return (scratch, database)
  }

  @Test(arguments: [false, true]) func instanceIsAuthorizedAndRevoked(sealed: Bool) async throws {
    let pair = try await Self.pair(sealed: sealed, password: sealed ? "correct horse" : nil)
    let (one, two) = (pair.one, pair.two)
    #expect(try await !one.members.isWaiting())
    #expect(try await two.members.isWaiting())
    try pair.sync()
    let asking = try #require(try await one.members.requests().first { $0.name == "two" })
    #expect(asking.state == .pending && asking.role == nil && !asking.isOwn)
    // What it writes before is kept, and counts once it is in.
    #expect((asking.heldBlocks > 0) == !sealed)
    #expect(asking.fingerprint?.split(separator: " ").count == 8)
    let own = try #require(try await two.members.all().first(where: \.isOwn))
    #expect(own.fingerprint == asking.fingerprint && own.id == asking.id)
    #expect(try await failure { try await two.members.authorize(asking) }.code != .bug)

    let change = try await one.members.authorize(asking)
    #expect((change.key == nil) == !sealed)
    try pair.sync()
    #expect(try await !two.members.isWaiting())
    try await two.save(Keeper(id: "b", name: "Bob"))
    try pair.sync()
    #expect(try await one.fetch(Keeper.all).map(\.name) == ["Bob"])
    let known = try #require(try await one.members.all().first { $0.id == asking.id })
    #expect(known.state == .authorized && known.role == .write && known.lastSeen != nil && known.heldBlocks == 0)

    try await one.members.revoke(asking.id)
    #expect(try await one.members.all().first { $0.id == asking.id }?.state == .revoked)
    #expect(try await failure { try await one.members.revoke(asking.id) }.code != .bug)
    #expect(try await failure { try await one.members.revoke("nobody") }.code == .notFound)
    #expect(try await one.fetch(Keeper.all).map(\.name) == ["Bob"])
  }

  @Test func passwordsAreAddedChangedAndRemoved() async throws {
    let (scratch, database) = try await Self.sealed()
    defer { withExtendedLifetime(scratch) {} }
    #expect(try await database.members.hasPassword())
    try await database.members.addPassword("second")
    #expect(
      try await failure { try await database.members.changePassword(from: "wrong", to: "x") }.code == .badPassword)
    try await database.members.changePassword(from: "second", to: "third")
    #expect(try await failure { try await database.members.rotateKey(keeping: "second") }.code == .badPassword)
    #expect(try await database.members.rotateKey(keeping: "third") == 2)
    #expect(
      try await failure { try await database.members.changePassword(from: "correct horse", to: "x") }.code
        == .badPassword)
    try await database.save(Keeper(id: "a", name: "Ann"))
    try await database.members.rotateKey()
    #expect(try await !database.members.hasPassword())
    #expect(try await database.fetch(Keeper.all).map(\.name) == ["Ann"])
    #expect(try await failure { try await Database.inMemory().members.addPassword("x") }.code != .bug)
  }

  /// A password is asked for when something is to be sealed or opened, and no more often than that; a wrong one leaves nothing behind.
  @Test func cloneRequiresTheRightPassword() async throws {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.isSealed = true
    let pair = try await Pair(new, password: "correct horse") { try await $0.save(Keeper(id: "a", name: "Ann")) }
    let (team, path) = (pair.scratch.path("team"), pair.scratch.path("three"))
    for wrong in ["wrong", "", "null\0"] {
      var options = Database.Options()
      options.password = { wrong }
      let error = try await failure { try await Database.clone(team, to: path, name: "three", options) }
      #expect([.badPassword, .badData].contains(error.code), "\(error)")
      #expect(try pair.scratch.files().allSatisfy { !$0.contains("three") })
    }
    var options = Database.Options()
    options.password = { "correct horse" }
    let three = try await Database.clone(team, to: path, name: "three", options)
    #expect(try await !three.members.isWaiting())
    #expect(try await three.fetch(Keeper.all).map(\.name) == ["Ann"])
    try await three.save(Keeper(id: "b", name: "Bob"))
    try Pair.sync(three)
    try pair.sync()
    #expect(try await pair.one.fetch(Keeper.all).map(\.name) == ["Ann", "Bob"])
    // Who was told no password reads nothing.
    #expect(try await pair.two.count(Keeper.all) == 0)
  }

  /// The device of the founder is lost: who has the words lets himself in and shuts it out.
  @Test(arguments: [false, true]) func recoveryKeyAuthorizesAndRevokes(sealed: Bool) async throws {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    (new.hasMembers, new.isSealed) = (true, sealed)
    let recovery = try RecoveryKey.new()
    new.recovery = recovery
    #expect(recovery.words.count == 24 && "\(recovery)" == "a recovery key")
    let pair = try await Pair(new, password: sealed ? "correct horse" : nil) {
      try await $0.save(Keeper(id: "a", name: "Ann"))
    }
    var options = Database.Options()
    let typed = recovery.words.joined(separator: "\n").uppercased()
    options.recovery = try RecoveryKey(words: typed)
    let three = try await Database.clone(
      pair.scratch.path("team"), to: pair.scratch.path("three"), name: "three", options)
    let own = try #require(try await three.members.all().first(where: \.isOwn))
    #expect(own.role == nil)
    let other = try RecoveryKey.new()
    #expect(try await failure { try await three.members.authorize(own, as: .admin, by: other) }.code == .unauthorized)
    try await three.members.authorize(own, as: .admin, by: options.recovery)
    let lost = try #require(try await three.members.all().first { $0.name == "one" && $0.role == .admin })
    try await three.members.revoke(lost.id, by: options.recovery)
    #expect(try await three.members.all().first(where: \.isOwn)?.role == .admin)
    #expect(try await three.fetch(Keeper.all).map(\.name) == ["Ann"])
    try await three.save(Keeper(id: "b", name: "Bob"))
    try Pair.sync(three)
    #expect(try await three.members.all().first { $0.id == lost.id }?.state == .revoked)
    new.hasMembers = false
    let (path, without) = (pair.scratch.path("four"), new)
    #expect(try await failure { try await Database.create(in: path, without) }.code == .usage)
    #expect(try await failure { try RecoveryKey(words: "zoo zoo") }.code == .badData)
  }

  /// What a revoked one has written behind a block counts no more.
  @Test func revocationPointCanBeChosen() async throws {
    let pair = try await Self.pair(sealed: false)
    let (one, two) = (pair.one, pair.two)
    try pair.sync()
    let asking = try #require(try await one.members.requests().first)
    try await one.members.authorize(asking)
    try pair.sync()
    for name in ["b", "c"] { try await two.save(Keeper(id: name, name: name)) }
    try pair.sync()
    #expect(try await one.count(Keeper.all) == 2)
    let last = try #require(try await one.history.transactions(of: asking.id).first)
    let change = try await one.members.revoke(asking.id, after: last.index - 1)
    #expect(change.blocks == 1)
    #expect(try await one.fetch(Keeper.all).map(\.name) == ["b"])
  }

  @Test func keySlotsAreListedAndRemoved() async throws {
    let (scratch, database) = try await Self.sealed()
    defer { withExtendedLifetime(scratch) {} }
    try await database.members.addPassword("second")
    let slots = try await database.members.slots()
    let passwords = slots.filter { if case .password = $0.opener { true } else { false } }
    let own = try await database.instance()
    #expect(passwords.count == 2 && slots.allSatisfy { $0.key == 1 && $0.id.utf8.count == 64 })
    for slot in passwords { try await database.members.removeSlot(slot.id) }
    #expect(try await !database.members.hasPassword())
    #expect(try await failure { try await database.members.removeSlot("0000") }.code == .notFound)
    try await database.members.rotateKey()
    let newer = try await database.members.slots()
    #expect(newer.contains { $0.opener == .earlierKey(1) && $0.key == 2 })
    #expect(newer.contains { $0.opener == .instance(own.id, name: "one") && $0.key == 2 })
    #expect(try await failure { try await Database.inMemory().members.slots() }.code != .bug)
  }

  /// No password that nobody could type again seals a database, and nothing is left of the attempt.
  @Test func invalidPasswordCreatesNoDatabase() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.isSealed = true
    for bad in ["", "a\0", String(repeating: "a", count: (1 << 20) + 1)] {
      var options = Database.Options()
      options.password = { bad }
      let (path, wanted, told) = (scratch.path("one"), new, options)
      let error = try await failure { try await Database.create(in: path, wanted, told) }
      #expect(error.code != .bug, "\(error)")
      #expect(try scratch.files() == [])
    }
  }
}
