import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// A full folder of a chain that was not packed is packed later, in near and remote containers.
@Suite struct PackTests {
  private let world: SyncWorld
  private let helpers: Helpers

  init() throws {
    world = try SyncWorld(inMemory: true)
    helpers = .folder(world.scratch.path("hub"))
    world.settings.helpers = helpers
  }

  private func survey(_ one: Database) throws -> BranchSurvey {
    try world.container("hub").survey(BranchID(one.instance))
  }

  /// Restores single files of the first folder's blocks, like a writer that stops before or while packing.
  private func unfold(_ one: Database, _ range: ClosedRange<UInt32>) throws {
    var next: UInt32 = 0
    _ = try world.container("hub").readBlocks(of: BranchID(one.instance), from: 0) { index, bytes in
      if range.contains(index) { try world.scratch.write(world.blockPath("hub", one.instance, index), Array(bytes)) }
      next = index
      return index < range.upperBound
    }
    try world.scratch.write("one/.sea/writing-hub", [])
    #expect(next == range.upperBound)
  }

  @Test(arguments: [false, true]) func interruptedPackIsCompleted(isFar: Bool) throws {
    let one = try world.instance("one")
    let location = isFar ? "thread:hub" : world.scratch.path("hub")
    _ = try one.containers.add(ContainerSetting(name: "hub", location: location), create: true)
    for n in 0..<1003 { try one.put("r\(n % 50)", [("n", .integer(Int64(n)))]) }
    try one.exchange("hub")
    #expect(try survey(one).folded.count == 1)
    let whole = world.blockPath("hub", one.instance, 0).replacing("/1/0", with: "/1.blocks")
    let bytes = try world.scratch.bytes(whole)

    // The writer stopped before the pack.
    try unfold(one, 0...999)
    try Path.remove(world.scratch.path(whole))
    #expect(try survey(one).folded.isEmpty)
    helpers.close()
    #expect(try one.exchange("hub").problems == [])
    #expect(try survey(one).folded.count == 1 && !survey(one).hasUnfolded)
    #expect(try world.scratch.bytes(whole) == bytes)

    // The writer stopped while removing the single files.
    try unfold(one, 400...999)
    #expect(try survey(one).hasUnfolded)
    helpers.close()
    #expect(try one.exchange("hub").problems == [])
    #expect(try !survey(one).hasUnfolded)
    #expect(try world.scratch.bytes(whole) == bytes)
    #expect(try one.exchange("hub").problems == [])

    // Others can read the chain to its end.
    let two = try world.instance("two")
    _ = try two.containers.add(ContainerSetting(name: "hub", location: location), create: true)
    helpers.close()
    try two.exchange("hub")
    #expect(try two.number("r2") == 1002)
  }
}
