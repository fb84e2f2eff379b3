import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Blocks under keys without a valid entry are hidden until there is one, equally for all instances at any time.
@Suite struct UnlistedKeyTests {
  private let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true, inMemory: true) }

  private func password() -> [UInt8] { Array(world.password.utf8) }

  /// Revokes an instance from its first block on.
  private func undo(_ other: Database, by one: Database) throws {
    try one.author.write { transaction in
      _ = try transaction.append(controls: [.revoke(instance: other.instance, last: nil)], label: "revoke")
    }
  }

  /// Checks that an instance shows the same as a newcomer, also after `reindex`.
  private func matchingNewcomer(_ one: Database, _ name: String) throws -> Database {
    let digest = try one.store.projection.digest()
    #expect(try one.rebuildProjection(dryRun: false).changed == false)
    let newcomer = try world.newcomer(name, ["team"], password: world.password)
    #expect(try newcomer.store.projection.digest() == digest, "\(name)")
    return newcomer
  }

  @Test func blocksOfInvalidEpochAreHiddenUntilRelisted() throws {
    let (one, two, three) = try world.members(.admin, .write)
    _ = try two.access.rotate(password())
    #expect(try world.converge([two, three, one]) == [])
    try three.put("c", [("n", .integer(1))])
    #expect(try world.converge([one, two, three]) == [])
    #expect(try one.number("c") == 1)
    // No valid entry lists the key of epoch 2 any longer.
    try undo(two, by: one)
    try one.exchange("team", .push)
    let told = try three.exchange("origin", .pull).problems
    #expect(told.contains { $0.code == .noKey && $0.branch?.instance == three.instance })
    #expect(try three.number("c") == nil)
    var found: [Problem.Code] = []
    try three.verification.verifyStore({ _ in }, { found.append($0.code) })
    #expect(Set(found) == [.noKey])
    #expect(try three.keychain.ring()?.newest?.number == 1)
    #expect(try matchingNewcomer(three, "four").number("c") == nil)
    three.close()
    let again = try world.reopened("three")
    #expect(try again.keychain.ring()?.newest?.number == 1)
    // An admin that has the key lists it again.
    try one.exchange("team")
    try one.exchange("team")
    try again.exchange("origin", .pull)
    #expect(try one.number("c") == 1 && again.number("c") == 1)
    #expect(try matchingNewcomer(again, "five").number("c") == 1)
    #expect(try again.keychain.ring()?.unconfirmedKeys.isEmpty == true)
  }

  /// Invented keys wrapped for an instance open nothing and are not stored.
  @Test func keysFromStrangersAreNotStored() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let kept = try world.scratch.bytes("one/.sea/keys/epochs")
    let made = try #require(EpochKey(number: 1, bytes: [UInt8](repeating: 7, count: 32)))
    let candidate = try one.access.ownCandidate()
    let slot = try Slot.instance(
      candidate.instance, exchange: candidate.exchange, made, database: one.databaseID,
      ephemeral: [UInt8](repeating: 9, count: 32))
    try world.container("team").write(slot.digest.description, slot.bytes, in: .keys)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    #expect(try world.scratch.bytes("one/.sea/keys/epochs") == kept)
    #expect(try matchingNewcomer(one, "two").number("a") == 1)
  }

  /// An owner of the keys can leave slots for other keys. A newcomer begins its chain under the keys that the entries
  /// list.
  @Test func newcomerUsesOnlyListedKeys() throws {
    let one = try world.founder("one", ["team"], members: false)
    _ = try one.access.rotate(password())
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let newest = try #require(try one.keychain.ring()?.newest)
    var random = SeededRandom(1)
    var strays: [String] = []
    for _ in 0..<20 {
      let number = UInt32(Bool.random(using: &random) ? 1 : 9)
      let made = try #require(EpochKey(number: number, bytes: random.bytes(EpochKey.size)))
      let slot = try Slot.previous(made, under: newest, database: one.databaseID, iv: random.bytes(12))
      strays.append(slot.digest.description)
      try world.container("team").write(slot.digest.description, slot.bytes, in: .keys)
    }
    let two = try world.newcomer("two", ["team"], password: world.password)
    #expect(try two.number("a") == 1)
    try two.put("b", [("n", .integer(2))])
    try two.exchange("origin")
    #expect(try two.keychain.ring()?.all == one.keychain.ring()?.all)
    for stray in strays { try world.container("team").remove(stray, in: .keys) }
    #expect(try one.exchange("team").problems.isEmpty)
    #expect(try one.number("b") == 2)
  }

  @Test(arguments: 0..<8) func readerMatchesNewcomerInAnyOrder(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let three = try world.newcomer("three", ["team"])
    let reader = try world.newcomer("reader", ["team"], password: world.password)
    try one.exchange("team")
    try one.authorize(two, as: .admin)
    try one.authorize(three, as: .write)
    try one.authorize(reader, as: .read)
    _ = try world.converge([one, two, three, reader])
    var number = 0
    for step in 0..<24 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: _ = try? two.access.rotate(password())
      case 1: _ = try? one.access.rotate(password())
      case 2: try undo(two, by: one)
      case 3: try? one.authorize(two, as: .admin)
      case 4:
        number += 1
        try? three.put("c\(number % 3)", [("n", .integer(Int64(step)))])
      case 5: try one.exchange("team", Bool.random(using: &random) ? .push : .both)
      case 6: try two.exchange("origin")
      default: try three.exchange("origin")
      }
      if Int.random(in: 0..<3, using: &random) == 0 { try reader.exchange("origin", .pull) }
    }
    for database in [two, three, one] { try database.exchange(database === one ? "team" : "origin", .push) }
    try reader.exchange("origin", .pull)
    _ = try matchingNewcomer(reader, "newcomer")
  }
}
