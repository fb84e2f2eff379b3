import Glibc
import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Every place of a container in which purged content may lie.
@Suite(.plainAndSealed) struct PurgePlaceTests {
  let world: SyncWorld
  let desk: Database

  init() throws {
    world = try SyncWorld()
    desk = try world.instance("desk")
  }

  private func text(_ name: String, _ value: String) -> [(String, Value)] { [(name, .string(value))] }

  /// Whether any file below a folder has the bytes.
  private func holds(_ folder: String, _ bytes: [UInt8]) throws -> [String] {
    try world.scratch.files(folder).filter { name in
      try world.scratch.bytes(name).ranges(of: bytes).isEmpty == false
    }
  }

  /// What is to be found nowhere any more: the text, and in a sealed database the sealed blocks.
  private func traces(_ text: String, _ rows: [BlockRow], in database: Database) throws -> [[UInt8]] {
    try [Array(text.utf8)] + rows.map { Array(try database.store.content.bytes(of: $0).suffix(64)) }
  }

  private func rows(_ database: Database, _ indices: [UInt32]) throws -> [BlockRow] {
    try indices.map { try #require(try database.store.blocks.block(BranchID(desk.instance), $0)) }
  }

  /// In folded files, conflict copies of cloud clients, what was set aside, and what has arrived in part only.
  @Test func nothingStaysInTheOtherPlacesOfAContainer() throws {
    try world.attach("team", to: desk)
    for n in 1...1_100 { try desk.put("r\(n)", [("n", .integer(Int64(n))), ("v", .string("SECRET-\(n)."))]) }
    try desk.exchange("team")
    let file = world.place("team", desk.instance, 1_050)
    let chain = "team/transactions/\(desk.instance)"
    #expect(try world.scratch.files(chain).contains("\(chain)/1.blocks"))
    let (whole, folded) = (try world.scratch.bytes(file), try world.scratch.bytes("\(chain)/1.blocks"))
    try world.scratch.write(file + " (conflicted copy)", whole)
    try world.scratch.write("team/whole copy", whole)
    try world.scratch.write("team/half", Array(whole.dropLast(9)))
    try world.scratch.write(file + ".damaged-0123abcd", [0] + whole.dropFirst())
    try world.scratch.write("\(chain)/1.blocks.damaged-0123abcd", [0] + folded.dropFirst())
    try world.scratch.write("\(chain)/1 (copy).blocks", folded)
    try world.scratch.write("team/other", Array("SECRET-letter to mum".utf8))
    let gone =
      try traces("SECRET-500.", rows(desk, [500]), in: desk) + traces("SECRET-1050.", rows(desk, [1_050]), in: desk)
    for n in [500, 1_050] { _ = try desk.purge.run(.record("r\(n)", keepsNow: false)) }
    #expect(try desk.purge.report(desk.containers).containers.map(\.count) == [8])
    let result = try desk.exchange("team")
    #expect(result.emptied == 8 && result.problems.allSatisfy { !$0.isError })
    for bytes in gone { #expect(try holds("team", bytes) == []) }
    #expect(try world.scratch.files("team").contains("team/other"))
    #expect(try desk.purge.report(desk.containers).isDone)
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try late.number("r499") == 499 && late.number("r500") == nil && late.number("r1100") == 1_100)
    #expect(try late.exchange("team").problems.allSatisfy { !$0.isError })
    #expect(try late.store.projection.digest() == desk.store.projection.digest())
  }

  /// Under names of placeholders, in places of other files, beside the folded file that has it, and in folders of no container.
  @Test func nothingStaysWhereverItLies() throws {
    try world.attach("team", to: desk)
    try desk.author.write {
      for n in 1...1_100 { try desk.put("r\(n)", [("n", .integer(Int64(n))), ("v", .string("SECRET-\(n)."))]) }
    }
    try desk.exchange("team")
    let instance = desk.instance
    let file = world.place("team", instance, 1_050)
    let name = String(file.split(separator: "/").last!)
    let folder = String(file.dropLast(name.utf8.count + 1))
    let whole = try world.scratch.bytes(file)
    var row: [UInt8] = []
    _ = try world.container("team").readBlocks(of: BranchID(instance), from: 500) { _, bytes in
      row = Array(bytes)
      return false
    }
    let half = Array(whole.prefix(200))
    let gone =
      try traces("SECRET-500.", rows(desk, [500]), in: desk) + traces("SECRET-1050.", rows(desk, [1_050]), in: desk)
    let hex = String(repeating: "a", count: 64)
    let other = UUID(high: 0xABC, low: 1)
    let places: [(String, [UInt8])] = [
      ("\(folder)/.\(name).aB3dE6", whole), ("\(folder)/.syncthing.\(name).tmp", whole),
      ("\(folder)/~syncthing~\(name).tmp", whole), ("\(folder)/\(name).part", whole), ("\(folder)/\(name).tmp", half),
      ("\(folder)/.\(name).nextcloud", half), ("team/assets/junk", whole), ("team/assets/\(instance)/1/99", whole),
      ("team/heads/\(other)", whole), ("team/heads/\(instance)", half), ("team/keys/\(hex)", whole),
      ("team/keys/x/y", whole), ("team/requests/\(other)", whole), ("team/a/b/c/d/e/f/g/h/i/j/k/l", whole),
      ("team/transactions/\(other)/1/7", whole), ("team/transactions/\(other)/9/7", half),
      (world.place("team", instance, 500), row), ("team/backup/1", whole),
    ]
    for (path, bytes) in places { try world.scratch.write(path, bytes) }
    let fresh = "team/assets/.sea-tmp-0123456789abcdef0123456789abcdef"
    try world.scratch.write(fresh, whole)
    try world.scratch.write("team/heads/\(UUID(high: 0xABC, low: 2))", Array("SECRET-letter".utf8))
    for n in [500, 1_050] { _ = try desk.purge.run(.record("r\(n)", keepsNow: false)) }
    #expect(try desk.purge.report(desk.containers).containers.map(\.count) == [places.count + 3])
    let result = try desk.exchange("team")
    // The own hint was written anew before.
    #expect(result.emptied == places.count)
    #expect(result.problems.filter { $0.code == .notPurged }.map(\.detail.isEmpty) == [false])
    for bytes in gone { #expect(try holds("team", bytes).filter { $0 != fresh } == []) }
    #expect(try desk.purge.report(desk.containers).containers.map(\.places) == [[String(fresh.dropFirst(5))]])
    // Nobody is at it any more.
    var past = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
    #expect(utimes(world.scratch.path(fresh), &past) == 0)
    try desk.exchange("team")
    for bytes in gone { #expect(try holds("team", bytes) == []) }
    #expect(try desk.purge.report(desk.containers).isDone)
    #expect(try world.scratch.files("team").contains("team/heads/\(UUID(high: 0xABC, low: 2))"))
    // What cannot be looked at is not said to be clean.
    try world.scratch.write("team/" + String(repeating: "d/", count: 110) + "f", whole)
    #expect(try !desk.purge.report(desk.containers).isDone)
  }

  /// With what only they have named, and not what another record names, too.
  @Test func assetsGoWithTheirRevisions() throws {
    try world.attach("team", to: desk)
    let secret = try desk.addAsset("a", Array("SECRET scan".utf8))
    let shared = try desk.addAsset("a2", Array("shared".utf8))
    _ = try desk.addAsset("b", Array("shared".utf8))
    try desk.exchange("team")
    let place = try #require(secret.extent?.places.first { _ in true })
    let file = "team/\(place.path)"
    let stored = try world.scratch.bytes(file)
    try world.scratch.write(file + ".damaged-0123abcd", [0] + stored.dropFirst())
    for id in ["a", "a2"] { _ = try desk.purge.run(.record(id, keepsNow: false)) }
    #expect(try desk.assets.files.assetSize(place) == nil)
    #expect(try desk.content(shared) == Array("shared".utf8))
    #expect(try desk.purge.report(desk.containers).containers.map(\.state) == [.left])
    try desk.exchange("team")
    #expect(try world.scratch.files("team").filter { $0.hasPrefix(file) } == [])
    #expect(try holds("team", Array(stored.dropFirst())) == [] && holds("desk", stored) == [])
    #expect(try desk.purge.report(desk.containers).isDone)
    #expect(try desk.exchange("team").problems == [])
  }

  /// Without keys only what anybody can judge is taken out.
  @Test func aMirrorTakesItOutOfItsTarget() throws {
    try world.attach("team", to: desk)
    try desk.put("a", text("v", "SECRET"))
    try desk.put("b", text("v", "stays"))
    try desk.exchange("team")
    try world.copy("team", to: "copy")
    _ = try desk.purge.run(.record("a", keepsNow: false))
    try desk.exchange("team")
    let result = try Mirror.copy(from: world.container("team"), to: world.container("copy"), dryRun: false)
    let isPlain = world.key == nil
    #expect(result.emptied == (isPlain ? 1 : 0))
    if isPlain {
      #expect(try holds("copy", Array("SECRET".utf8)) == [])
      #expect(try Mirror.copy(from: world.container("team"), to: world.container("copy"), dryRun: true).emptied == 0)
    }
  }
}
