import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Verifying reads the content of all assets reported as present.
@Suite(.plainAndSealed) struct VerifyAssetsTests {
  private let world: SyncWorld
  private let one: Database
  private let content = randomContent(250_000)
  private let reference: AssetReference

  init() throws {
    world = try SyncWorld()
    world.settings.assetFileSize = 100_000
    one = try world.instance("one")
    try world.attach("c", to: one)
    reference = try one.addAsset("r", content)
    try one.addAsset("small", [1, 2, 3])
    try one.exchange("c")
  }

  private var places: [AssetPlace] { Array(reference.extent!.places) }

  private func verify(_ source: AssetSource? = nil, _ name: String = "") throws -> (AssetReport, [Problem]) {
    var problems: [Problem] = []
    let report = try one.verification.verifyAssets(in: source ?? one.assets.files, named: name) { problems.append($0) }
    return (report, problems)
  }

  @Test func intactAssetsPassLocallyAndInContainer() throws {
    for (source, name) in [(one.assets.files as AssetSource, ""), (world.container("c"), "c")] {
      let (report, problems) = try verify(source, name)
      #expect(report.good == 2 && report.problems == 0 && report.unnamed == 0 && problems.isEmpty)
      #expect(report.bytes >= 250_003)
    }
  }

  @Test(arguments: 0..<3) func damageInAnyFileIsFound(_ k: Int) throws {
    try world.scratch.flip("one/.sea/" + places[k].path, at: 99)
    let (report, problems) = try verify()
    #expect(report.good == 1 && report.problems == 1)
    #expect(problems.map(\.code) == [.badAsset])
    #expect(try one.verification.goodCopy(of: problems[0]) == "c")
    try world.scratch.flip("c/" + places[k].path, at: 99)
    #expect(try one.verification.goodCopy(of: problems[0]) == nil)
  }

  @Test func missingLocalFileIsReported() throws {
    try Path.remove(world.scratch.path("one/.sea/" + places[1].path))
    let (_, problems) = try verify()
    #expect(problems.map(\.code) == [.missingAsset] && problems.map(\.index) == [places[1].index])
    #expect(problems[0].isDamage)
  }

  /// In a container, the file may not have arrived or not have been pushed yet.
  @Test func missingContainerFileIsNoProblem() throws {
    try Path.remove(world.scratch.path("c/" + places[1].path))
    let (report, problems) = try verify(world.container("c"), "c")
    #expect(report.good == 1 && problems.isEmpty)
  }

  /// Records can make false claims about the files of others.
  @Test func forgedReferenceIsNotDamage() throws {
    let claim = AssetReference(
      place: reference.place, mime: "x/y", size: reference.size, digest: SHA256.hash([9]))
    try one.put("claim", [("a", .asset(claim))])
    let (report, problems) = try verify()
    #expect(report.good == 2 && problems.isEmpty)
    // If no claim is true, it is damage.
    try world.scratch.flip("one/.sea/" + places[0].path, at: 50)
    #expect(try verify().1.map(\.code) == [.badAsset, .badAsset])
  }

  /// The claimed number of files does not determine the work.
  @Test func forgedReferenceToTenMillionFilesIsIgnored() throws {
    let size = one.folder.settings.assetFileSize
    let claim = AssetReference(
      place: "\(one.instance)/0-10000000", mime: "x/y", size: size * 10_000_000, digest: SHA256.hash([9]))
    try one.put("claim", [("a", .asset(claim))])
    let (report, problems) = try verify()
    #expect(report.good == 2 && problems.isEmpty)
  }

  @Test func unreferencedFileIsCounted() throws {
    try world.scratch.write("one/.sea/" + AssetPlace(instance: one.instance, index: 900).path, [1])
    let (report, problems) = try verify()
    #expect(report.unnamed == 1 && report.good == 2 && problems.isEmpty)
  }

  // MARK: - Without the database

  private func read(
    _ keys: KeyRing?, told: WorkReport? = nil
  ) throws -> (report: AssetReport, problems: [Problem]) {
    let container = world.container("c")
    var chains: [ChainReport] = []
    var problems: [Problem] = []
    try Verification.container(
      container, named: "c", readsPayloads: false, keys: keys, { chains.append($0) }, { _ in })
    let report = try Verification.readAssets(of: container, named: "c", chains, keys: keys, progress: told) {
      problems.append($0)
    }
    return (report, problems)
  }

  private var keys: KeyRing? { world.key.map { KeyRing(world.proof!, keys: [$0]) } }

  /// The container's blocks state what the assets should be.
  @Test func containerIsVerifiedWithoutDatabase() throws {
    var told: Work?
    let (report, problems) = try read(keys) { told = $0 }
    #expect(report.good == 2 && report.unopened == 0 && report.unnamed == 0 && report.problems == 0)
    #expect(problems.isEmpty && report.bytes >= 250_003)
    #expect(told?.done == report.bytes && told?.total == report.bytes)
  }

  @Test(arguments: 0..<3) func damageIsFoundWithoutDatabase(_ k: Int) throws {
    try world.scratch.flip("c/" + places[k].path, at: 99)
    let (report, problems) = try read(keys)
    #expect(report.good == 1 && report.problems == 1)
    #expect(problems.map(\.code) == [.badAsset] && problems[0].place == "c" && problems[0].isDamage)
  }

  @Test func truncatedFileIsFoundWithoutDatabase() throws {
    let name = "c/" + places[2].path
    try world.scratch.write(name, world.scratch.bytes(name).dropLast())
    #expect(try read(keys).problems.map(\.code) == [.badAsset])
    try Path.remove(world.scratch.path(name))
    // The file may not have arrived yet.
    #expect(try read(keys).problems.isEmpty)
  }

  /// A file that cannot be judged never counts as good.
  @Test func unverifiableFilesAreNotCountedAsGood() throws {
    try world.scratch.write("c/" + AssetPlace(instance: one.instance, index: 900).path, [1])
    let known = try read(keys).report
    #expect(known.good == 2 && known.unnamed == 1 && known.unopened == 0)
    guard world.key != nil else { return }
    let (report, problems) = try read(nil)
    #expect(report.good == 0 && report.unopened == 5 && report.unnamed == 0 && problems.isEmpty)
  }

  /// A damaged block is not used to judge files.
  @Test func damagedBlocksAreNotUsedToVerify() throws {
    let count = try #require(try world.container("c").lastIndex(of: BranchID(one.instance)))
    for index in 1...count { try world.scratch.flip(world.blockPath("c", one.instance, index), at: 100) }
    let report = try read(keys).report
    #expect(report.good == 0 && report.unnamed == 4 && report.problems == 0)
  }

  @Test func forgedReferenceIsNotDamageWithoutDatabase() throws {
    for size in [reference.size, reference.size - 1] {
      let claim = AssetReference(place: reference.place, mime: "x/y", size: size, digest: SHA256.hash([9]))
      try one.put("claim-\(size)", [("a", .asset(claim))])
    }
    let part = AssetReference(
      place: "\(places[0])", mime: "x/y", size: 100_000, digest: SHA256.hash([9]))
    try one.put("part", [("a", .asset(part))])
    try one.exchange("c")
    #expect(try read(keys).report.good == 2 && read(keys).problems.isEmpty)
    try world.scratch.flip("c/" + places[0].path, at: 50)
    #expect(try read(keys).problems.map(\.code) == [.badAsset, .badAsset])
  }
}
