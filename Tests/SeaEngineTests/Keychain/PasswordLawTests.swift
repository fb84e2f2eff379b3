import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Valid passwords, and the state after a refused one.
@Suite struct PasswordLawTests {
  let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true) }

  private func create(_ password: [UInt8]?) throws {
    var creation = Database.Creation()
    creation.name = "one"
    creation.isSealed = true
    var settings = world.settings()
    settings.password = { _ in password }
    _ = try Database.create(in: world.scratch.path("one"), creation, settings)
  }

  @Test func refusedCreationLeavesNothing() throws {
    for bad in [nil, [], [0xFF, 0xFE], [0x61, 0, 0x62], [UInt8](repeating: 0x61, count: (1 << 20) + 1)] as [[UInt8]?] {
      #expect(throws: (any Error).self) { try create(bad) }
      #expect(try !Path.exists(world.scratch.path("one")))
    }
    struct Refused: Error {}
    var creation = Database.Creation()
    creation.isSealed = true
    var settings = world.settings()
    settings.password = { _ in throw Refused() }
    #expect(throws: Refused.self) { try Database.create(in: world.scratch.path("one"), creation, settings) }
    #expect(try !Path.exists(world.scratch.path("one")))
  }

  /// After a crash during the creation of an encrypted database, the next creation cleans up.
  @Test func nextCreationCleansUpAfterCrash() throws {
    let one = try world.founder("one", [])
    one.close()
    let left = try AtomicFile.temporaryName()
    for name in try world.scratch.files("one/.sea") {
      try world.scratch.write("two/\(left)/\(name.dropFirst("one/.sea/".count))", world.scratch.bytes(name))
    }
    #expect(try world.scratch.files("two").contains { $0.hasSuffix("keys/epochs") })
    try world.founder("two", []).close()
    #expect(try Directory(world.scratch.path("two")).list().entries.map(\.name) == [".sea"])
  }

  @Test func longAndNormalizedPasswordsWork() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.put("a", [("n", .integer(1))])
    let long = [UInt8](repeating: 0x61, count: 1 << 20)
    _ = try one.access.changePassword(from: Array(world.password.utf8), to: long)
    try one.access.check(long)
    #expect(throws: KitError.badPassword(place: one.path)) { try one.access.check(Array(long.dropLast())) }
    // A composed letter, or a letter and a combining accent.
    _ = try one.access.changePassword(from: long, to: Array("caf\u{E9}".utf8))
    try one.access.check(Array("cafe\u{301}".utf8))
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: "cafe\u{301}")
    #expect(try two.number("a") == 1)
    for bad in [[], [0xFF], Array("a\0".utf8)] as [[UInt8]] {
      #expect(throws: CoreError.self) { try one.access.addPassword(bad) }
      #expect(throws: CoreError.self) { try one.access.rotate(bad) }
    }
    #expect(try one.keychain.newestEpoch() == 1)
  }

  @Test func endedPasswordOpensNothing() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    _ = try one.access.rotate(nil)
    try one.exchange("team")
    #expect(throws: KitError.badPassword(place: world.scratch.path("team"))) {
      try world.newcomer("two", ["team"], password: world.password)
    }
    #expect(try !Path.exists(world.scratch.path("two")))
    #expect(try !Path.exists(world.scratch.path("team/requests")))
  }
}
