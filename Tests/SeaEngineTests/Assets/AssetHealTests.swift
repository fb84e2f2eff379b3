import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Asset files once pushed to a container are restored there, whatever happens to them.
@Suite(.plainAndSealed) struct AssetHealTests {
  private let world: SyncWorld
  private let one: Database
  private let reference: AssetReference
  private let file: String

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    try world.attach("c", to: one)
    reference = try one.addAsset("r", randomContent(5000))
    let place = try #require(reference.extent?.places.first { _ in true })
    file = "c/" + place.path
    try one.exchange("c")
  }

  private func state() throws -> ContainerCondition? {
    try one.status(probe: true).containers.map(\.state).first
  }

  private func limit(_ filter: String) throws {
    let config = "one/.sea/config"
    let before = try String(decoding: world.scratch.bytes(config), as: UTF8.self)
    try world.scratch.write(config, Array((before + "[container \"c\"]\n\tassets = \(filter)\n").utf8))
  }

  private func isRight() throws -> Bool {
    try world.scratch.bytes(file) == world.scratch.bytes("one/.sea/" + file.dropFirst(2))
  }

  @Test func missingFileIsDetectedAndRestored() throws {
    #expect(try state() == .ok && one.status().containers.map(\.state) == [.synced])
    try Path.remove(world.scratch.path(file))
    #expect(try state() == .damaged)
    #expect(try one.exchange("c").assetsHealed == 1)
    #expect(try state() == .ok && isRight())
  }

  /// After a complete push, lost files within a later filter are still detected.
  @Test func missingFileIsRestoredUnderLaterFilter() throws {
    try limit("max-size=9k")
    try one.exchange("c")
    #expect(try state() == .ok)
    try Path.remove(world.scratch.path(file))
    #expect(try state() == .damaged)
    #expect(try one.exchange("c").assetsHealed == 1)
    #expect(try state() == .ok && isRight())
  }

  /// Files outside the filter are not missed.
  @Test func missingFileOutsideFilterIsIgnored() throws {
    try limit("max-size=1k")
    try Path.remove(world.scratch.path(file))
    #expect(try state() == .ok)
  }

  /// The size is the same, but the file has changed since.
  @Test func changedFileIsRestoredByNextSync() throws {
    #expect(try one.exchange("c").assetsHealed == 0)
    try world.scratch.flip(file, at: 700)
    let result = try one.exchange("c")
    #expect(result.assetsHealed == 1 && result.problems.allSatisfy { !$0.isError })
    #expect(try isRight() && one.exchange("c").assetsHealed == 0)
  }

  /// The file time is unchanged: contents are read in their turn.
  @Test func bitRotIsRestoredWithinThirtyOnePushes() throws {
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "t", proof: world.proof))
    for n in 0..<40 { try one.addAsset("s\(n)", randomContent(1000 + n, UInt64(n) + 2)) }
    func hand() throws -> SyncResult {
      var result = SyncResult()
      try one.exchange.pushAssets(to: container, named: "x", .standard, into: &result)
      return result
    }
    #expect(try hand().assetsPushed == 41 && hand().assetsPushed == 0)
    let places = try one.assetFiles()
    for place in [places[0], places[20], places[40]] {
      var bytes: [UInt8] = []
      _ = try container.readAsset(place, from: 0) {
        bytes += $0; return true
      }
      bytes[bytes.count / 2] ^= 1
      container.setBytes(bytes, place)
    }
    var healed = 0
    for _ in 0..<31 { healed += try hand().assetsHealed }
    #expect(healed == 3)
  }

  @Test func folderInPlaceOfFileIsQuarantined() throws {
    try Path.remove(world.scratch.path(file))
    try world.scratch.write(file + "/x", [1])
    #expect(try state() == .damaged)
    let result = try one.exchange("c")
    #expect(result.assetsHealed == 1 && result.problems.allSatisfy { !$0.isError })
    #expect(try isRight() && state() == .ok)
    #expect(try world.scratch.files("c").contains { $0.hasPrefix(file + ".damaged-") && $0.hasSuffix("/x") })
  }

  @Test func syncWaitsForPlaceholderFile() throws {
    let whole = try world.scratch.bytes(file)
    try Path.remove(world.scratch.path(file))
    let name = Path.join(Path.parent(file), ".\(Path.name(file)).icloud")
    try world.scratch.write(name, [])
    #expect(try state() == .incomplete)
    for _ in 0..<2 {
      let result = try one.exchange("c")
      #expect(result.isIncomplete && result.assetsPushed == 0 && result.problems.allSatisfy { !$0.isError })
    }
    try Path.remove(world.scratch.path(name))
    try world.scratch.write(file, whole)
    #expect(try !one.exchange("c").isIncomplete && state() == .ok)
  }

  /// The wait starts again when the file was complete, and it ends.
  @Test func fileIsRestoredIfPlaceholderStaysTooLong() throws {
    let clock = TestClock()
    world.settings.clock = { clock.now }
    world.settings.patience = { 3_600_000 }
    let one = try world.reopened("one")
    let whole = try world.scratch.bytes(file)
    let name = Path.join(Path.parent(file), ".\(Path.name(file)).icloud")
    func evict() throws {
      try Path.remove(world.scratch.path(file))
      try world.scratch.write(name, [])
    }
    try evict()
    for _ in 0..<3 { #expect(try one.exchange("c").isIncomplete) }
    clock.now += 3_600_001
    try world.scratch.write(file, whole)
    #expect(try !one.exchange("c").isIncomplete)
    try evict()
    for _ in 0..<5 { #expect(try one.exchange("c").isIncomplete) }
    clock.now += 3_600_001
    let result = try one.exchange("c")
    #expect(!result.isIncomplete && result.assetsHealed == 1)
    #expect(try isRight() && !one.exchange("c").isIncomplete)
  }

  /// A cloud client has copied the file back and forth.
  @Test func purgeLeavesForeignCopiesOfAsset() throws {
    let kept = try one.addAsset("k", randomContent(5000, 9))
    try one.exchange("c")
    let bytes = try world.scratch.bytes(file)
    let keptFile = try "c/" + #require(kept.extent?.places.first { _ in true }).path
    let folder = Path.parent(file)
    let copies = [
      file + " 2", file + " (conflicted copy)", folder + "/\(Path.name(file)).sync-conflict-20261122-ABC",
      "c/assets/lost+found/#1", "c/assets/other", "c/scan copy", "c/transactions/x", Path.parent(folder) + "/x/y",
    ]
    for copy in copies { try world.scratch.write(copy, bytes) }
    try world.scratch.write(folder + "/other 2", world.scratch.bytes(keptFile))
    _ = try one.purge.run(.record("r", keepsNow: false))
    #expect(try one.purge.report(one.containers).containers.map(\.state) == [.left])
    let result = try one.exchange("c")
    #expect(result.problems.allSatisfy { !$0.isError })
    let left = try world.scratch.files("c").filter { try world.scratch.bytes($0) == bytes }
    #expect(left.sorted() == copies.sorted())
    #expect(try world.scratch.files("c").contains(folder + "/other 2"))
    #expect(try one.purge.report(one.containers).isDone)
  }
}
