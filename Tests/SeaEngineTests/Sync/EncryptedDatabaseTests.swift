import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Databases with encrypted blocks.
@Suite struct EncryptedDatabaseTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func settings(_ password: String?) -> Database.Settings {
    var settings = Database.Settings(access: .write)
    settings.password = { _ in password.map { Array($0.utf8) } }
    settings.rounds = Slot.roundBounds.lowerBound
    return settings
  }

  private func make(_ name: String, _ password: String = "correct horse") throws -> Database {
    var creation = Database.Creation()
    creation.name = name
    creation.isSealed = true
    let made = try Database.create(in: scratch.path(name), creation, settings(password))
    return try Database(path: made.path, settings(nil))
  }

  private func clone(_ from: String, _ name: String, _ password: String?) throws -> Database {
    try Database.clone(scratch.path(from), to: scratch.path(name), name: name, settings(password)).database
  }

  private func attach(_ folder: String, _ database: Database) throws {
    _ = try database.containers.add(ContainerSetting(name: folder, location: scratch.path(folder)), create: true)
  }

  @Test func passwordOpensAllRecords() throws {
    let one = try make("one")
    try one.put("a", [("n", .integer(1))])
    try attach("team", one)
    try one.exchange("team")
    let two = try clone("team", "two", "correct horse")
    #expect(try two.number("a") == 1)
    try two.put("a", [("n", .integer(2))])
    try two.exchange("origin")
    try one.exchange("team")
    #expect(try one.number("a") == 2)
    #expect(try one.store.projection.digest() == two.store.projection.digest())
    for database in [one, two] {
      #expect(try database.store.projection.digest() == database.store.projection.expectedDigest())
    }
  }

  @Test func cloneWithWrongPasswordLeavesNothing() throws {
    let one = try make("one")
    try attach("team", one)
    try one.exchange("team")
    for wrong in ["correct horsf", "correct horse\n", "Correct horse"] {
      #expect(throws: KitError.badPassword(place: scratch.path("team"))) { try clone("team", "two", wrong) }
      #expect(try !Path.exists(scratch.path("two")))
    }
  }

  @Test func containerHoldsNoPlaintext() throws {
    let one = try make("planted-name")
    try one.put("planted-id", [("planted-property", .string("planted-value"))])
    try attach("team", one)
    try one.exchange("team")
    for name in try scratch.files("team") {
      let bytes = try scratch.bytes(name)
      #expect(bytes.firstRange(of: Array("planted".utf8)) == nil, "\(name)")
    }
  }

  /// Digests and signatures can be verified with and without a key.
  @Test func aContainerIsVerifiedWithAndWithoutKeys() throws {
    let one = try make("one")
    try one.put("a", [("n", .integer(1))])
    try attach("team", one)
    try one.exchange("team")
    let container = DirectoryContainer(scratch.path("team"))
    for keys in [nil, try one.keychain.ring()] {
      var reports: [ChainReport] = []
      var problems: [Problem] = []
      try Verification.container(
        container, named: "team", readsPayloads: keys != nil, keys: keys, { reports.append($0) },
        { problems.append($0) })
      #expect(problems == [] && reports.count == 1 && reports[0].problem == nil && reports[0].blocks == 2)
      #expect(reports[0].isSigned == (keys != nil))
    }
  }

  /// A key slot whose bytes do not match its name opens nothing, is reported, and is repaired by the next push.
  @Test func damagedKeySlotIsReportedAndRestored() throws {
    let one = try make("one")
    try attach("team", one)
    try one.exchange("team")
    let slot = try #require(scratch.files("team/keys").first)
    let good = try scratch.bytes(slot)
    let container = DirectoryContainer(scratch.path("team"))
    for k in good.indices {
      var bytes = good
      bytes[k] ^= 1 << UInt8(k % 8)
      try scratch.write(slot, bytes)
      var problems: [Problem] = []
      try Verification.container(container, named: "team", readsPayloads: false, { _ in }, { problems.append($0) })
      #expect(problems == [Problem(.foreignFile, place: "team", detail: String(slot.dropFirst("team/".count)))])
      #expect(throws: KitError.stillIncomplete(path: scratch.path("team"), what: .keys)) {
        try clone("team", "two", "correct horse")
      }
    }
    try one.exchange("team")
    #expect(try scratch.bytes(slot) == good)
  }

  /// Key slots that are still valid stay in the container, even if the local list is damaged.
  @Test func damagedSlotListKeepsValidSlots() throws {
    let one = try make("one")
    try attach("team", one)
    try one.exchange("team")
    try one.alter("UPDATE control SET bytes = zeroblob(length(bytes)) WHERE kind = 'epoch'")
    _ = try? one.exchange("team")
    #expect(try clone("team", "two", "correct horse").isSealed())
  }

  /// The known public key of a chain is enough to verify its signatures.
  @Test func knownChainIsVerifiedWithoutKey() throws {
    let one = try make("one")
    try one.put("a", [("n", .integer(1))])
    try attach("team", one)
    try one.exchange("team")
    let container = DirectoryContainer(scratch.path("team"))
    let place = "team/transactions/\(one.instance)/1/1"
    var bytes = try scratch.bytes(place)
    bytes[12] ^= 0x40
    try scratch.write(place, bytes)
    for database in [nil, one] {
      var reports: [ChainReport] = []
      try Verification.container(
        container, named: "team", readsPayloads: false, own: database?.folder, { reports.append($0) }, { _ in })
      #expect(reports[0].name == (database == nil ? "" : "one") && reports[0].unopened == 0)
      #expect(reports[0].problem?.code == (database == nil ? nil : .badSignature))
    }
  }

  /// Key slots that no member's entry lists are junk, however many: they hide the valid ones from newcomers.
  @Test(arguments: [false, true]) func removePendingDeletesUnlistedSlots(members: Bool) throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"], members: members)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    for _ in 0..<2 {
      try two.exchange("origin")
      try one.exchange("team")
    }
    if members { try one.authorize(two, as: .write) }
    #expect(try world.converge([one, two]) == [])
    let container = world.container("team")
    let before = try container.names(in: .keys)
    for n in 0..<50 {
      let junk = Array("junk \(n)".utf8)
      try container.write((n > 0 ? SHA256.hash(junk) : .zero).description, junk, in: .keys)
    }
    let setting = try two.containers.setting("origin")
    #expect(try two.exchange.removePending(in: setting, dryRun: true).slots == 50)
    #expect(try container.names(in: .keys).count == before.count + 50)
    #expect(try two.exchange.removePending(in: setting, dryRun: false).slots == 50)
    #expect(try container.names(in: .keys) == before)
    #expect(try two.exchange.removePending(in: setting, dryRun: false).slots == 0)
  }
}
