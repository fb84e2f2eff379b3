import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A purge works by place: which blocks and assets of a container are removed, and that all others stay.
@Suite(.plainAndSealed) struct PurgePlaceTests {
  private let world: SyncWorld
  private let desk: Database

  init() throws {
    world = try SyncWorld()
    desk = try world.instance("desk")
    try world.attach("team", to: desk)
  }

  private func purge(_ ids: String...) throws {
    for id in ids { _ = try desk.purge.run(.record(id, keepsNow: false)) }
  }

  private func blocks() throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    _ = try world.container("team").readBlocks(of: BranchID(desk.instance), from: 0) { _, bytes in
      found.append(Array(bytes))
      return true
    }
    return found
  }

  private func left(_ database: Database) throws -> [PurgeRemainder] {
    try database.purge.report(database.containers).containers.flatMap(\.remainders)
  }

  /// In a single file, in a pack, and in any folder of the instance.
  @Test func blocksArePurgedAtEveryPlace() throws {
    try desk.author.write { _ in for n in 1...1_100 { try desk.put("r\(n)", [("n", .integer(Int64(n)))]) } }
    try desk.exchange("team")
    let chain = "team/transactions/\(desk.instance)"
    #expect(try world.scratch.files(chain).contains("\(chain)/1.blocks"))
    let pack = try world.scratch.bytes("\(chain)/1.blocks")
    let single = world.blockPath("team", desk.instance, 1_050)
    let neighbor = world.blockPath("team", desk.instance, 1_051)
    let before = try blocks()
    let fork = "\(chain)~0123456789abcdef0123456789abcdef"
    for place in ["2/1/50", "2/1/51"] {
      try world.scratch.write("\(fork)/\(place)", world.scratch.bytes("\(chain)/\(place)"))
    }
    try world.scratch.write("\(fork)/1.blocks", pack)
    try purge("r500", "r1050")
    #expect(try left(desk).count == 4 && left(desk).allSatisfy(\.reason.isEmpty))
    #expect(try desk.exchange("team").emptied == 4)
    #expect(try left(desk) == [] && desk.exchange("team").emptied == 0)
    let after = try blocks()
    #expect(after.count >= before.count)
    for (index, (old, now)) in zip(before, after).enumerated() {
      if index == 500 || index == 1_050 {
        let left = try #require(RemovedBlock(now))
        #expect(old.withUnsafeBytes { left.isLeft(of: $0) })
      } else {
        #expect(now == old)
      }
    }
    for place in [single, "\(fork)/2/1/50"] { #expect(try RemovedBlock(world.scratch.bytes(place)) != nil) }
    #expect(try world.scratch.bytes("\(fork)/2/1/51") == world.scratch.bytes(neighbor))
    #expect(try world.scratch.bytes("\(fork)/1.blocks") == world.scratch.bytes("\(chain)/1.blocks"))
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try late.number("r499") == 499 && late.number("r500") == nil && late.number("r1100") == 1_100)
    #expect(try late.store.projection.digest() == desk.store.projection.digest())
  }

  /// Files with other names stay, even if they are copies of purged content.
  @Test func filesUnderOtherNamesStay() throws {
    let reference = try desk.addAsset("a", Array("a scan".utf8))
    try desk.exchange("team")
    let asset = try #require(reference.extent?.start)
    let (chain, file) = (desk.instance, "team/\(asset.path)")
    let place = world.blockPath("team", chain, 1)
    let (whole, stored) = (try world.scratch.bytes(place), try world.scratch.bytes(file))
    let other = UUID(high: 0xABC, low: 1)
    let hex = String(repeating: "a", count: 64)
    let paths = [
      "\(place) (conflicted copy)", "\(place).damaged-0123abcd", "team/copy", "team/a/b/c/d/e/f", "team/backup/1",
      "team/keys/\(hex)", "team/requests/\(other)", "team/heads/\(other)",
      "\(file) (conflicted copy)", "\(file).damaged-0123abcd", "team/assets/\(chain)/1/77", "team/assets/\(other)/1/0",
    ]
    for path in paths {
      for bytes in [whole, stored] { try world.scratch.write(bytes == whole ? path : path + "x", bytes) }
    }
    let before = try world.scratch.files("team")
    try purge("a")
    let result = try desk.exchange("team")
    #expect(result.emptied == 2)
    #expect(
      try world.scratch.files("team").contains(file) == false && RemovedBlock(world.scratch.bytes(place)) != nil)
    for path in before where path != file && path != place && !path.hasPrefix("team/heads/\(chain)") {
      let isStored = path.hasSuffix("x") && paths.contains(String(path.dropLast()))
      if isStored || paths.contains(path) {
        #expect(try world.scratch.bytes(path) == (isStored ? stored : whole), "\(path)")
      }
    }
    #expect(try left(desk) == [])
  }

  /// Assets that only the purged revisions name are removed; those of another record, or of its history, stay.
  @Test func unreferencedAssetsArePurgedWithRevisions() throws {
    let secret = try #require(try desk.addAsset("a", Array("SECRET scan".utf8)).extent?.start)
    let shared = try desk.addAsset("a2", Array("shared".utf8))
    try desk.put("b", [("a", .asset(shared))])
    try desk.put("b", [("n", .integer(1))])
    try desk.exchange("team")
    try purge("a", "a2")
    #expect(try desk.assets.files.assetSize(secret) == nil)
    #expect(try desk.content(shared) == Array("shared".utf8))
    #expect(try left(desk).map(\.place).contains(secret.path))
    try desk.exchange("team")
    #expect(try world.container("team").assetSize(secret) == nil)
    #expect(try world.container("team").assetSize(#require(shared.extent?.start)) != nil)
    #expect(try desk.purge.report(desk.containers).isDone)
    #expect(try desk.exchange("team").problems == [])
    // The last revision that names it is purged, and the asset with it.
    try purge("b")
    try desk.exchange("team")
    #expect(try world.container("team").assetSize(#require(shared.extent?.start)) == nil)
  }

  /// A file that differs in size or digest from the purged revision was not purged, and is listed.
  @Test func differentContentAtPurgedPlaceStays() throws {
    let content = randomContent(5_000)
    let place = try #require(try desk.addAsset("a", content).extent?.start)
    try desk.exchange("team")
    let file = "team/\(place.path)"
    let stored = try world.scratch.bytes(file)
    try purge("a")
    for other in [Array(stored.dropLast()), stored.dropLast() + [stored.last! ^ 1]] {
      try world.scratch.write(file, other)
      for _ in 0..<2 {
        let result = try desk.exchange("team")
        #expect(result.problems.map(\.code) == [.notPurged])
        #expect(try world.scratch.bytes(file) == other && left(desk).map(\.place) == [place.path])
      }
    }
    try world.scratch.write(file, stored)
    #expect(try desk.exchange("team").emptied == 1)
    #expect(try desk.purge.report(desk.containers).isDone)
  }

  /// A revision that claims content or places of others does not affect their files.
  @Test func claimedFilesOfOthersStay() throws {
    let lap = try world.instance("lap")
    try world.attach("team", to: lap)
    let theirs = try lap.addAsset("theirs", Array("a photo".utf8))
    for one in [lap, desk] { try one.exchange("team") }
    let place = try #require(theirs.extent?.start)
    try desk.put("mine", [("a", .asset(theirs))])
    // The first claim is purged by its author, and the other instance purges its own.
    _ = try desk.purge.run(.record("mine", keepsNow: false))
    for one in [desk, lap, desk, lap] { try one.exchange("team") }
    #expect(try lap.content(theirs) != nil && world.container("team").assetSize(place) != nil)
    try desk.put("mine", [("a", .asset(theirs))])
    for one in [desk, lap] { try one.exchange("team") }
    _ = try lap.purge.run(.record("theirs", keepsNow: false))
    for one in [lap, desk] { try one.exchange("team") }
    #expect(try world.container("team").assetSize(place) != nil)
    // The asset is now unreferenced, and its place belongs to `lap`, whose block is purged.
    let purged = try desk.purge.run(.record("mine", keepsNow: false))
    #expect(purged.elsewhere == [])
    for one in [desk, lap] { try one.exchange("team") }
    #expect(try world.container("team").assetSize(place) == nil)
  }

  /// Files at places of other instances are listed, since only these can purge them.
  @Test func filesAtPlacesOfOthersAreListed() throws {
    let other = UUID(high: 0xABC, low: 1)
    let reference = AssetReference(
      place: "\(other)/3", mime: "text/plain", size: 6, digest: SHA256.hash(Array("SECRET".utf8)))
    try desk.put("a", [("a", .asset(reference))])
    let file = "team/assets/\(other)/1/3"
    try world.scratch.write(file, Array("SECRET".utf8))
    try desk.exchange("team")
    #expect(try desk.purge.run(.record("a", keepsNow: false)).elsewhere == [AssetExtent(other, 3, 3)])
    #expect(try desk.exchange("team").problems.allSatisfy { $0.code != .notPurged })
    #expect(try world.scratch.bytes(file) == Array("SECRET".utf8))
  }

  /// A block that has not arrived may name it.
  @Test func assetStaysWhileBlocksAreMissing() throws {
    let reference = try desk.addAsset("a", Array("a photo".utf8))
    let place = try #require(reference.extent?.start)
    let (lap, third) = (try world.instance("lap"), try world.instance("third"))
    for one in [lap, third] { try world.attach("team", to: one) }
    for one in [desk, lap, third, desk] { try one.exchange("team") }
    try lap.put("l", [("a", .asset(reference))])
    try lap.exchange("team")
    try third.exchange("team")
    try third.put("t", [("n", .integer(1))])
    try third.exchange("team")
    // Blocks of `lap` that `third` has seen are on their way.
    let way = "team/transactions/\(lap.instance)"
    var held: [(String, [UInt8])] = []
    for path in try world.scratch.files(way) where path.hasSuffix("/1") || path.hasSuffix("/2") {
      held.append((path, try world.scratch.bytes(path)))
      try Path.remove(world.scratch.path(path))
    }
    #expect(!held.isEmpty)
    try desk.exchange("team")
    try purge("a")
    for _ in 0..<2 {
      let problems = try desk.exchange("team").problems.filter { $0.code == .notPurged }
      #expect(try problems.count == 1 && world.container("team").assetSize(place) != nil)
    }
    #expect(try desk.purge.report(desk.containers).assets.map(\.place) == [place.path])
    #expect(try desk.content(reference) == Array("a photo".utf8))
    for (path, bytes) in held { try world.scratch.write(path, bytes) }
    #expect(try desk.exchange("team").problems.allSatisfy { $0.code != .notPurged })
    #expect(try world.container("team").assetSize(place) != nil && left(desk) == [])
  }

  /// An instance removed the file without knowing of a new revision; a holder writes it again.
  @Test func holderRestoresReferencedAsset() throws {
    let reference = try desk.addAsset("a", Array("a photo".utf8))
    let lap = try world.instance("lap")
    try world.attach("team", to: lap)
    for one in [desk, lap] { try one.exchange("team") }
    _ = try lap.fetch(reference, from: [("team", world.container("team"))])
    for one in [lap, desk] { try one.exchange("team") }
    try lap.put("l", [("a", .asset(reference))])
    try purge("a")
    try desk.exchange("team")
    #expect(try world.container("team").assetSize(#require(reference.extent?.start)) == nil)
    try lap.exchange("team")
    #expect(try lap.content(reference) == Array("a photo".utf8))
    for _ in 0..<2 { for one in [desk, lap] { try one.exchange("team") } }
    #expect(try world.container("team").assetSize(#require(reference.extent?.start)) != nil)
    _ = try desk.fetch(reference, from: [("team", world.container("team"))])
    #expect(try desk.content(reference) == Array("a photo".utf8))
  }

  /// An old copy of a file reappears in its place and is removed again.
  @Test func reappearedFileIsPurgedAgain() throws {
    let place = try #require(try desk.addAsset("a", Array("a photo".utf8)).extent?.start)
    try desk.exchange("team")
    let files = try ["team/\(place.path)", world.blockPath("team", desk.instance, 1)].map {
      ($0, try world.scratch.bytes($0))
    }
    try world.copy("team", to: "old")
    try purge("a")
    try desk.exchange("team")
    try world.attach("old", to: desk)
    #expect(try desk.exchange("old").emptied == 2)
    #expect(try world.container("old").assetSize(place) == nil)
    for (path, bytes) in files { try world.scratch.write(path, bytes) }
    #expect(try left(desk).count == 2 && desk.exchange("team").emptied == 2)
    #expect(try desk.purge.report(desk.containers).isDone)
  }

  /// Without keys, a mirror only removes content whose purge can be verified.
  @Test func mirrorPurgesBlocksInTarget() throws {
    try desk.put("a", [("v", .string("SECRET"))])
    try desk.put("b", [("v", .string("stays"))])
    try desk.exchange("team")
    try world.copy("team", to: "copy")
    try purge("a")
    try desk.exchange("team")
    let isPlain = world.key == nil
    func copy(dryRun: Bool) throws -> Int {
      try Mirror.copy(from: world.container("team"), to: world.container("copy"), dryRun: dryRun).emptied
    }
    #expect(try copy(dryRun: true) == (isPlain ? 1 : 0) && copy(dryRun: false) == (isPlain ? 1 : 0))
    #expect(try copy(dryRun: true) == 0)
    #expect(try (RemovedBlock(world.scratch.bytes(world.blockPath("copy", desk.instance, 1))) != nil) == isPlain)
  }
}
