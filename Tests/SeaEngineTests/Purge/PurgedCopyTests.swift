import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Copies of purged content that somebody has put where they do not belong, or has damaged: they go, and until then nothing is called
/// done.
@Suite(.plainAndSealed) struct PurgedCopyTests {
  let world: SyncWorld
  let desk: Database
  let lap: Database

  init() throws {
    world = try SyncWorld()
    (desk, lap) = try world.holdersOfASecret()
    try lap.exchange("team")
  }

  /// Whether any file below a folder has the bytes.
  private func holds(_ folder: String, _ bytes: [UInt8]) throws -> [String] {
    try world.scratch.files(folder).filter { try world.scratch.bytes($0).ranges(of: bytes).isEmpty == false }
  }

  private func makeOld(_ path: String) {
    let past = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
    #expect(utimes(world.scratch.path(path), past) == 0)
  }

  private func states(_ database: Database) throws -> [PurgeReport.Place.State] {
    try database.purge.report(database.containers).containers.map(\.state)
  }

  /// Behind the end of a chain, beside single files, and of chains that nobody knows.
  @Test(arguments: ["desk", "lap"]) func foldedFilesWhereNoneBelong(name: String) throws {
    let whole = try world.scratch.bytes(world.place("team", desk.instance, 1))
    let first = try world.scratch.bytes(world.place("team", desk.instance, 0))
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, lap, desk] { try one.exchange("team") }
    #expect(try states(desk) == [.done])
    let (chain, other) = ("team/transactions/\(desk.instance)", "team/transactions/\(UUID(high: 0xABC, low: 1))")
    let places = [
      "\(chain)/2/1.blocks", "\(chain)/2/7.blocks", "\(chain)/3/1/0.blocks", "\(other)/1.blocks", "\(other)/2/3.blocks",
      "team/transactions/\(lap.instance)/2/1.blocks",
    ]
    for (path, bytes) in zip(
      places, [whole, first + whole, whole + whole, [0] + whole, Array(whole.dropLast(9)), whole])
    {
      try world.scratch.write(path, bytes)
    }
    for one in [desk, lap] { #expect(try states(one) == [.left]) }
    let database = name == "desk" ? desk : lap
    #expect(try database.exchange("team").emptied == places.count)
    #expect(try holds("team", Array(whole.suffix(70).prefix(50))) == [])
    for one in [desk, lap] {
      #expect(try states(one) == [.done])
      try one.exchange("team")
      #expect(try one.exchange("team").problems.allSatisfy { !$0.isError })
    }
  }

  /// With one bit of the header flipped, in its place, beside it, and in a folded file.
  @Test func damagedCopies() throws {
    let place = world.place("team", desk.instance, 1)
    let whole = try world.scratch.bytes(place)
    let part = Array(whole.suffix(70).prefix(50))
    try world.copy("team", to: "old")
    func flipped(_ byte: Int) -> [UInt8] {
      var bytes = whole
      bytes[byte] ^= 4
      return bytes
    }
    // Whoever meets it before the order keeps it apart.
    try world.scratch.write("old" + place.dropFirst(4), flipped(60))
    let late = try world.instance("late")
    try world.attach("old", to: late)
    try late.exchange("old")
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, lap, desk] { try one.exchange("team") }
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try holds("late", part) == [] && late.store.peers.quarantine().map(\.container) == ["old"])
    // And afterwards it does not come in.
    for byte in [0, 3, 5, 10, 14, 20, 60] {
      let bytes = flipped(byte)
      let others = [
        "team/x \(byte)", "team/transactions/\(desk.instance)/2/1.blocks", "team/assets/\(lap.instance)/1/9",
      ]
      for path in [place] + others { try world.scratch.write(path, bytes) }
      #expect(try states(lap) == [.left])
      try lap.exchange("team")
      #expect(try holds("team", part) == [] && holds("lap", part) == [], "byte \(byte)")
      try desk.exchange("team")
      #expect(try holds("desk", part) == [] && states(desk) == [.done])
      try world.scratch.write("old" + place.dropFirst(4), bytes)
      try late.exchange("old")
      #expect(try holds("late", part) == [], "byte \(byte)")
    }
    try world.attach("old", to: desk)
    try desk.exchange("old")
    #expect(try holds("old", part) == [] && holds("desk", part) == [])
    #expect(try world.container("team").info().database == world.databaseID)
    #expect(try late.exchange("team").problems.allSatisfy { !$0.isError })
  }

  /// Under names that cloud clients make of its own, cut or changed: nobody can tell what they hold, and nobody says that all is done.
  @Test func whatCannotBeTold() throws {
    let reference = try desk.addAsset("b", Array("SECRET scan of a page".utf8))
    try desk.put("c", [("v", .string("stays"))])
    for one in [desk, lap, desk] { try one.exchange("team") }
    let place = try #require(reference.extent?.places.first { _ in true })
    let stored = try world.scratch.bytes("team/\(place.path)")
    let block = world.place("team", desk.instance, 1)
    let whole = try world.scratch.bytes(block)
    let good = try world.scratch.bytes(world.place("team", desk.instance, 3))
    for id in ["a", "b"] { _ = try desk.purge.run(.record(id, keepsNow: false)) }
    for one in [desk, lap, desk] { try one.exchange("team") }
    #expect(try states(desk) == [.done])
    let changed = [whole[0] ^ 0xFF] + Array(repeating: 7, count: 79) + whole.dropFirst(80).dropLast()
    let untold = [
      ("team/\(place.path) (desk's conflicted copy 2026-11-25)", Array(stored.dropLast(3))),
      ("team/.stversions/\(place.path)~20261125-120000", Array(stored.dropFirst())),
      ("\(block) (conflicted copy)", changed),
    ]
    // What stands beside and is no secret: a copy of another block, and another file.
    for path in ["\(block) (2)", "\(block) of another"] { try world.scratch.write(path, good) }
    try world.scratch.write("team/transactions/\(desk.instance)/1/.DS_Store", Array("store".utf8))
    #expect(try states(desk) == [.done])
    for (path, bytes) in untold { try world.scratch.write(path, bytes) }
    let report = try desk.purge.report(desk.containers)
    #expect(report.containers.map(\.state) == [.left] && !report.isDone)
    #expect(report.containers[0].untold.sorted() == untold.map { String($0.0.dropFirst(5)) }.sorted())
    for _ in 0..<2 {
      let result = try desk.exchange("team")
      #expect(result.emptied == 0 && result.problems.count { $0.code == .notPurged } == untold.count)
    }
    // What Sea has set aside itself goes by its name.
    for (path, bytes) in untold { try world.scratch.write(path, bytes) }
    for path in ["team/\(place.path)", block] { try world.scratch.write(path + ".damaged-0123abcd", changed) }
    #expect(try desk.exchange("team").emptied == 2)
    for (path, _) in untold { #expect(unlink(world.scratch.path(path)) == 0) }
    #expect(try desk.exchange("team").emptied == 0 && states(desk) == [.done])
  }

  /// In its own place, whatever its size says: the payload alone, and what is left of nothing.
  @Test func theOwnPlaceIsLookedAt() throws {
    let block = world.place("team", desk.instance, 1)
    let whole = try world.scratch.bytes(block)
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, lap, desk] { try one.exchange("team") }
    let left = try world.scratch.bytes(block)
    #expect(try left.count == Remains.blockSize && states(desk) == [.done])
    let payload = Array(whole.dropFirst(BlockHeader.size))
    for bytes in [payload, Array(payload.prefix(left.count)), Array(payload.suffix(left.count))] {
      try world.scratch.write(block, bytes)
      #expect(try states(lap) == [.left] && states(desk) == [.left])
      try desk.exchange("team")
      #expect(try world.scratch.bytes(block) == left && states(desk) == [.done])
    }
    // And in those of others that have its size.
    try lap.put("b", [("v", .string(String(repeating: "x", count: 400)))])
    for one in [lap, desk] { try one.exchange("team") }
    for path in ["team/some", "team/assets/\(lap.instance)/1/9", "team/transactions/\(lap.instance)/1/900"] {
      try world.scratch.write(path, payload)
      makeOld(path)
      #expect(try states(desk) == [.left])
      try desk.exchange("team")
      #expect(try holds("team", Array(payload.suffix(50))) == [] && states(desk) == [.done])
    }
  }

  /// A limit of time ends the search, which goes on in the next sync.
  @Test func theSearchEndsInTime() throws {
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, lap, desk] { try one.exchange("team") }
    for n in 0..<5 { try world.scratch.write("team/junk \(n)", Array(repeating: UInt8(n + 1), count: 3000)) }
    desk.close()
    var syncs = 0
    while syncs < 20 {
      world.settings.allowance = Allowance(seconds: 0, bytes: nil, throttle: nil)
      let hurried = try world.reopened("desk")
      defer { hurried.close() }
      let problems = try hurried.exchange("team").problems.filter { $0.code == .notPurged }
      syncs += 1
      if problems.isEmpty { break }
      #expect(problems.count == 1 && problems[0].detail.contains("next syncs"))
    }
    #expect(syncs > 3 && syncs < 20)
  }

  /// Before a container is looked through, the others have what they lack.
  @Test func nobodyWaitsForTheSearch() throws {
    try world.attach("zone", to: desk)
    _ = try desk.purge.run(.record("a", keepsNow: false))
    let head = try #require(try desk.store.branches.chain(desk.instance)?.head.index)
    let last = world.place("zone", desk.instance, head)
    var told: [String] = []
    let settings = try desk.containers.settings().sorted { $0.name < $1.name }
    let world = world
    try desk.exchange.sync(
      settings,
      end: { setting, _ in
        told.append(setting.name)
        let isThere = try world.scratch.files("zone").contains(last)
        #expect(isThere)
      })
    #expect(told == ["team", "zone"])
  }

  /// In places of other assets and of small files.
  @Test func assetsInOtherPlaces() throws {
    let reference = try desk.addAsset("b", Array("SECRET scan".utf8))
    for one in [desk, lap] { try one.exchange("team") }
    let place = try #require(reference.extent?.places.first { _ in true })
    let stored = try world.scratch.bytes("team/\(place.path)")
    _ = try desk.purge.run(.record("b", keepsNow: false))
    try desk.exchange("team")
    let hex = String(repeating: "b", count: 64)
    let files = [
      "team/heads/\(UUID(high: 0xABC, low: 1))", "team/requests/\(UUID(high: 0xABC, low: 1))", "team/keys/\(hex)",
      "team/transactions/\(lap.instance)/1/77", "team/transactions/\(lap.instance)/2/5.blocks", "team/letter",
    ]
    let slots = ["team/assets/\(lap.instance)/1/7", "team/assets/\(UUID(high: 0xABC, low: 1))/2/1/7"]
    for path in files + slots { try world.scratch.write(path, stored) }
    #expect(try desk.purge.report(desk.containers).containers.map(\.count) == [files.count + slots.count])
    // What may belong to a record that is still arriving is told, and stays an hour.
    let result = try desk.exchange("team")
    #expect(result.emptied == files.count && result.problems.count { $0.code == .notPurged } == slots.count)
    #expect(try holds("team", stored).sorted() == slots.sorted() && states(desk) == [.left])
    for path in slots { makeOld(path) }
    #expect(try desk.exchange("team").emptied == slots.count)
    #expect(try holds("team", stored) == [] && states(desk) == [.done])
  }

  /// What others have written with the same content stays theirs.
  @Test func assetsThatAreNamedStay() throws {
    let content = Array("the same scan".utf8)
    let (mine, theirs) = (try desk.addAsset("b", content), try lap.addAsset("c", content))
    for one in [desk, lap, desk] { try one.exchange("team") }
    _ = try desk.purge.run(.record("b", keepsNow: false))
    for one in [desk, lap] { try one.exchange("team") }
    let place = try #require(theirs.extent?.places.first { _ in true })
    makeOld("team/\(place.path)")
    for one in [desk, lap] { try one.exchange("team") }
    #expect(try world.container("team").assetSize(place) != nil && lap.content(theirs) == content)
    #expect(try mine.extent.map { try world.container("team").assetSize($0.places.first { _ in true }!) } == .some(nil))
    #expect(try states(desk) == [.done])
  }
}
