import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// The start of an increment.
@Suite(.plainAndSealed) struct ExportStartTests {
  @Test func versionVectorsUniteAndIntersect() throws {
    let (a, b) = (BranchID(try UUID.random()), BranchID(try UUID.random()))
    var one = VersionVector()
    let isNews = [one.raise(a, to: 3), one.raise(a, to: 2)]
    #expect(isNews == [true, false])
    var two = VersionVector()
    _ = two.raise(a, to: 1)
    _ = two.raise(b, to: 7)
    var both = one
    both.formUnion(two)
    #expect(both.last == [a: 3, b: 7])
    one.formIntersection(two)
    #expect(one.last == [a: 1])
  }

  @Test func exportStartsAtLowestHeadOfOthers() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    let other = try world.instance("two")
    let two = other.instance
    let three = try UUID.random()
    for n in 0..<5 { try one.put("r", [("n", .integer(Int64(n)))]) }
    func head(_ index: UInt32) throws -> BlockRef {
      let row = try #require(try one.store.blocks.block(BranchID(one.instance), index))
      return BlockRef(BranchID(one.instance), index: index, digest: row.digest)
    }
    try Path.createDirectories(world.scratch.path("x"))
    let folder = try BundleDirectory(world.scratch.path("x"))
    func frontier() throws -> UInt32? { try one.bundles.survey(folder).frontier[BranchID(one.instance)] }
    #expect(try frontier() == nil)
    try folder.write(HeadsFile(database: one.databaseID, instance: two, heads: [head(4)]))
    // The heads of an unknown instance do not prevent any export.
    #expect(try frontier() == nil)
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: one.databaseID, contentType: "org.example.test", proof: world.proof)
    )
    var result = SyncResult()
    try other.exchange.push(to: container, named: "c", into: &result)
    try one.exchange.pull(from: container, named: "c", into: &result)
    #expect(try frontier() == 4)
    try folder.write(HeadsFile(database: one.databaseID, instance: three, heads: [head(2)]))
    #expect(try frontier() == 2)
    // Invalid blocks, blocks of another database and own heads have no influence.
    var wrong = try head(3)
    wrong.digest = .zero
    try folder.write(HeadsFile(database: one.databaseID, instance: three, heads: [wrong]))
    #expect(try frontier() == nil)
    try folder.write(HeadsFile(database: try UUID.random(), instance: three, heads: [head(1)]))
    #expect(try frontier() == 4)
    try folder.write(HeadsFile(database: one.databaseID, instance: one.instance, heads: [head(0)]))
    #expect(try frontier() == 4)
    try world.scratch.write("x/heads/\(three).json", Array("{\"sea\":1,".utf8))
    #expect(try frontier() == 4)
  }

  @Test func bundleCountsOnlyWithItsPredecessors() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try Path.createDirectories(world.scratch.path("x"))
    let folder = try BundleDirectory(world.scratch.path("x"))
    var names: [String] = []
    var frontier = VersionVector()
    for n in 0..<3 {
      try one.put("r", [("n", .integer(Int64(n)))])
      let name = "b\(n).sea.tar"
      _ = try one.bundles.export(
        one.bundles.plan(behind: frontier), .none, to: world.scratch.path("x/\(name)"), volumeSize: nil, replace: false,
        verifies: false)
      frontier = try one.bundles.frontier(of: .heads(one.containers.heads()))
      names.append(name)
    }
    func last() throws -> UInt32? { try one.bundles.survey(folder).frontier[BranchID(one.instance)] }
    #expect(try last() == 3)
    let middle = try world.scratch.bytes("x/b1.sea.tar")
    try Path.remove(world.scratch.path("x/b1.sea.tar"))
    #expect(try last() == 1)
    try world.scratch.write("x/b1.sea.tar", middle)
    try Path.remove(world.scratch.path("x/b0.sea.tar"))
    #expect(try last() == nil)
    try world.scratch.write("x/b0.sea.tar", [1, 2, 3])
    #expect(try one.bundles.survey(folder).unreadable.map(\.name) == ["b0.sea.tar"])
  }

  @Test func onlyBlockOfReceiverConfirmsReceipt() throws {
    let world = try SyncWorld()
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("c", to: database) }
    try one.put("a", [("n", .integer(1))])
    try one.exchange("c")
    try two.exchange("c")
    try one.put("a", [("n", .integer(2))])
    try one.exchange("c")
    #expect(try one.bundles.frontier(of: .instance(two.instance)).last[BranchID(one.instance)] == nil)
    // Only a block of the receiver confirms it.
    try two.put("b", [("n", .integer(1))])
    try two.exchange("c", .push)
    try one.exchange("c")
    let frontier = try one.bundles.frontier(of: .instance(two.instance))
    #expect(frontier.last == [BranchID(one.instance): 1, BranchID(two.instance): 1])
  }

  @Test func bundleNamesAreUniqueAndPortable() {
    func next(_ type: String, _ label: String, _ taken: [String] = [], full: Bool = true) -> String {
      BundleName.next(contentType: type, label: label, isFull: full, .zstd, avoiding: taken)
    }
    #expect(next("org.example.birds", "field") == "birds-field-0001-full.sea.tar.zst")
    #expect(next("birds", "Ada's Laptop!", full: false) == "birds-ada-s-laptop-0001-incr.sea.tar.zst")
    #expect(next("", "…") == "data-sea-0001-full.sea.tar.zst")
    let long = String(repeating: "x", count: 500)
    #expect(next(long, long).utf8.count < 120)
    let taken = ["birds-field-0009-full.sea.tar", "birds-field-0002-x", "birds-field2-0050-full.sea.tar", "notes"]
    #expect(next("birds", "field", taken) == "birds-field-0010-full.sea.tar.zst")
    #expect(next("birds", "field", ["birds-field-10000-incr.sea.tar"]) == "birds-field-10001-full.sea.tar.zst")
    // The greatest number in use has a successor.
    let great = ["birds-field-999999999-x", "birds-field-1000000000-x"]
    #expect(next("birds", "field", great) == "birds-field-1000000001-full.sea.tar.zst")
    #expect(ExchangeDirectoryNames.isBundle("a.sea.tar.gz") && ExchangeDirectoryNames.isBundle("a.sea.tar"))
    #expect(!ExchangeDirectoryNames.isBundle("a.tar.gz") && !ExchangeDirectoryNames.isBundle(".a.sea.tar"))
  }

  @Test func headsFileRoundTrips() throws {
    let file = HeadsFile(
      database: try UUID.random(), instance: try UUID.random(),
      heads: [BlockRef(BranchID(try UUID.random(), fork: ForkID(high: 0xffff, low: 0)), index: .max, digest: .zero)])
    #expect(HeadsFile(Array(file.text.utf8)) == file)
    let text = file.text
    #expect(HeadsFile(Array(text.replacing("\"sea\":1", with: "\"sea\":2").utf8)) == nil)
    #expect(HeadsFile(Array(text.dropLast(3).utf8)) == nil)
    #expect(HeadsFile(Array(text.replacing("4294967295", with: "4294967296").utf8))?.heads == [])
  }
}
