import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Instances that exchange through folders.
@Suite(.plainAndSealed) struct SyncTests {
  let world: SyncWorld

  init() throws { world = try SyncWorld() }

  @Test func twoInstancesConvergeThroughOneFolder() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    try one.put("a", [("n", .integer(1))])
    #expect(try one.exchange("team").pushed == 2)
    let exchange = try two.exchange("team")
    #expect(exchange.pulled == 2 && exchange.pushed == 1 && exchange.records == 1 && exchange.problems == [])
    #expect(try two.number("a") == 1)
    try two.put("a", [("n", .integer(2))])
    try two.exchange("team")
    try one.exchange("team")
    #expect(try one.number("a") == 2)
    #expect(try one.store.projection.digest() == two.store.projection.digest())
    let quiet = try one.exchange("team")
    #expect(quiet.pulled == 0 && quiet.pushed == 0)
  }

  @Test func instanceRelaysBetweenTwoFolders() throws {
    let all = try ["left", "middle", "right"].map { try world.instance($0) }
    for (at, folders) in [["east"], ["east", "west"], ["west"]].enumerated() {
      for folder in folders { try world.attach(folder, to: all[at]) }
    }
    try all[0].put("a", [("n", .integer(1))])
    try all[2].put("b", [("n", .integer(2))])
    try all[0].exchange("east")
    try all[2].exchange("west")
    for _ in 0..<2 { for folder in ["east", "west"] { try all[1].exchange(folder) } }
    try all[0].exchange("east")
    try all[2].exchange("west")
    #expect(try all[0].number("b") == 2 && all[2].number("a") == 1)
    let digests = try all.map { try $0.store.projection.digest() }
    #expect(digests[0] == digests[1] && digests[1] == digests[2])
  }

  @Test func bothSidesOfAConflictArriveEverywhere() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    try one.put("a", [("n", .integer(1))])
    for database in [one, two] { try database.exchange("team") }
    try one.put("a", [("n", .integer(2))])
    try two.put("a", [("n", .integer(3))])
    try one.exchange("team")
    #expect(try two.exchange("team").conflicts == ["a"])
    #expect(try one.exchange("team").conflicts == ["a"])
    #expect(try one.conflicts.count() == 1 && two.conflicts.count() == 1)
    #expect(try one.number("a") == two.number("a"))
    _ = try one.conflicts.resolve(["a"], .winner, label: "resolve")
    try one.exchange("team")
    try two.exchange("team")
    #expect(try two.conflicts.count() == 0)
  }

  @Test func rolledBackContainerIsRefilled() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    for n in 1...3 { try one.put("a", [("n", .integer(Int64(n)))]) }
    for database in [one, two, one] { try database.exchange("team") }
    for index: UInt32 in 2...3 { try Path.remove(world.scratch.path(world.blockPath("team", one.instance, index))) }
    let found = try two.exchange("team")
    #expect(found.problems.map { $0.code } == [.rolledBack] && found.pushed == 2)
    #expect(found.problems.allSatisfy { !$0.isError })
    #expect(try two.exchange("team").problems == [])
    #expect(try one.exchange("team").problems == [])
    #expect(try two.number("a") == 3)
    #expect(try world.instance("three").pullCodes(world.container("team")) == [])
  }

  @Test func reattachedContainerGetsMissingBlocks() throws {
    let one = try world.instance("one")
    try world.attach("team", to: one)
    for n in 1...5 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
    for index: UInt32 in [1, 2, 4] { try Path.remove(world.scratch.path(world.blockPath("team", one.instance, index))) }
    _ = try one.containers.remove("team", force: true)
    try world.attach("team", to: one)
    #expect(try one.exchange("team").pushed == 3)
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: true,
      { #expect($0.blocks == 6 && $0.problem == nil) }, { _ in })
    #expect(try one.exchange("team").pushed == 0)
  }

  @Test func aContainerOfAnotherDatabaseIsRefused() throws {
    let one = try world.instance("one")
    let other = try world.instance("other", of: try UUID.random())
    try world.attach("theirs", to: other)
    #expect(throws: KitError.self) { try world.attach("theirs", to: one) }
    let typed = try world.instance("typed", contentType: "org.example.else")
    #expect(throws: KitError.self) { try world.attach("theirs", to: typed) }
    try world.attach("team", to: one)
    // Another container replaces the one at this location.
    try ScratchFolder.removeAll(world.scratch.path("team"))
    try world.copy("theirs", to: "team")
    #expect(throws: KitError.self) { try one.exchange("team") }
    try world.scratch.write("team/info.json", Array("{}".utf8))
    #expect(throws: ContainerError.self) { try one.exchange("team") }
  }

  @Test func aReadOnlyContainerIsNotWritten() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let before = try world.scratch.files("team")
    try world.attach("team", to: two, readOnly: true)
    let exchange = try two.exchange("team")
    #expect(exchange.pulled == 2 && exchange.pushed == 0)
    #expect(try world.scratch.files("team") == before)
    #expect(throws: KitError.containerIsReadOnly("team")) { try two.containers.select(["team"], for: .push) }
  }

  @Test func foreignFilesAreReportedAndKept() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    for name in ["desktop.ini", "notes.txt", ".DS_Store", "._\(one.instance)"] {
      try world.scratch.write("team/transactions/\(name)", [1])
    }
    try world.scratch.write(world.blockPath("team", one.instance, 1) + " (conflicted copy)", [2])
    let exchange = try two.exchange("team")
    // Files that operating systems create everywhere are not reported at each exchange.
    #expect(exchange.problems.map(\.detail) == ["notes.txt"] && exchange.pulled == 2)
    var found: [String] = []
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: true, { #expect($0.problem == nil) },
      { found.append($0.code.rawValue) })
    #expect(found == Array(repeating: "foreign-file", count: 5))
    #expect(try world.scratch.bytes("team/transactions/desktop.ini") == [1])
  }

  @Test func unavailableContainerFailsSyncAndKeepsSetting() throws {
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.exchange("team")
    try ScratchFolder.removeAll(world.scratch.path("team"))
    #expect(throws: KitError.containerUnavailable(name: "team", path: world.scratch.path("team"))) {
      try one.exchange("team")
    }
    #expect(try one.containers.remove("team", force: false).unread == nil)
    #expect(try one.containers.settings().count == 1)
    #expect(try one.containers.remove("team", force: true).unread == nil)
    #expect(try one.containers.settings().isEmpty)
  }

  @Test func aCloneIsANewInstance() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let settings = Database.Settings(access: .write)
    let clone = try Database.clone(world.scratch.path("team"), to: world.scratch.path("two"), name: "two", settings)
    #expect(clone.database.databaseID == one.databaseID && clone.database.instance != one.instance)
    #expect(try clone.database.number("a") == 1 && clone.exchange.pulled == 2)
    #expect(try clone.database.containers.settings().map { $0.name } == ["origin"])
    #expect(throws: KitError.self) {
      try Database.clone(world.scratch.path("team"), to: world.scratch.path("two"), name: "x", settings)
    }
    #expect(throws: KitError.folderInUse(path: world.scratch.path("team"))) {
      try Database.clone(world.scratch.path("team"), to: world.scratch.path("team"), name: "x", settings)
    }
  }

  @Test func cloneOfDamagedContainerLeavesNothing() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.exchange("team")
    let place = world.blockPath("team", one.instance, 0)
    var bytes = try world.scratch.bytes(place)
    bytes[bytes.count - 1] ^= 1
    try Path.remove(world.scratch.path(place))
    try world.scratch.write(place, bytes)
    #expect(throws: Problem.self) {
      try Database.clone(
        world.scratch.path("team"), to: world.scratch.path("two"), name: "two", Database.Settings(access: .write))
    }
    #expect(try !Path.exists(world.scratch.path("two")))
  }
}
