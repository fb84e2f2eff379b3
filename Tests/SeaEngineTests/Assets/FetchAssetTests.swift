import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Content is fetched from any place where it is valid, and partial downloads are continued.
@Suite(.plainAndSealed) struct FetchAssetTests {
  private let world: SyncWorld
  private let one: Database
  private let two: Database
  private let content = randomContent(250_000)
  private let reference: AssetReference

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
    two = try world.instance("two")
    for folder in ["c", "d"] {
      try world.attach(folder, to: one)
      try world.attach(folder, to: two)
    }
    reference = try one.addAsset("r", content)
    for folder in ["c", "d"] { try one.exchange(folder) }
    try two.exchange("c")
  }

  private func file(_ folder: String, _ k: Int) -> String {
    folder + "/" + Array(reference.extent!.places)[k].path
  }

  @Test func syncFetchesNoContentByDefault() throws {
    #expect(try two.content(reference) == nil)
    #expect(try two.allAssets().count == 1)
    #expect(try two.assetFiles().isEmpty)
  }

  /// A place that now belongs to other content is not damaged: the content was written to another place.
  @Test func contentMovedToOtherPlaceIsFetched() throws {
    let again = randomContent(250_000, 2)
    var claim = reference
    claim.digest = SHA256.hash(again)
    try one.put("claim", [("a", .asset(claim))])
    let moved = try one.addAsset("again", again)
    for one in [one, two] { try one.exchange("c") }
    let claimed = try #require(try two.allAssets().first { $0.digest == claim.digest && $0.extent == reference.extent })
    var problems: [Problem] = []
    let origins = [AssetOrigin(name: "c", source: world.container("c"))]
    let outcome = try two.assets.fetch(claimed, from: origins) { problems.append($0) }
    #expect(outcome == .fetched(from: ["c"]) && problems.isEmpty)
    #expect(try two.content(moved) == again)
    // Content without any copy is reported.
    for place in try #require(moved.extent).places {
      try two.assets.files.remove(place)
      #expect(unlink(world.scratch.path("c/" + place.path)) == 0)
    }
    let gone = try two.assets.fetch(claimed, from: origins) { problems.append($0) }
    #expect(gone != .fetched(from: ["c"]) && problems.contains { $0.code == .badAsset })
  }

  @Test func damagedCopyIsReportedAndNextCopyFetched() throws {
    for k in 0..<3 {
      try world.scratch.flip(file("c", k), at: 40)
      let (outcome, problems) = try two.fetch(
        reference, from: [("c", world.container("c")), ("d", world.container("d"))])
      #expect(outcome == .fetched(from: ["d"]))
      #expect(problems.map(\.code) == [.badAsset] && problems.map(\.place) == ["c"])
      #expect(try two.content(reference) == content)
      #expect(try two.drafts().isEmpty)
      for place in reference.extent!.places { try two.assets.files.remove(place) }
      try world.scratch.flip(file("c", k), at: 40)
    }
  }

  @Test func filesOfContentComeFromSeveralContainers() throws {
    try Path.remove(world.scratch.path(file("c", 1)))
    try Path.remove(world.scratch.path(file("d", 2)))
    let only = try two.fetch(reference, from: [("c", world.container("c"))])
    #expect(only.outcome == .missing && only.problems.isEmpty)
    let both = try two.fetch(reference, from: [("c", world.container("c")), ("d", world.container("d"))])
    #expect(both.outcome == .fetched(from: ["c", "d"]))
    #expect(try two.content(reference) == content)
  }

  @Test func nothingIsKeptIfAllCopiesAreDamaged() throws {
    for folder in ["c", "d"] { try world.scratch.flip(file(folder, 0), at: 70) }
    let (outcome, problems) = try two.fetch(
      reference, from: [("c", world.container("c")), ("d", world.container("d"))])
    #expect(outcome == .bad && problems.count == 2)
    #expect(try two.drafts().isEmpty && two.assetFiles().isEmpty)
  }

  @Test func interruptedFetchResumes() throws {
    let faulty = FaultyContainer(world.container("c"))
    faulty.assetPiece = 10_000
    faulty.assetBytesBeforeFailure = 150_000
    #expect(throws: FaultyContainer.failure) { try two.fetch(reference, from: [("c", faulty)]) }
    let left = try two.drafts().sorted()
    #expect(left.count == 2 && left.reduce(0, +) == 150_000)
    #expect(try two.content(reference) == nil)
    let counting = CountingContainer(world.container("c"))
    let (outcome, problems) = try two.fetch(reference, from: [("c", counting)])
    #expect(outcome == .fetched(from: ["c"]) && problems.isEmpty)
    let total = try reference.extent!.places.reduce(0) { try $0 + (world.container("c").assetSize($1) ?? 0) }
    #expect(counting.assetBytesRead == total - 150_000)
    #expect(try two.content(reference) == content)
    #expect(try two.drafts().isEmpty)
  }

  /// A partial file of an earlier run is not trusted. The container is asked again before the content counts as
  /// damaged.
  @Test func damagedPartialFileIsFetchedAgain() throws {
    let faulty = FaultyContainer(world.container("c"))
    faulty.assetBytesBeforeFailure = 90_000
    #expect(throws: FaultyContainer.failure) { try two.fetch(reference, from: [("c", faulty)]) }
    let name = try #require(
      try world.scratch.files("two/.sea/assets").first { $0.contains(AtomicFile.temporaryPrefix) })
    try world.scratch.flip(name, at: 100)
    let (outcome, problems) = try two.fetch(reference, from: [("c", world.container("c"))])
    #expect(outcome == .fetched(from: ["c"]) && problems.isEmpty)
    #expect(try two.content(reference) == content)
  }

  @Test func fetchContinuesWithNextContainerAfterFailure() throws {
    let faulty = FaultyContainer(world.container("c"))
    faulty.assetBytesBeforeFailure = 110_000
    let (outcome, problems) = try two.fetch(reference, from: [("c", faulty), ("d", world.container("d"))])
    #expect(outcome == .fetched(from: ["c", "d"]) && problems.isEmpty)
    #expect(try two.content(reference) == content)
  }

  @Test func sameContentAtOtherPlaceIsFetched() throws {
    // An instance without the content adds it too, under a place in its own chain.
    let three = try world.instance("three")
    let other = try three.addAsset("s", content)
    #expect(other.place != reference.place)
    try world.attach("e", to: three)
    try three.exchange("e")
    try world.attach("e", to: two)
    try two.exchange("e")
    let (outcome, _) = try two.fetch(reference, from: [("e", world.container("e"))])
    #expect(outcome == .fetched(from: ["e"]))
    #expect(try two.content(reference) == content && two.content(other) == content)
    #expect(try two.fetch(other, from: []).outcome == .here)
  }

  @Test func damageIsFoundByReading() throws {
    _ = try two.fetch(reference, from: [("c", world.container("c"))])
    let row = two.assets.row(reference)!
    #expect(try two.assets.verify(row, in: two.assets.files) == .good)
    let name = "two/.sea/" + Array(row.extent.places)[2].path
    try world.scratch.flip(name, at: 45)
    let state = try two.assets.verify(row, in: two.assets.files)
    #expect(state.isDamage)
    #expect(throws: AssetState.self) { try two.content(reference) }
    // Another copy takes its place as soon as it is complete.
    #expect(try two.fetch(reference, from: []).outcome == .missing)
    #expect(try two.assetFiles().count == row.extent.count && two.drafts().isEmpty)
    #expect(try two.fetch(reference, from: [("d", world.container("d"))]).outcome == .fetched(from: ["d"]))
    #expect(try two.content(reference) == content && two.drafts().isEmpty)
    try world.scratch.flip(name, at: 45)
    // Without a key, encrypted files are compared with the digests found on arrival.
    if world.key == nil { return }
    two.keychain.hold(KeyRing(two.folder.proof!))
    #expect(try two.assets.readContent(of: row, from: two.assets.files) { _ in } == .noKey)
  }
}
