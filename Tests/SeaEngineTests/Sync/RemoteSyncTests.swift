import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Syncs with a container behind a helper: the number of requests, and that they suffice.
@Suite struct RemoteSyncTests {
  private final class SetClock: @unchecked Sendable { var now: Int64 = 1_787_370_060_000 }

  private let world: SyncWorld
  private let helpers: Helpers
  private let clock = SetClock()

  init() throws {
    world = try SyncWorld(inMemory: true)
    helpers = .folder(world.scratch.path("hub"))
    world.settings.helpers = helpers
    world.settings.clock = { [clock] in clock.now }
  }

  private func instance(_ name: String) throws -> Database {
    let made = try world.instance(name)
    _ = try made.containers.add(ContainerSetting(name: "hub", location: "thread:hub"), create: true)
    return made
  }

  /// The number of requests of a sync over a new connection, some time later.
  private func requests(_ database: Database) throws -> Int {
    helpers.close()
    clock.now += 10_000
    try database.exchange("hub")
    return helpers.container(at: HelperPlace("thread:hub")!).requests
  }

  @Test func syncWithoutNewsTakesThreeRequests() throws {
    let (one, two) = (try instance("one"), try instance("two"))
    for database in [one, two] { try database.put("\(database.instance)", [("n", .integer(1))]) }
    for _ in 0..<3 {
      for database in [one, two] { try database.exchange("hub") }
      clock.now += 10_000
    }
    // The greeting, the summary files and info.json.
    #expect(try requests(one) == 3)
    #expect(try requests(two) == 3)
    try two.put("b", [("n", .integer(2))])
    try two.exchange("hub")
    // In addition the other one's summary file, all files, the end of the own chain and the new block.
    #expect(try requests(one) <= 8)
    #expect(try one.number("b") == 2)
    // Recent changes are read once more.
    #expect(try requests(one) == 4)
    #expect(try requests(one) == 3)
    #expect(try requests(two) == 3)
    clock.now += 86_400_000
    #expect(try requests(one) > 3)
    #expect(try requests(one) == 3)
  }

  @Test func requestsDoNotGrowWithChains() throws {
    let one = try instance("one")
    try one.put("a", [("n", .integer(1))])
    let others = try (0..<12).map { try instance("other\($0)") }
    for (number, other) in others.enumerated() {
      try other.put("o\(number)", [("n", .integer(Int64(number)))])
      try other.exchange("hub")
    }
    for _ in 0..<2 { try one.exchange("hub") }
    #expect(try one.number("o11") == 11)
    _ = try requests(one)
    #expect(try requests(one) == 3)
  }

  /// News are requested by name: a summary file and the blocks of each writer. There is no listing, however many chains
  /// and other files exist.
  @Test func eachChangedChainTakesTwoRequests() throws {
    let one = try instance("one")
    try one.put("a", [("n", .integer(1))])
    let others = try (0..<12).map { try instance("other\($0)") }
    for (number, other) in others.enumerated() { try other.put("o\(number)", [("n", .integer(0))]) }
    for _ in 0..<2 { for database in others + [one] { _ = try requests(database) } }
    _ = try requests(one)
    #expect(try requests(one) == 3)
    for (round, few) in [1, 3, 12, 2].enumerated() {
      let n = Int64(round + 1)
      for (number, other) in others.prefix(few).enumerated() {
        try other.put("o\(number)", [("n", .integer(n))])
        try other.exchange("hub")
      }
      #expect(try requests(one) == 3 + 2 * few)
      for number in 0..<few { #expect(try one.number("o\(number)") == n) }
      // Recent changes are read once more, and then nothing.
      #expect(try requests(one) == 3 + few)
      #expect(try requests(one) == 3)
    }
    // Several blocks, a large block, and so many blocks that they are listed.
    for n in 1...3 { try others[0].put("o0", [("n", .integer(Int64(100 + n)))]) }
    try others[0].exchange("hub")
    #expect(try requests(one) == 3 + 4)
    try others[0].put("large", [("n", .integer(7)), ("t", .string(String(repeating: "x", count: 1_500_000)))])
    try others[0].exchange("hub")
    #expect(try requests(one) <= 3 + 1 + 3)
    #expect(try one.number("large") == 7)
    _ = try requests(one)
    for n in 1...20 { try others[0].put("o0", [("n", .integer(Int64(200 + n)))]) }
    try others[0].exchange("hub")
    #expect(try requests(one) == 3 + 1 + 1 + 20)
    #expect(try one.number("o0") == 220)
    // Pushing still works, and a new instance is noticed.
    try one.put("a", [("n", .integer(2))])
    try others[1].put("o1", [("n", .integer(50))])
    try others[1].exchange("hub")
    _ = try requests(one)
    #expect(try one.number("o1") == 50)
    _ = try requests(others[1])
    #expect(try others[1].number("a") == 2)
    _ = try requests(one)
    #expect(try requests(one) == 3)
    let new = try instance("new")
    try new.put("new", [("n", .integer(1))])
    try new.exchange("hub")
    #expect(try requests(one) <= 3 + 1 + 1 + 3)
    #expect(try one.number("new") == 1)
  }

  /// Instances that relay blocks of others announce them; an instance that merges pushes its merges.
  @Test func relayedBlocksArriveThroughSummaryFiles() throws {
    let (one, two) = (try instance("one"), try instance("two"))
    let three = try world.instance("three")
    try world.attach("side", to: two)
    try world.attach("side", to: three)
    for database in [one, two] {
      try database.put("\(database.instance)", [("n", .integer(1))])
      for _ in 0..<3 { _ = try requests(database) }
    }
    for _ in 0..<2 { for database in [one, two] { _ = try requests(database) } }
    #expect(try requests(one) == 3)
    try three.put("three", [("n", .integer(3))])
    try three.exchange("side")
    try two.exchange("side")
    _ = try requests(two)
    _ = try requests(one)
    #expect(try one.number("three") == 3)
    // Both change different properties of a record.
    for _ in 0..<2 { for database in [one, two] { _ = try requests(database) } }
    try one.put("m", [("x", .integer(1))])
    _ = try requests(one)
    _ = try requests(two)
    for _ in 0..<2 { for database in [one, two] { _ = try requests(database) } }
    #expect(try requests(one) == 3 && requests(two) == 3)
    #expect(try two.number("three") == 3)
  }

  /// One page of summary files and no listing of blocks, however many chains there are.
  @Test(.timeLimit(.minutes(20))) func thousandChainsTakeThreeRequests() throws {
    let one = try instance("one")
    try one.put("a", [("n", .integer(1))])
    try one.exchange("hub")
    let hub = world.container("hub")
    for n in 0..<999 {
      let other = try ForeignChain("other\(n)", world.databaseID, in: MemoryContainer())
      let id = other.identity.instance
      _ = try other.container.readBlocks(of: BranchID(id), from: 0) { index, bytes in
        try world.scratch.write(world.blockPath("hub", id, index), Array(bytes))
        return true
      }
      let hint = HeadsHint(
        database: world.databaseID, container: try hub.info().container, instance: id, time: 1,
        heads: [try #require(other.position.head)])
      try world.scratch.write("hub/heads/\(id)", try #require(try hint.encoded(other.identity)))
    }
    #expect(try requests(one) > 3)
    #expect(try one.store.branches.chains().count == 1000)
    _ = try requests(one)
    #expect(try requests(one) == 3)
  }

  /// After a purge, places already searched for copies are only read again in their turn.
  @Test func purgeCausesNoLastingRequests() throws {
    let (one, two) = (try instance("one"), try instance("two"))
    for database in [one, two] {
      for n in 0..<20 { try database.put("\(database.instance)-\(n)", [("n", .integer(Int64(n)))]) }
    }
    for _ in 0..<2 { for database in [one, two] { try database.exchange("hub") } }
    for n in 0..<30 { try world.scratch.write("hub/other \(n)", Array("letter \(n)".utf8)) }
    _ = try one.purge.run(.record("\(one.instance)-3", keepsNow: false))
    for _ in 0..<3 { for database in [one, two] { try database.exchange("hub") } }
    clock.now += 60_000
    for _ in 0..<2 { for database in [one, two] { try database.exchange("hub") } }
    #expect(try requests(one) == 3 && requests(two) == 3)
    // Over thirty daily full scans, each file is read once.
    var sum = 0
    for _ in 0..<30 {
      clock.now += 86_400_001
      sum += try requests(two) - 4
    }
    #expect((30...160).contains(sum), "\(sum)")
    try world.scratch.write("hub/new", Array("letter".utf8))
    clock.now += 86_400_001
    // The new file and those whose turn it is.
    #expect(try (5...34).contains(requests(two)))
    _ = try requests(two)
    #expect(try requests(two) == 3)
  }

  /// Content that this instance has just pushed or verified has its turn later.
  @Test func freshlyTransferredAssetsAreNotReread() throws {
    let one = try instance("one")
    for n in 0..<20 { try one.addAsset("a\(n)", randomContent(5000, UInt64(n))) }
    _ = try requests(one)
    try one.put("b", [("n", .integer(2))])
    #expect(try requests(one) <= 12)
    let two = try world.instance("two")
    var setting = ContainerSetting(name: "hub", location: "thread:hub")
    setting.assets = "all"
    _ = try two.containers.add(setting, create: false)
    _ = try requests(two)
    #expect(try two.assetFiles().count == 20)
    try two.put("c", [("n", .integer(3))])
    #expect(try requests(two) <= 12)
    try one.addAsset("more", randomContent(5000, 99))
    _ = try requests(one)
    try two.put("c", [("n", .integer(4))])
    _ = try requests(two)
    try two.put("c", [("n", .integer(5))])
    #expect(try requests(two) <= 12)
    // Later damage is detected by the file's time.
    let place = try #require(one.assetFiles().first)
    try world.scratch.flip("hub/\(place.path)", at: 700)
    try one.put("b", [("n", .integer(6))])
    helpers.close()
    #expect(try one.exchange("hub").assetsHealed == 1)
  }

  /// Damage that changes neither size nor time is found when the file's turn comes, once an hour.
  @Test func hourlyReadsRepairHiddenDamage() throws {
    let one = try instance("one")
    for n in 0..<40 { try one.put("r\(n)", [("n", .integer(Int64(n)))]) }
    for _ in 0..<3 { try one.exchange("hub") }
    func turn() throws -> Int { try one.sync(one.containers.setting("hub"), .push).mended.count }
    let name = world.blockPath("hub", one.instance, 3)
    let good = try world.scratch.bytes(name)
    var bad = good
    bad[100] ^= 1
    let time = try #require(try Path.status(world.scratch.path(name))).modified
    try world.scratch.write(name, bad)
    let stamp = timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000)
    #expect(utimensat(AT_FDCWD, world.scratch.path(name), [stamp, stamp], 0) == 0)
    for _ in 0..<50 { _ = try turn() }
    #expect(try world.scratch.bytes(name) == bad)
    var mended = 0
    for _ in 0..<50 {
      clock.now += 3_600_000
      mended += try turn()
    }
    #expect(mended == 1)
    #expect(try world.scratch.bytes(name) == good)
  }
}
