import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// A container is never reported as complete if a newcomer would get less from it, or if a cloud client announces
/// further files.
@Suite(.plainAndSealed) struct IncompleteContainerTests {
  private let world: SyncWorld
  private let one: Database
  private let two: Database

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    two = try world.instance("two")
    for database in [one, two] { try world.attach("team", to: database) }
    for n in 1...3 { try one.put("a\(n)", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
  }

  private func state(_ database: Database) throws -> ContainerCondition? {
    try database.status(probe: true).containers.first?.state
  }

  /// Replaces a file by a placeholder, like a cloud client that frees space.
  private func evict(_ path: String) throws {
    try Path.remove(world.scratch.path(path))
    try world.scratch.write(Path.join(Path.parent(path), ".\(Path.name(path)).icloud"), [])
  }

  @Test func placeholderOfUnknownChainMakesSyncIncomplete() throws {
    let other = try world.instance("other")
    try world.attach("team", to: other)
    try other.exchange("team")
    try other.put("b", [("n", .integer(1))])
    try other.exchange("team")
    for file in try world.scratch.files("team/transactions/\(other.instance)") { try evict(file) }
    self.two.close()
    world.settings.patience = { 3_600_000 }
    let two = try world.reopened("two")
    for direction in [Direction.pull, .push, .both] {
      #expect(try two.sync(two.containers.setting("team"), direction).isIncomplete, "\(direction)")
    }
    #expect(try state(two) == .incomplete && two.status().containers.first?.state == .incomplete)
    // The same if the cloud client has evicted the folder.
    try Path.rename(
      world.scratch.path("team/transactions/\(other.instance)"), to: world.scratch.path("away"))
    try world.scratch.write("team/transactions/.\(other.instance).icloud", [])
    #expect(try two.exchange("team").isIncomplete)
    try Path.remove(world.scratch.path("team/transactions/.\(other.instance).icloud"))
    #expect(try !two.exchange("team").isIncomplete && state(two) == .ok)
  }

  /// The same for a branch of a known chain.
  @Test func placeholderOfUnknownForkMakesSyncIncomplete() throws {
    let world = try SyncWorld()
    world.settings.patience = { 3_600_000 }
    let (one, copy) = try world.twins("team")
    let three = try world.instance("three")
    try world.attach("team", to: three)
    try one.put("mine", [("n", .integer(1))])
    for database in [one, three] { try database.exchange("team") }
    try copy.put("theirs", [("n", .integer(1))])
    try copy.exchange("team")
    let sibling = try #require(world.container("team").chains().chains.first { !$0.isMainBranch })
    #expect(sibling.instance == one.instance)
    try Path.rename(world.scratch.path("team/transactions/\(sibling)"), to: world.scratch.path("away"))
    try world.scratch.write("team/transactions/.\(sibling).icloud", [])
    for database in [three, one] {
      for direction in [Direction.push, .pull, .both] {
        let result = try database.exchange("team", direction)
        #expect(result.problems.contains { $0.code == .incomplete && $0.branch == sibling }, "\(direction)")
      }
      #expect(try state(database) == .incomplete && database.status().containers.first?.state == .incomplete)
    }
    try Path.remove(world.scratch.path("team/transactions/.\(sibling).icloud"))
    try Path.rename(world.scratch.path("away"), to: world.scratch.path("team/transactions/\(sibling)"))
    try three.exchange("team")
    #expect(try three.number("theirs") == 1 && state(three) == .ok)
  }

  /// Files that go missing together share one wait; without patience, that is three syncs.
  @Test func manyMissingBlocksShareOneWait() throws {
    for n in 4...14 { try one.put("a\(n)", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
    for index in UInt32(3)...12 { try evict(world.blockPath("team", one.instance, index)) }
    for _ in 1...3 {
      let result = try one.exchange("team")
      #expect(result.isIncomplete && result.healed == 0)
    }
    let result = try one.exchange("team")
    #expect(!result.isIncomplete && result.healed == 10)
    #expect(try state(one) == .ok)
  }

  @Test func missingPackAndLaterBlockShareOneWait() throws {
    try one.author.write { _ in for n in 4...1010 { try one.put("a", [("n", .integer(Int64(n)))]) } }
    try one.exchange("team")
    let folded = "team/transactions/\(one.instance)/1.blocks"
    let good = try world.scratch.bytes(folded)
    try evict(folded)
    try evict(world.blockPath("team", one.instance, 1004))
    for _ in 1...3 { #expect(try one.exchange("team").healed == 0) }
    #expect(try one.exchange("team").healed == 1001)
    #expect(try world.scratch.bytes(folded) == good && state(one) == .ok)
  }

  /// It is lost if it stays a placeholder; a writer of the folder cannot make all syncs fail forever.
  @Test(arguments: [
    "/1/.5.icloud", "/1/.900.icloud", "/.2.icloud", "/2/.3.icloud", "~335e1ec2335e1ec2335e1ec2335e1ec2", "other",
  ])
  func lastingPlaceholderIsReportedForThirtyDays(what: String) throws {
    let clock = TestClock()
    world.settings.clock = { clock.now }
    world.settings.patience = { 3_600_000 }
    let author = try world.instance("author")
    let reader = try world.instance("reader")
    for database in [author, reader] { try world.attach("team", to: database) }
    for n in 1...4 { try author.put("b\(n)", [("n", .integer(Int64(n)))]) }
    for database in [author, reader] { try database.exchange("team") }
    let names =
      try what == "other"
      ? ".\(UUID.random()).icloud"
      : what.hasPrefix("~") ? ".\(author.instance)\(what).icloud" : "\(author.instance)\(what)"
    let path = "team/transactions/\(names)"
    try world.scratch.write(path, [])
    let isOwn = what != "other"
    func codes(_ database: Database, _ direction: Direction = .both) throws -> Set<Problem.Code> {
      Set(try database.exchange("team", direction).problems.map(\.code)).subtracting([.foreignFile])
    }
    for direction in [Direction.pull, .both, .both, .push, .pull] {
      #expect(try codes(reader, direction) == [.incomplete] && codes(author) == [.incomplete], "\(direction)")
      #expect(try state(reader) == .incomplete && state(author) == .incomplete)
    }
    clock.now += 3_600_001
    for direction in [Direction.pull, .push, .both] {
      #expect(try codes(reader, direction) == [.gap], "\(direction)")
      #expect(try codes(author) == (isOwn ? [] : [.gap]))
      #expect(try state(reader) == .damaged && state(author) == (isOwn ? .ok : .damaged))
    }
    clock.now += 30 * 86_400_000
    for direction in [Direction.pull, .push, .both] {
      #expect(try codes(reader, direction) == [] && codes(author) == [], "\(direction)")
      #expect(try state(reader) == .ok && state(author) == .ok)
    }
    // A resolved wait starts again.
    try Path.remove(world.scratch.path(path))
    #expect(try reader.exchange("team").problems == [])
    try world.scratch.write(path, [])
    #expect(try codes(reader) == [.incomplete])
  }

  @Test func folderAtNextBlockMakesPullIncomplete() throws {
    try Path.createDirectories(world.scratch.path(world.blockPath("team", one.instance, 6)))
    let late = try world.instance("late")
    try world.attach("team", to: late)
    for database in [late, two, one] {
      #expect(try database.exchange("team", .pull).isIncomplete)
      #expect(try state(database) == .incomplete)
    }
  }

  /// An instance without any of the assets knows that they exist.
  @Test func placeholderOfAssetsMakesSyncIncomplete() throws {
    _ = try one.addAsset("x", randomContent(3000))
    for database in [one, two] { try database.exchange("team") }
    #expect(try two.exchange("team").problems == [])
    try Path.rename(world.scratch.path("team/assets"), to: world.scratch.path("away"))
    try world.scratch.write("team/.assets.icloud", [])
    for direction in [Direction.pull, .push, .both] { #expect(try two.exchange("team", direction).isIncomplete) }
    #expect(try state(two) == .incomplete)
  }

  @Test func placeholderOfLastBlockMakesPullIncomplete() throws {
    try evict(world.blockPath("team", one.instance, 3))
    #expect(try two.sync(two.containers.setting("team"), .pull).isIncomplete)
    #expect(try two.number("a3") == nil && state(two) == .incomplete)
  }

  /// An unfinished step of a sync is remembered.
  @Test func truncatedInfoIsRememberedAsIncomplete() throws {
    try two.exchange("team")
    two.close()
    let info = try world.scratch.bytes("team/info.json")
    try Path.rename(world.scratch.path("team"), to: world.scratch.path("away"))
    try world.scratch.write("team/info.json", Array(info.prefix(20)))
    world.settings.patience = { 3_600_000 }
    let late = try world.reopened("two")
    #expect(throws: KitError.stillIncomplete(path: world.scratch.path("team"), what: .info)) {
      try late.exchange("team")
    }
    #expect(try late.status().containers.first?.state == .incomplete)
  }

  /// A placeholder does not prevent writing key slots.
  @Test func missingKeySlotsAreReportedAndRestored() throws {
    let world = try MemberWorld(sealed: true)
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let names = try world.container("team").names(in: .keys)
    let slot = try "team/keys/" + #require(names.first)
    for harm in 0..<4 {
      switch harm {
      case 0: try Path.remove(world.scratch.path(slot))
      case 1:
        try Path.remove(world.scratch.path(slot))
        try world.scratch.write(slot + "/x", [1])
      case 2: try world.scratch.flip(slot, at: 9)
      default:
        try Path.rename(world.scratch.path("team/keys"), to: world.scratch.path("keys\(harm)"))
        try world.scratch.write("team/keys", [1])
      }
      #expect(try state(one) == .damaged, "\(harm)")
      let result = try one.exchange("team")
      #expect(result.mended.contains { $0.detail.hasPrefix("keys/") }, "\(harm)")
      #expect(try state(one) == .ok && world.container("team").names(in: .keys) == names, "\(harm)")
    }
    try Path.remove(world.scratch.path(slot))
    try world.scratch.write("team/keys/.\(Path.name(slot)).icloud", [])
    for _ in 0..<3 {
      #expect(try state(one) == .incomplete)
      let result = try one.exchange("team")
      #expect(result.mended == [] && result.isIncomplete)
      #expect(try !world.container("team").names(in: .keys).contains(Path.name(slot)))
    }
    // Without patience, damage is repaired within three syncs.
    let result = try one.exchange("team")
    #expect(result.mended.contains { $0.detail == "keys/\(Path.name(slot))" } && !result.isIncomplete)
    #expect(try state(one) == .ok && world.container("team").names(in: .keys) == names)
  }

  /// A foreign file of the right size is in the place of the next file.
  @Test func foreignFileAtAssetPlaceIsReplaced() throws {
    let first = try one.addAsset("x", randomContent(3000))
    let next = AssetPlace(instance: one.instance, index: first.extent!.last + 1)
    let twin = try one.addAsset("y", randomContent(3000, 2))
    #expect(twin.extent?.first == next.index)
    let right = try world.scratch.bytes("one/.sea/" + next.path)
    try world.scratch.write("team/" + next.path, randomContent(right.count, 7))
    try one.exchange("team")
    #expect(try world.scratch.bytes("team/" + next.path) == right)
  }
}
