import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Another key of the same number does not help: blocks that no local key decrypts wait for the right key and are
/// reported.
@Suite struct MissingKeyTests {
  private let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true, inMemory: true) }

  private func password() -> [UInt8] { Array(world.password.utf8) }

  /// Removes the key slots added since then, as a cloud might.
  private func withhold(since before: [String]) throws -> [String: [UInt8]] {
    let container = world.container("team")
    var taken: [String: [UInt8]] = [:]
    for name in try container.names(in: .keys) where !before.contains(name) {
      taken[name] = try container.read(name, in: .keys)
      try container.remove(name, in: .keys)
    }
    return taken
  }

  private func expectMissingKey(_ one: Database) throws {
    for _ in 0..<3 {
      let codes = try Set(one.exchange("origin").problems.map(\.code))
      #expect(codes == [.noKey])
    }
    #expect(try Set(one.members.uncounted.unapplied().map(\.code)) == [.noKey])
    var codes: [Problem.Code] = []
    try one.verification.verifyStore({ codes += $0.faults.map(\.code) }, { codes.append($0.code) })
    #expect(Set(codes) == [.noKey])
    codes = []
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: true, keys: one.keychain.ring(), own: one.folder,
      { report in
        codes += (report.faults + [report.problem].compactMap { $0 }).map(\.code)
        if report.firstUnopened != nil { codes.append(.noKey) }
      }, { codes.append($0.code) })
    #expect(Set(codes) == [.noKey])
  }

  private func restoreSlotsAndRead(_ one: Database, _ slots: [String: [UInt8]]) throws {
    for (name, bytes) in slots where try world.container("team").read(name, in: .keys) == nil {
      try world.container("team").write(name, bytes, in: .keys)
    }
    #expect(try one.exchange("origin").problems.isEmpty)
    #expect(try one.number("a") == 1)
  }

  @Test func inventedKeyDoesNotReplaceMissingKey() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    try one.exchange("team")
    try one.authorize(two, as: .write)
    #expect(try world.converge([one, two]) == [])
    let made = try #require(EpochKey(number: 2, bytes: [UInt8](repeating: 7, count: 32)))
    let candidate = try two.access.ownCandidate()
    let slot = try Slot.instance(
      candidate.instance, exchange: candidate.exchange, made, database: one.databaseID,
      ephemeral: [UInt8](repeating: 9, count: 32))
    try world.container("team").write(slot.digest.description, slot.bytes, in: .keys)
    let before = try world.container("team").names(in: .keys)
    _ = try one.access.rotate(password())
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let slots = try withhold(since: before)
    try expectMissingKey(two)
    #expect(throws: KitError.oldKey(epoch: 2)) { try two.put("b", [("n", .integer(2))]) }
    try restoreSlotsAndRead(two, slots)
  }

  @Test func otherKeyOfSameEpochOpensNothing() throws {
    let (one, two, three) = try world.members(.admin, .write)
    _ = try one.access.rotate(password())
    _ = try two.access.rotate(password())
    try two.put("a", [("n", .integer(1))])
    try one.exchange("team")
    #expect(try three.exchange("origin").problems.isEmpty)
    let before = try world.container("team").names(in: .keys)
    try two.exchange("origin")
    let slots = try withhold(since: before)
    try expectMissingKey(three)
    // The key for new blocks is here.
    try three.put("c", [("n", .integer(3))])
    try restoreSlotsAndRead(three, slots)
  }

  /// A given password is also tried if other keys are stored; a password that opens nothing changes nothing.
  @Test func passwordOpensNextEpoch() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    // The instance has announced nothing, so no slot of the next epoch is for it.
    try world.newcomer("late", ["team"], password: world.password).close()
    _ = try one.access.rotate(password())
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    func late(_ given: String?) throws -> Database {
      var settings = world.settings()
      if let given { settings.givenPassword = { { Array(given.utf8) } } }
      return try Database(path: Path.join(world.scratch.path("late"), ".sea"), settings)
    }
    for given in [nil, "wrong"] {
      let one = try late(given)
      #expect(try one.exchange("origin").problems.map(\.code) == [.noKey])
      #expect(throws: KitError.oldKey(epoch: 2)) { try one.put("b", [("n", .integer(2))]) }
      one.close()
    }
    var again = try late(world.password)
    try again.put("b", [("n", .integer(2))])
    again.close()
    again = try late(nil)
    #expect(try again.exchange("origin").problems == [] && again.number("a") == 1)
    again.close()
    // In one sync, from the key slots of the container.
    try world.newcomer("later", ["team"], password: world.password).close()
    _ = try one.access.rotate(password())
    try one.put("c", [("n", .integer(3))])
    try one.exchange("team")
    var settings = world.settings()
    settings.givenPassword = { [world] in { Array(world.password.utf8) } }
    let later = try Database(path: Path.join(world.scratch.path("later"), ".sea"), settings)
    #expect(try later.exchange("origin").problems == [] && later.number("c") == 3)
  }
}
