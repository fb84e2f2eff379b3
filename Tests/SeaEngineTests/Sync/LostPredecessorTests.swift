import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Signed blocks whose predecessors are lost: they are reported as long as those may arrive, and then there is a way
/// out.
@Suite(.plainAndSealed) struct LostPredecessorTests {
  private static let day: Int64 = 86_400_000
  private let world: SyncWorld
  private let clock = TestClock()
  private let one: Database
  private let two: Database

  init() throws {
    world = try SyncWorld()
    world.settings.patience = { 3_600_000 }
    let clock = clock
    world.settings.clock = { clock.now }
    (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    try one.put("a", [("n", .integer(1))])
    try two.put("b", [("n", .integer(1))])
    for database in [one, two, one] { try database.exchange("team") }
    for n in 2...4 { try two.put("b", [("n", .integer(Int64(n)))]) }
    try two.exchange("team")
    try Path.rename(world.scratch.path(lost), to: world.scratch.path("lost"))
  }

  private var lost: String { world.blockPath("team", two.instance, 2) }

  private func codes(_ database: Database) throws -> [Problem.Code] {
    try database.exchange("team").problems.filter { $0.isError || $0.code == .incomplete }.map(\.code)
  }

  private func drop(_ dryRun: Bool = false) throws -> Int {
    // In an encrypted database, the missing block may authorize an instance.
    do {
      return try one.exchange.removePending(in: one.containers.setting("team"), dryRun: dryRun).files
    } catch KitError
      .membershipDataMissing
    {
      return 0
    }
  }

  @Test(arguments: [0, 1, 2]) func orphanedBlocksAreQuarantinedAndRestored(then: Int) throws {
    for _ in 1...3 { #expect(try codes(one) == [.incomplete] && drop() == 0) }
    clock.now += LostPredecessorTests.day
    #expect(try codes(one) == [.gap] && drop() == 0 && drop(true) == 0)
    clock.now += 29 * LostPredecessorTests.day
    #expect(try codes(one) == [.gap] && one.status(probe: true).containers.first?.state == .damaged)
    #expect(try drop(true) == 2 && codes(one) == [.gap])
    #expect(try drop() == 2)
    #expect(try codes(one) == [] && one.status(probe: true).containers.first?.state == .ok)
    let late = try world.instance("late")
    try world.attach("team", to: late)
    #expect(try codes(late) == [] && late.number("b") == 1)
    // Quarantined blocks are not lost: their author or the earlier blocks may arrive.
    switch then {
    case 0: #expect(try two.exchange("team").healed == 3)
    case 1:
      try Path.createDirectories(world.scratch.path(Path.parent(lost)))
      try world.scratch.write(lost, world.scratch.bytes("lost"))
    default:
      try world.scratch.write("team/strange", world.scratch.bytes("lost"))
    }
    for _ in 1...2 { for database in [one, late, two, one, late] { _ = try database.exchange("team") } }
    for database in [one, late, two] {
      #expect(try codes(database) == [] && database.number("b") == 4)
      #expect(try database.status(probe: true).containers.first?.state == .ok)
    }
  }

  /// They stay as long as a placeholder announces the missing block.
  @Test func placeholderKeepsLaterBlocks() throws {
    for _ in 1...3 { _ = try codes(one) }
    clock.now += 31 * LostPredecessorTests.day
    #expect(try codes(one) == [.gap])
    try world.scratch.write(Path.join(Path.parent(lost), ".2.icloud"), [])
    #expect(try drop() == 0)
  }
}

/// Placeholders for chains of unknown instances expire.
@Suite struct UnknownChainPlaceholderTests {
  private static let hour: Int64 = 3_600_000

  /// The same in a database with members, for every reader: such a placeholder cannot authorize an instance.
  @Test(arguments: [false, true]) func placeholdersExpireForEveryReader(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed, inMemory: true)
    let (one, two, three) = try world.members(.write, .read)
    let pending = try world.newcomer("pending", ["team"], password: nil)
    let chains = (0..<6).map { UUID(high: 0xABC << 16 | 8 << 12, low: 2 << 62 | UInt64($0)) }
    let stranger = try world.newcomer("stranger", ["team"], password: nil)
    try stranger.exchange("origin")
    let there = "team/transactions"
    try world.scratch.write("\(there)/.\(chains[0]).icloud", [])
    try world.scratch.write("\(there)/\(chains[1])/1/.0.icloud", [])
    try world.scratch.write("\(there)/\(chains[2])/.1.icloud", [])
    try world.scratch.write("\(there)/\(chains[3])/1/.7.icloud", [])
    try world.scratch.write("\(there)/.\(BranchID(chains[4], forkedAt: SHA256.hash([1]))).icloud", [])
    try world.scratch.write("\(there)/\(stranger.instance)/1/.1.icloud", [])
    try world.scratch.write("\(there)/\(stranger.instance)/.2.icloud", [])
    let clock = TestClock()
    for (name, database) in [("one", one), ("two", two), ("three", three), ("pending", pending)] {
      database.close()
      var settings = world.settings(nil)
      settings.patience = { UnknownChainPlaceholderTests.hour }
      settings.clock = { clock.now }
      let again = try Database(path: Path.join(world.scratch.path(name), ".sea"), settings)
      for way in [Direction.pull, .both, .push, .both, .pull] {
        _ = try again.sync(#require(again.containers.settings().first), way)
      }
      clock.now += UnknownChainPlaceholderTests.hour + 1
      for way in [Direction.pull, .both, .push] {
        let arriving = try again.sync(#require(again.containers.settings().first), way).problems.filter {
          $0.code == .incomplete
        }
        #expect(arriving == [], "\(name) \(way)")
      }
      clock.now += 31 * 24 * UnknownChainPlaceholderTests.hour
      for way in [Direction.pull, .both, .push] {
        let found = try again.sync(#require(again.containers.settings().first), way).problems
        #expect(found.filter { $0.code == .incomplete || $0.isDamage } == [], "\(name) \(way)")
      }
    }
  }

  /// There are more than one sync waits for.
  @Test func manyPlaceholdersExpire() throws {
    let world = try SyncWorld(sealed: false, inMemory: true)
    let clock = TestClock()
    world.settings.clock = { clock.now }
    world.settings.patience = { UnknownChainPlaceholderTests.hour }
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    for n in 0..<2500 {
      let id = UUID(high: 0xABC << 16 | 8 << 12, low: 2 << 62 | UInt64(n))
      try world.scratch.write("team/transactions/.\(id).icloud", [])
    }
    var syncs = 0
    while true {
      let found = try one.exchange("team").problems
      if !found.contains(where: { $0.code == .incomplete || $0.isDamage }) { break }
      clock.now += 16 * 24 * UnknownChainPlaceholderTests.hour
      syncs += 1
      try #require(syncs < 60, "it is waited for for ever")
    }
  }
}
