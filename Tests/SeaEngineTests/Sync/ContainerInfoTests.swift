import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// The identity and state of a container.
@Suite(.plainAndSealed) struct ContainerInfoTests {
  let world: SyncWorld
  let one: Database

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    try world.attach("team", to: one)
    for n in 1...3 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
  }

  private func state(probe: Bool) throws -> ContainerCondition {
    try #require(try one.exchange.statuses(probe: probe).first).state
  }

  @Test(arguments: [nil, 0, 40]) func syncRestoresMissingOrTruncatedInfo(left: Int?) throws {
    let info = try world.container("team").info()
    let bytes = try world.scratch.bytes("team/info.json")
    try Path.remove(world.scratch.path("team/info.json"))
    if let left { try world.scratch.write("team/info.json", Array(bytes.prefix(left))) }
    #expect(try one.exchange("team").problems == [])
    #expect(try world.container("team").info() == info)
    #expect(try world.container("team").foreignFiles().unknown == [])
  }

  @Test func infoIsRestoredAfterLastingPlaceholder() throws {
    let info = try world.container("team").info()
    try Path.remove(world.scratch.path("team/info.json"))
    try world.scratch.write("team/.info.json.icloud", [])
    for _ in 0..<3 {
      #expect(throws: KitError.stillIncomplete(path: world.scratch.path("team"), what: .info)) {
        try one.exchange("team")
      }
    }
    // Without patience, damage is repaired within three syncs.
    #expect(try one.exchange("team").problems.filter(\.isError) == [])
    #expect(try world.container("team").info() == info)
  }

  @Test func anEmptyMountPointIsNoContainer() throws {
    try ScratchFolder.removeAll(world.scratch.path("team"))
    try Path.createDirectories(world.scratch.path("team"))
    #expect(throws: KitError.self) { try one.exchange("team") }
    try Path.createDirectories(world.scratch.path("team/transactions"))
    #expect(throws: KitError.self) { try one.exchange("team") }
    #expect(try world.scratch.files("team") == [])
  }

  /// Two instances create the container in one folder, and the cloud client renames one info.json.
  @Test func concurrentCreatorsAgreeOnOneContainer() throws {
    let mine = try world.scratch.bytes("team/info.json")
    let other = ContainerInfo(
      container: try UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof)
    try Path.remove(world.scratch.path("team/info.json"))
    try world.scratch.write("team/info.json", Array(other.text.utf8))
    #expect(throws: KitError.self) { try one.exchange("team") }
    try world.scratch.write("team/info (conflicted copy).json", mine)
    #expect(try one.exchange("team").problems == [])
    #expect(try one.folder.state(of: "team").id == other.container)
    #expect(try one.exchange("team").pushed == 0)
  }

  @Test func statusReportsMissingAndTruncatedBlocks() throws {
    #expect(try state(probe: true) == .ok)
    let path = world.blockPath("team", one.instance, 2)
    let bytes = try world.scratch.bytes(path)
    try Path.remove(world.scratch.path(path))
    #expect(try state(probe: true) == .damaged)
    try world.scratch.write(path, Array(bytes.dropLast()))
    #expect(try state(probe: true) == .damaged)
    try Path.remove(world.scratch.path(path))
    try world.scratch.write(String(path.dropLast()) + ".2.icloud", [])
    #expect(try state(probe: true) == .incomplete)
    // Nothing was written.
    #expect(try !Path.exists(world.scratch.path(path)))
    #expect(try one.exchange("team").isIncomplete)
    #expect(try state(probe: false) == .incomplete)
  }

  /// A database that is opened for reading reports the problem and changes nothing.
  @Test func readOnlyDatabaseCannotWriteOrSync() throws {
    one.close()
    var settings = world.settings
    settings.access = .read
    let reader = try Database(path: Path.join(world.scratch.path("one"), ".sea"), settings)
    #expect(throws: StoreError.self) { try reader.put("a", [("n", .integer(9))]) }
    #expect(throws: StoreError.self) { try reader.exchange("team") }
    #expect(try reader.number("a") == 3)
  }
}
