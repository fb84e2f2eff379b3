import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Summary files in a remote container: they save requests, lose nothing, and delay changes by a day at most.
@Suite struct SummaryFileTests {
  private final class SetClock: @unchecked Sendable { var now: Int64 = 1_787_370_060_000 }

  private let world: SyncWorld
  private let helpers: Helpers
  private let clock = SetClock()
  private let day: Int64 = 86_400_000

  init() throws { try self.init(sealed: false) }

  private init(sealed: Bool) throws {
    world = try SyncWorld(sealed: sealed, inMemory: true)
    helpers = .folder(world.scratch.path("hub"))
    world.settings.helpers = helpers
    world.settings.clock = { [clock] in clock.now }
  }

  private func instance(_ name: String, near: Bool = false) throws -> Database {
    let made = try world.instance(name)
    if near {
      try world.attach("hub", to: made)
    } else {
      _ = try made.containers.add(ContainerSetting(name: "hub", location: "thread:hub"), create: true)
    }
    return made
  }

  /// The number of requests of a sync, some time after the last one.
  @discardableResult
  private func sync(_ database: Database) throws -> Int {
    helpers.close()
    clock.now += 10_000
    try database.exchange("hub")
    return helpers.container(at: HelperPlace("thread:hub")!).requests
  }

  /// Creates an instance that relies on summary files, and another one whose block it has.
  private func two(near: Bool = false) throws -> (one: Database, two: Database) {
    let (one, two) = (try instance("one"), try instance("two", near: near))
    for database in [one, two] { try database.put("\(database.instance)", [("n", .integer(1))]) }
    for _ in 0..<4 { for database in [one, two] { try sync(database) } }
    #expect(try sync(one) == 3)
    return (one, two)
  }

  private func hint(_ database: Database) -> String { "hub/heads/\(database.instance)" }

  /// Restores the time of a file.
  private func date(_ path: String, _ time: Int64) {
    let stamp = timespec(tv_sec: Int(time / 1000), tv_nsec: Int(time % 1000) * 1_000_000)
    #expect(utimensat(AT_FDCWD, world.scratch.path(path), [stamp, stamp], 0) == 0)
  }

  private func time(_ path: String) throws -> Int64 {
    try #require(try Path.status(world.scratch.path(path))).modified
  }

  @Test func summaryFileNamesHeadOfWriter() throws {
    let (one, two) = try two()
    for database in [one, two] {
      let key = try #require(try database.store.branches.chain(database.instance)).publicKey
      let info = try world.container("hub").info()
      let hint = try #require(
        HeadsHint(
          try world.scratch.bytes(hint(database)), of: database.instance, key: key, in: info.container,
          of: world.databaseID))
      let head = try #require(try database.store.branches.branch(BranchID(database.instance))).head
      #expect(hint.heads == [head])
    }
  }

  @Test func pushOfOtherInstanceIsSeenAtOnce() throws {
    let (one, two) = try two()
    for n in 2..<6 {
      try two.put("b", [("n", .integer(Int64(n)))])
      try sync(two)
      try sync(one)
      #expect(try one.number("b") == Int64(n))
    }
  }

  @Test func pushThroughLocalFolderIsSeenAtOnce() throws {
    let (one, two) = try two(near: true)
    try two.put("b", [("n", .integer(2))])
    try two.exchange("hub")
    try sync(one)
    #expect(try one.number("b") == 2)
  }

  /// Without remote instances, no summary files are written.
  @Test func localInstancesWriteNoSummaryFiles() throws {
    let near = try instance("near", near: true)
    try near.put("a", [("n", .integer(1))])
    try near.exchange("hub")
    #expect(try world.container("hub").names(in: .heads).isEmpty)
  }

  @Test func ownChangesArePushedAtOnce() throws {
    let (one, two) = try two()
    try one.put("b", [("n", .integer(2))])
    try sync(one)
    try sync(two)
    #expect(try two.number("b") == 2)
    _ = try sync(one)
    #expect(try sync(one) == 3)
  }

  /// Two changes with the same file time: the second is detected by its content.
  @Test func changesWithSameFileTimeAreSeen() throws {
    let (one, two) = try two()
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    let time = try time(hint(two))
    helpers.close()
    try one.exchange("hub")
    #expect(try one.number("b") == 2)
    let size = try world.scratch.bytes(hint(two)).count
    try two.put("b", [("n", .integer(3))])
    helpers.close()
    try two.exchange("hub")
    #expect(try world.scratch.bytes(hint(two)).count == size)
    date(hint(two), time)
    try sync(one)
    #expect(try one.number("b") == 3)
  }

  /// A wrong summary file loses nothing and delays nothing beyond the next full scan.
  @Test(arguments: ["not there", "another", "less", "gone", "forged"])
  func wrongSummaryFileLosesNothing(how: String) throws {
    let (one, two) = try two()
    let own = try #require(try two.store.branches.branch(BranchID(two.instance)))
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    let info = try world.container("hub").info()
    let head = try #require(try two.store.branches.branch(BranchID(two.instance))).head
    let said: BlockRef =
      switch how {
      case "not there": BlockRef(head.branch, index: head.index + 3, digest: SHA256.hash([1]))
      case "another": BlockRef(head.branch, index: head.index, digest: SHA256.hash([1]))
      case "less": own.head
      default: head
      }
    var hint = try #require(
      try HeadsHint(database: info.database, container: info.container, instance: two.instance, time: 7, heads: [said])
        .encoded(two.keychain.identity()))
    if how == "forged" { hint[hint.count - 1] ^= 1 }
    try world.scratch.write(self.hint(two), hint)
    let block = world.blockPath("hub", two.instance, head.index)
    let bytes = try world.scratch.bytes(block)
    if how == "gone" { try Path.remove(world.scratch.path(block)) }
    if how == "gone" {
      try sync(one)
      try world.scratch.write(block, bytes)
    }
    try sync(one)
    #expect(try one.number("b") == 2)
    try two.put("c", [("n", .integer(3))])
    try sync(two)
    for _ in 0..<3 { try sync(one) }
    #expect(try sync(one) == 3)
  }

  /// Blocks without a summary file are found within a day, or at once by a full scan.
  @Test(arguments: ["a day", "full", "a clock set back"]) func unannouncedBlocksArriveWithinDay(how: String) throws {
    let (one, two) = try two()
    let (old, time) = (try world.scratch.bytes(hint(two)), try time(hint(two)))
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    // A writer with access restored the previous file.
    try world.scratch.write(hint(two), old)
    date(hint(two), time)
    #expect(try sync(one) == 3)
    #expect(try one.number("b") == nil)
    helpers.close()
    switch how {
    case "full": _ = try one.exchange.sync(one.containers.setting("hub"), SyncOptions(.both, isFull: true))
    case "a day":
      clock.now += day
      try one.exchange("hub")
    default:
      clock.now -= 3_600_000
      try one.exchange("hub")
    }
    #expect(try one.number("b") == 2)
  }

  @Test(arguments: ["garbage", "nothing", "too much", "another's", "a stranger", "none at all"])
  func damagedSummaryFilesLoseNothing(kind: String) throws {
    let (one, two) = try two()
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    switch kind {
    case "garbage": try world.scratch.write(hint(two), [UInt8](repeating: 0xA5, count: 200))
    case "nothing": try world.scratch.write(hint(two), [])
    case "too much": try world.scratch.write(hint(two), [UInt8](repeating: 0, count: SmallFile.largest + 5))
    case "another's": try world.scratch.write(hint(two), try world.scratch.bytes(hint(one)))
    case "a stranger": try world.scratch.write("hub/heads/\(UUID.random())", [1])
    default: try ScratchFolder.removeAll(world.scratch.path("hub/heads"))
    }
    try sync(one)
    #expect(try one.number("b") == 2)
    // Known blocks do not cause a full scan each time.
    for _ in 0..<2 { try sync(one) }
    #expect(try sync(one) == 3)
    try one.put("c", [("n", .integer(3))])
    try sync(one)
    try sync(two)
    #expect(try two.number("c") == 3)
  }

  /// Losses that the summary files do not show are repaired at the next full scan.
  @Test func lostBlockIsRestoredAfterDay() throws {
    let (one, _) = try two()
    _ = try Path.remove(world.scratch.path(world.blockPath("hub", one.instance, 0)))
    #expect(try sync(one) == 3)
    clock.now += day
    try sync(one)
    #expect(try world.scratch.files("hub").contains(world.blockPath("hub", one.instance, 0)))
  }

  @Test func mirroredBlocksAreSeenAtOnce() throws {
    let (one, two) = try two()
    try world.attach("side", to: two)
    try two.put("b", [("n", .integer(2))])
    try two.exchange("side")
    _ = try Mirror.copy(from: world.container("side"), to: world.container("hub"), dryRun: false)
    try sync(one)
    #expect(try one.number("b") == 2)
  }

  /// A container may list current summary files but an old state of all other files.
  @Test func outdatedListingIsReadAgain() throws {
    let (one, two) = try two()
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    let head = try #require(try two.store.branches.branch(BranchID(two.instance))).head
    let place = world.scratch.path(world.blockPath("hub", two.instance, head.index))
    let aside = world.scratch.path("not-listed-yet")
    try Path.rename(place, to: aside)
    try sync(one)
    #expect(try one.number("b") == nil)
    try Path.rename(aside, to: place)
    try sync(one)
    #expect(try one.number("b") == 2)
    _ = try sync(one)
    #expect(try sync(one) == 3)
  }

  /// An access request has no block, but is found.
  @Test func accessRequestIsSeenAtOnce() throws {
    let sealed = try SummaryFileTests(sealed: true)
    let one = try sealed.two().one
    #expect(try one.access.requests.open().isEmpty)
    sealed.helpers.close()
    let made = try Database.clone(
      "thread:hub", to: sealed.world.scratch.path("late"), name: "late", assets: nil, sealed.world.settings
    ).database
    try sealed.sync(one)
    #expect(try one.access.requests.open().map(\.instance) == [made.instance])
    for _ in 0..<2 { try sealed.sync(one) }
    #expect(try sealed.sync(one) == 3)
  }

  /// If a push stopped before it wrote its summary file, the next one writes it.
  @Test func nextPushWritesMissingSummaryFile() throws {
    let (one, two) = try two()
    let (old, time) = (try world.scratch.bytes(hint(two)), try time(hint(two)))
    try two.put("b", [("n", .integer(2))])
    try sync(two)
    try world.scratch.write(hint(two), old)
    date(hint(two), time)
    try world.scratch.write("two/.sea/writing-hub", [])
    #expect(try sync(one) == 3)
    try sync(two)
    try sync(one)
    #expect(try one.number("b") == 2)
  }
}
