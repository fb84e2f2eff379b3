import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Junk files in the place of key slots, so many or so costly that the valid slots are never tried.
@Suite struct JunkSlotTests {
  let world: MemberWorld

  init() throws {
    world = try MemberWorld(sealed: true)
    world.rounds = 1_000_000
  }

  private func write(_ bytes: [UInt8], as name: String) throws { try world.scratch.write("team/keys/\(name)", bytes) }

  /// Slots that cost slightly less to try than the password's. Their rounds are only a claim in the header.
  private func junk(_ count: Range<Int>, _ database: UUID) throws {
    let key = try #require(EpochKey(number: 1, bytes: [UInt8](repeating: 1, count: 32)))
    let cheap = try Slot.password(
      Array("x".utf8), key, database: database, rounds: 65_536, salt: Random.bytes(16), iv: Random.bytes(12))
    let place = try #require(cheap.bytes.firstRange(of: [0x1A, 0x00, 0x01, 0x00, 0x00]))
    for k in count {
      var dear = cheap.bytes
      dear.replaceSubrange(place, with: [0x1A, 0x00, 0x0F, 0x42, UInt8(63 - k)])
      try write(dear, as: SHA256.hash(dear).description)
    }
  }

  private func states(_ database: Database) throws -> [ContainerCondition] {
    try database.exchange.statuses(probe: true).map(\.state)
  }

  @Test func syncReportsSlotsThatBlockNewcomers() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let setting = try one.containers.setting("team")
    // The limit of tried slots, including the valid one.
    try junk(0..<49, one.databaseID)
    #expect(try one.exchange("team").problems == [] && states(one) == [.ok])
    try junk(49..<50, one.databaseID)
    for direction in [Direction.both, .push, .pull] {
      let result = try one.exchange("team", direction)
      #expect(result.problems == [Problem(crowded: 50, place: "team")])
      #expect(result.state(of: "team") == .damaged)
      #expect(try one.exchange.statuses(probe: false).map(\.state) == [.damaged] && states(one) == [.damaged])
    }
    #expect(try one.exchange.removePending(in: setting, dryRun: true).slots == 50)
    #expect(try one.exchange.removePending(in: setting, dryRun: false).slots == 50)
    #expect(try one.exchange("team").problems == [] && states(one) == [.ok])
    #expect(try world.scratch.files("team/keys").count == 1)
  }

  @Test func syncReportsTooManySlotFiles() throws {
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let zeros = String(repeating: "0", count: 60)
    for k in 0...1000 { try write([], as: zeros + "\(1000 + k)") }
    #expect(try one.exchange("team").problems == [Problem(crowded: 1001, place: "team")])
    #expect(try states(one) == [.damaged])
    #expect(try one.exchange.removePending(in: one.containers.setting("team"), dryRun: false).slots == 1001)
    #expect(try one.exchange("team").problems == [] && states(one) == [.ok])
  }

  /// A newcomer learns that only some slots were tried, and how many. It can have all of them tried.
  @Test func newcomerCanTryAllSlots() throws {
    let one = try world.founder("one", ["team"], members: false)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    try junk(0..<1, one.databaseID)
    try write([], as: String(repeating: "0", count: 64))
    var settings = world.settings(world.password)
    func clone() throws -> Database {
      try Database.clone(world.scratch.path("team"), to: world.scratch.path("two"), name: "two", settings).database
    }
    settings.slotEffort.mostRounds = 1_500_000
    #expect(throws: KitError.slotsNotTried(place: world.scratch.path("team"), tried: 1, all: 2)) { try clone() }
    settings.slotEffort = SlotEffort()
    settings.slotEffort.mostFiles = 1
    #expect(throws: KitError.slotsNotTried(place: world.scratch.path("team"), tried: 0, all: 2)) { try clone() }
    settings.slotEffort = .unlimited
    var told: [Work] = []
    settings.report = { if $0.kind == .trying { told.append($0) } }
    let two = try clone()
    #expect(try two.number("a") == 1)
    #expect(told.map(\.done) == [0, 1, 2] && told.allSatisfy { $0.total == 2 && $0.unit == .items })
  }
}
