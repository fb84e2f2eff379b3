import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// The last good copy is never dropped.
@Suite(.plainAndSealed) struct DropAssetsTests {
  private let world: SyncWorld
  private let one: Database
  private let content = randomContent(250_000)
  private let reference: AssetReference

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
    for folder in ["c", "d"] { try world.attach(folder, to: one) }
    reference = try one.addAsset("r", content)
    for folder in ["c", "d"] { try one.exchange(folder) }
  }

  private func path(_ folder: String, _ k: Int) -> String {
    folder + "/" + Array(reference.extent!.places)[k].path
  }

  private func drop(
    _ database: Database, least: Int = 1, dryRun: Bool = false, records: [String]? = nil
  ) throws -> (drops: [AssetDrop], problems: [Problem]) {
    var selection = AssetSelection()
    selection.withHistory = true
    selection.records = try records?.map { try database.records.find($0) }
    var drops: [AssetDrop] = []
    var problems: [Problem] = []
    var removal = AssetRemoval(
      database.assets, try database.exchange.assetCopies().origins, least: least, dryRun: dryRun
    ) {
      problems.append($0)
    }
    try removal.drop(selection) { drops.append($0) }
    return (drops, problems)
  }

  @Test func allFilesOfContentAreDroppedTogether() throws {
    let files = try one.assetFiles()
    #expect(files.count == 3)
    #expect(try drop(one, dryRun: true).drops.map(\.isDropped) == [true])
    #expect(try one.assetFiles() == files)
    let (drops, problems) = try drop(one, least: 2)
    #expect(drops.map(\.copies) == [["c", "d"]] && problems.isEmpty)
    #expect(try one.assetFiles().isEmpty)
    for place in files { #expect(try one.store.assets.stored(place) == nil) }
    #expect(try drop(one).drops.isEmpty)
  }

  @Test(arguments: 0..<3) func damagedFileInvalidatesWholeCopy(_ k: Int) throws {
    try world.scratch.flip(path("c", k), at: 77)
    let (drops, problems) = try drop(one, least: 2)
    #expect(drops.map(\.isDropped) == [false] && drops.map(\.copies) == [["d"]])
    #expect(problems.map(\.code) == [.badAsset] && problems.map(\.place) == ["c"])
    #expect(try one.content(reference) == content)
    #expect(try drop(one).drops.map(\.isDropped) == [true])
  }

  /// Two containers with half of the files each are not a copy.
  @Test func partialCopiesInTwoContainersDoNotCount() throws {
    try Path.remove(world.scratch.path(path("c", 1)))
    try Path.remove(world.scratch.path(path("d", 2)))
    let (drops, problems) = try drop(one)
    #expect(drops.map(\.isDropped) == [false] && problems.isEmpty)
    #expect(try one.content(reference) == content)
  }

  /// The same content of another instance is a valid copy. A file shared with other content stays while that content
  /// has no copy.
  @Test func fileNeededByOtherContentIsKept() throws {
    let two = try world.instance("two")
    let alone = try world.instance("alone")
    for database in [two, alone] { try world.attach("e", to: database) }
    try two.addAsset("s", content)
    try two.exchange("e")
    let own = try alone.addAsset("r", content)
    // The first file alone is the content of another asset.
    let part = AssetReference(
      place: "\(alone.instance)/0", mime: "x/y", size: 100_000, digest: SHA256.hash(Array(content[..<100_000])))
    try alone.put("part", [("a", .asset(part))])
    _ = try alone.sync(alone.containers.setting("e"), .both, assets: AssetFilter.none)
    #expect(try alone.assetFiles().count == 3)
    #expect(try drop(alone, records: ["r"]).drops.map(\.isDropped) == [false])
    #expect(try alone.content(own) == content && alone.content(part) == Array(content[..<100_000]))
    try alone.deleteRecord("part")
    try alone.exchange("e")
    #expect(try drop(alone, records: ["r"]).drops.map(\.isDropped) == [true])
    #expect(try alone.fetch(own, from: [("e", world.container("e"))]).outcome == .fetched(from: ["e"]))
  }

  /// A container that fails during reading does not count as a copy.
  @Test func unreadableCopyDoesNotCount() throws {
    for folder in ["c", "d"] {
      try Path.remove(world.scratch.path(path(folder, 0)))
      try Path.createDirectories(world.scratch.path(path(folder, 0)))
    }
    #expect(try drop(one).drops.map(\.isDropped) == [false])
    #expect(try one.content(reference) == content)
  }

  /// Content in two places counts once as missing, and is local if one of the places is.
  @Test func contentInTwoPlacesIsMissingOnce() throws {
    let two = try world.instance("two")
    try world.attach("c", to: two)
    let other = try two.addAsset("s", content)
    try two.exchange("c")
    func missing() throws -> [AssetRow] {
      var rows: [AssetRow] = []
      try two.assets.forEachUnnoted { rows.append($0) }
      return rows
    }
    #expect(try missing().isEmpty)
    #expect(try two.assets.missing(AssetSelection()).isEmpty)
    #expect(try drop(two).drops.map(\.isDropped) == [true])
    #expect(try missing().map(\.size) == [250_000])
    #expect(try two.assets.missing(AssetSelection()).count == 1)
    #expect(try two.fetch(other, from: [("c", world.container("c"))]).outcome != .missing)
    #expect(try missing().isEmpty)
  }
}
