import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Assets are transferred with blocks according to the rule, without repeated requests.
@Suite(.plainAndSealed) struct AssetSyncTests {
  private let world: SyncWorld
  private let one: Database
  private let two: Database

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
    two = try world.instance("two")
    for database in [one, two] { try world.attach("c", to: database) }
  }

  private func hand(_ database: Database, to container: Container, _ rule: AssetRule = .standard) throws -> SyncResult {
    var exchange = SyncResult()
    try database.exchange.pushAssets(to: container, named: "x", rule, into: &exchange)
    return exchange
  }

  @Test func localAssetsArePushedAndRequestedAssetsPulled() throws {
    let (a, b) = (randomContent(250_000), randomContent(10, 2))
    let first = try one.addAsset("r", a)
    #expect(try one.exchange("c").assetsPushed == 1)
    #expect(try one.exchange("c").assets == 0)
    let second = try one.addAsset("s", b)
    #expect(try one.exchange("c").assetsPushed == 1)
    #expect(try two.exchange("c").assets == 0)
    let setting = try two.containers.setting("c")
    #expect(try two.sync(setting, .both, assets: AssetFilter.none).assets == 0)
    #expect(try two.sync(setting, .both, assets: AssetFilter("max-size=100")).assetsPulled == 1)
    #expect(try two.content(first) == nil && two.content(second) == b)
    #expect(try two.sync(setting, .pull, assets: .all).assetsPulled == 1)
    #expect(try two.content(first) == a)
    #expect(try two.sync(setting, .both, assets: .all).assets == 0)
    for place in try one.assetFiles() {
      #expect(try world.scratch.bytes("c/" + place.path) == world.scratch.bytes("one/.sea/" + place.path))
    }
  }

  @Test func containerFilterLimitsPush() throws {
    var setting = ContainerSetting(name: "small", location: world.scratch.path("small"))
    setting.assets = "max-size=1k,type=t"
    _ = try one.containers.add(setting, create: true)
    let small = try one.addAsset("r", randomContent(10), type: "t")
    try one.addAsset("s", randomContent(2000, 2), type: "t")
    try one.addAsset("u", randomContent(11, 3))
    #expect(try one.exchange.countAssetsToPush(one.containers.setting("small")) == 1)
    #expect(try one.exchange("small").assetsPushed == 1)
    #expect(try one.exchange.countAssetsToPush(one.containers.setting("small")) == 0)
    let container = world.container("small")
    var found: [AssetPlace] = []
    try container.forEachAsset { place, _ in found.append(place) }
    #expect(found == Array(small.extent!.places))
    // Another rule needs other requests.
    #expect(try one.sync(one.containers.setting("small"), .push, assets: .all).assetsPushed == 2)
    _ = try one.containers.remove("small", force: true)
    setting.name = "bad"
    setting.assets = "size=3"
    _ = try one.containers.add(setting, create: false)
    #expect(throws: KitError.badAssetFilter(container: "bad", "size=3")) { try one.exchange("bad") }
  }

  @Test func repeatedPushWritesOnlyLostAssets() throws {
    let container = CountingContainer(MemoryContainer())
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "t", proof: world.proof))
    try one.addAsset("r", randomContent(250_000))
    #expect(try hand(one, to: container).assetsPushed == 1)
    let before = container.calls
    #expect(try hand(one, to: container).assetsPushed == 0)
    #expect(container.calls["assetEntry"] == 3 + (before["assetEntry"] ?? 0))
    #expect(container.calls["writeAsset"] == before["writeAsset"])
    // The content of one file is read in its turn.
    #expect(container.calls["readAsset"] == 1)
    // A lost file is pushed again.
    let lost = try #require(try one.assetFiles().first)
    (container.inner as? MemoryContainer)?.setBytes(nil, lost)
    #expect(try hand(one, to: container, .standard).assetsPushed == 1)
    (container.inner as? MemoryContainer)?.setBytes([1], lost)
    #expect(try hand(one, to: container).assetsPushed == 1)
    #expect(try container.assetSize(lost) != nil)
  }

  /// Files may arrive in another order than records name them, and may be removed without this program.
  @Test func assetsFetchedOrAddedLaterArePushed() throws {
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "t", proof: world.proof))
    let early = try one.addAsset("r", randomContent(10))
    try one.exchange("c")
    try two.exchange("c")
    try two.addAsset("s", randomContent(11, 2))
    #expect(try hand(two, to: container).assetsPushed == 1)
    _ = try two.fetch(early, from: [("c", world.container("c"))])
    #expect(try hand(two, to: container).assetsPushed == 1)
    let gone = try two.addAsset("t", randomContent(12, 3))
    let place = gone.extent!.places.first { _ in true }!
    try two.assets.files.remove(place)
    #expect(try hand(two, to: container).assetsPushed == 0)
    #expect(try two.store.assets.stored(place) == nil)
    let again = try two.addAsset("t", randomContent(12, 3))
    #expect(try hand(two, to: container).assetsPushed == 1)
    #expect(try two.content(again) == randomContent(12, 3))
  }

  /// If a command dies between noting a file and moving it into place, the file is pushed later.
  @Test func fileStoredDuringPushIsPushedNextTime() throws {
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "t", proof: world.proof))
    let reference = try one.addAsset("r", randomContent(10))
    let place = reference.extent!.places.first { _ in true }!
    let path = world.scratch.path("one/.sea/" + place.path)
    try Path.rename(path, to: path + ".away")
    let arriving = IncompleteContainer(container) { try? Path.rename(path + ".away", to: path) }
    try one.addAsset("s", randomContent(11, 2))
    #expect(try self.hand(one, to: arriving).assetsPushed == 1)
    #expect(try self.hand(one, to: container).assetsPushed == 1)
    #expect(try container.assetSize(place) != nil)
  }

  @Test func damagedLocalFileIsNotPushed() throws {
    let reference = try one.addAsset("r", randomContent(250_000))
    let places = Array(reference.extent!.places)
    try world.scratch.flip("one/.sea/" + places[1].path, at: 60)
    let exchange = try one.exchange("c")
    #expect(exchange.problems.map(\.code) == [.badAsset])
    #expect(exchange.problems.first?.place == "")
    #expect(try world.container("c").assetSize(places[0]) != nil)
    #expect(try world.container("c").assetSize(places[1]) == nil)
  }

  /// The file may still be on its way; only its author knows that it is not.
  @Test func truncatedFileIsReportedUntilAuthorRestoresIt() throws {
    let reference = try one.addAsset("r", randomContent(10))
    try one.exchange("c")
    _ = try two.sync(two.containers.setting("c"), .both, assets: .all)
    let name = "c/" + reference.extent!.places.first { _ in true }!.path
    let whole = try world.scratch.bytes(name)
    try Path.remove(world.scratch.path(name))
    try world.scratch.write(name, Array(whole.dropLast()))
    for _ in 0..<2 {
      #expect(try two.sync(two.containers.setting("c"), .push, assets: .all).problems.map(\.code) == [.badAsset])
    }
    #expect(try world.scratch.bytes(name).count == whole.count - 1)
    #expect(try one.sync(one.containers.setting("c"), .push, assets: .all).assetsHealed == 1)
    #expect(try world.scratch.bytes(name) == whole)
    #expect(try two.sync(two.containers.setting("c"), .push, assets: .all).problems.isEmpty)
  }

  @Test func mirrorCopiesAssets() throws {
    let reference = try one.addAsset("r", randomContent(250_000))
    try one.exchange("c")
    #expect(try Mirror.copy(from: world.container("c"), to: world.container("m"), dryRun: true).assets == 3)
    #expect(try Mirror.copy(from: world.container("c"), to: world.container("m"), dryRun: false).assets == 3)
    #expect(try Mirror.copy(from: world.container("c"), to: world.container("m"), dryRun: false).assets == 0)
    try two.exchange("c")
    let (outcome, problems) = try two.fetch(reference, from: [("m", world.container("m"))])
    #expect(outcome == .fetched(from: ["m"]) && problems.isEmpty)
  }
}
