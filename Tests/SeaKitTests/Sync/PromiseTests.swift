import SeaContainer
import SeaCore
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// Nobody says that a container is well of which a newcomer would get less, or that nothing is to come where a cloud client says that
/// something is.
@Suite(.plainAndSealed) struct PromiseTests {
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

  private func state(_ database: Database) throws -> ContainerState? {
    try database.status(probe: true).containers.first?.state
  }

  /// Puts a placeholder in the place of a file, as a cloud client does that takes it off the disk.
  private func evict(_ path: String) throws {
    try Path.remove(world.scratch.path(path))
    try world.scratch.write(Path.join(Path.parent(path), ".\(Path.name(path)).icloud"), [])
  }

  @Test func ofAChainThatNobodyHereKnows() throws {
    let other = try world.instance("other")
    try world.attach("team", to: other)
    try other.exchange("team")
    try other.put("b", [("n", .integer(1))])
    try other.exchange("team")
    for file in try world.scratch.files("team/transactions/\(other.instance)") { try evict(file) }
    for direction in [Direction.pull, .push, .both] {
      #expect(try two.sync(two.containers.setting("team"), direction).isArriving, "\(direction)")
    }
    #expect(try state(two) == .arriving && two.status().containers.first?.state == .arriving)
    // The same where the cloud client has taken the folder away.
    try Path.rename(
      world.scratch.path("team/transactions/\(other.instance)"), to: world.scratch.path("away"))
    try world.scratch.write("team/transactions/.\(other.instance).icloud", [])
    #expect(try two.exchange("team").isArriving)
    try Path.remove(world.scratch.path("team/transactions/.\(other.instance).icloud"))
    #expect(try !two.exchange("team").isArriving && state(two) == .ok)
  }

  @Test func ofTheLastBlock() throws {
    try evict(world.place("team", one.instance, 3))
    #expect(try two.sync(two.containers.setting("team"), .pull).isArriving)
    #expect(try two.number("a3") == nil && state(two) == .arriving)
  }

  /// What a sync could not do is remembered.
  @Test func ofAContainerThatHasComeInPart() throws {
    try two.exchange("team")
    two.close()
    let info = try world.scratch.bytes("team/info.json")
    try Path.rename(world.scratch.path("team"), to: world.scratch.path("away"))
    try world.scratch.write("team/info.json", Array(info.prefix(20)))
    world.settings.patience = { 3_600_000 }
    let late = try world.reopened("two")
    #expect(throws: KitError.stillArriving(path: world.scratch.path("team"), what: .info)) {
      try late.exchange("team")
    }
    #expect(try late.status().containers.first?.state == .arriving)
  }

  /// Nothing that is no file keeps slots from being written.
  @Test func ofSlots() throws {
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
      #expect(try state(one) == .arriving)
      let result = try one.exchange("team")
      #expect(result.mended == [] && result.isArriving)
      #expect(try !world.container("team").names(in: .keys).contains(Path.name(slot)))
    }
    // Without patience in these worlds three syncs are enough.
    let result = try one.exchange("team")
    #expect(result.mended.contains { $0.detail == "keys/\(Path.name(slot))" } && !result.isArriving)
    #expect(try state(one) == .ok && world.container("team").names(in: .keys) == names)
  }

  /// Somebody has put something of the right size where the next file will stand.
  @Test func ofAnAssetThatIsNotOurs() throws {
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
