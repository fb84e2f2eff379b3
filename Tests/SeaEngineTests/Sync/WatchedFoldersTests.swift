import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Changes by others appear in a watched folder; changes by this instance do not.
@Suite struct WatchedFoldersTests {
  @Test func onlyChainsOfOthersAreWatched() throws {
    let world = try SyncWorld(sealed: false)
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    try world.attach("team", to: one)
    try world.attach("team", to: two)
    try one.put("a", [("n", .integer(1))])
    try two.put("b", [("n", .integer(1))])
    try one.exchange("team")
    try two.exchange("team")
    let setting = try one.containers.setting("team")
    let watched = one.containers.watched(setting)
    #expect(watched.isComplete)
    let blocks = world.scratch.path("team/transactions")
    func blockFolder(_ database: Database) -> String {
      Path.parent(world.scratch.path(world.blockPath("team", database.instance, 1)))
    }
    #expect(watched.folders.contains(blockFolder(two)) && !watched.folders.contains(blockFolder(one)))
    #expect(watched.folders.contains(blocks) && !watched.folders.contains("\(blocks)/\(one.instance)"))
    #expect(two.containers.watched(setting).folders.contains(blockFolder(one)))
  }

  @Test func parentOfUnavailableContainerIsWatched() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    try world.attach("team", to: one)
    let setting = try one.containers.setting("team")
    try Path.rename(world.scratch.path("team"), to: world.scratch.path("gone"))
    let watched = one.containers.watched(setting)
    #expect(!watched.isComplete && watched.folders == [world.scratch.path])
    var far = setting
    far.location = "ssh://host/place"
    #expect(one.containers.watched(far).folders.isEmpty && !one.containers.watched(far).isComplete)
  }
}
