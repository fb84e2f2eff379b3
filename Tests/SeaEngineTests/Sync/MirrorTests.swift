import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

@Suite(.plainAndSealed) struct MirrorTests {
  let world: SyncWorld
  let one: Database

  init() throws {
    world = try SyncWorld()
    one = try world.instance("one")
    try world.attach("from", to: one)
    for n in 1...3 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("from")
  }

  private func mirror(dryRun: Bool = false) throws -> Mirror.Result {
    try Mirror.copy(from: world.container("from"), to: world.container("to"), dryRun: dryRun)
  }

  @Test func mirrorCreatesTargetOnce() throws {
    #expect(try mirror(dryRun: true).blocks == 4)
    #expect(try !Path.exists(world.scratch.path("to")))
    let result = try mirror()
    #expect(result.blocks == 4 && result.created && result.problems == [])
    let again = try mirror()
    #expect(again.blocks == 0 && !again.created && again.problems == [])
    #expect(try Containers.heads(in: world.container("to")) == one.containers.heads())
    #expect(try world.container("to").info().container != world.container("from").info().container)
  }

  /// Any writer can create a file name; a distant index does not cause a scan of all indexes before it.
  @Test func junkAtDistantIndexIsNoHead() throws {
    try world.scratch.write(world.blockPath("from", one.instance, 4_000_000_000), [1])
    #expect(try Containers.heads(in: world.container("from")) == one.containers.heads())
  }

  @Test func mirrorFillsGapInTarget() throws {
    _ = try mirror()
    try Path.remove(world.scratch.path(world.blockPath("to", one.instance, 1)))
    #expect(try mirror(dryRun: true).blocks == 1)
    let result = try mirror()
    #expect(result.blocks == 1 && result.problems == [])
    #expect(
      try world.scratch.bytes(world.blockPath("to", one.instance, 1))
        == world.scratch.bytes(world.blockPath("from", one.instance, 1)))
  }

  @Test func mirrorCopiesOnlyVerifiedBlocks() throws {
    let place = world.blockPath("from", one.instance, 2)
    var bytes = try world.scratch.bytes(place)
    bytes[100] ^= 1
    try Path.remove(world.scratch.path(place))
    try world.scratch.write(place, bytes)
    let result = try mirror()
    #expect(result.blocks == 2 && result.problems.map { $0.code } == [.badData])
    #expect(try world.container("to").lastIndex(of: BranchID(one.instance)) == 1)
  }

  @Test func truncatedBlockInTargetIsRewritten() throws {
    _ = try mirror()
    let place = world.blockPath("to", one.instance, 3)
    let bytes = try world.scratch.bytes(place)
    try Path.remove(world.scratch.path(place))
    try world.scratch.write(place, Array(bytes.dropLast(5)))
    let result = try mirror()
    #expect(result.blocks == 1 && result.healed == 0 && result.problems == [])
    #expect(try world.scratch.bytes(place) == bytes)
    #expect(try mirror().blocks == 0)
  }

  @Test func targetAheadOfSourceKeepsItsBlocks() throws {
    _ = try mirror()
    try one.put("a", [("n", .integer(4))])
    var setting = ContainerSetting(name: "to", location: world.scratch.path("to"))
    setting.isAutomatic = false
    _ = try one.containers.add(setting, create: false)
    try one.exchange("to")
    let result = try mirror()
    #expect(result.blocks == 0 && result.problems == [])
    #expect(try world.container("to").lastIndex(of: BranchID(one.instance)) == 4)
  }

  @Test func anotherDatabaseIsRefused() throws {
    let other = try world.instance("other", of: try UUID.random())
    try world.attach("to", to: other)
    #expect(throws: KitError.self) { try mirror() }
  }

  @Test func smallFilesAreCopiedIfNamesMatch() throws {
    let bytes: [UInt8] = [1, 2, 3]
    let slot = SHA256.hash(bytes).description
    let wrong = SHA256.hash([4]).description
    let request = one.instance.description
    let source = world.container("from")
    try source.write(slot, bytes, in: .keys)
    try source.write(wrong, bytes, in: .keys)
    try source.write(request, bytes, in: .requests)
    let foreign = Problem(.foreignFile, place: source.location, detail: "keys/\(wrong)")
    for dryRun in [true, false] {
      let result = try mirror(dryRun: dryRun)
      #expect(result.files == 2 && result.problems == [foreign])
    }
    let target = world.container("to")
    #expect(try target.names(in: .keys) == [slot] && target.names(in: .requests) == [request])
    #expect(try target.read(slot, in: .keys) == bytes)
    #expect(try mirror().files == 0)
    try source.remove(request, in: .requests)
    try source.write(request, [9], in: .requests)
    #expect(
      try mirror().problems == [
        foreign, Problem(.foreignFile, place: target.location, detail: "requests/\(request)"),
      ])
    #expect(try target.read(request, in: .requests) == bytes)
  }
}
