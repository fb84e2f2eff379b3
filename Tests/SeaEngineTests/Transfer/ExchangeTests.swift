import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Instances that exchange bundles through folders.
@Suite(.plainAndSealed) struct ExchangeTests {
  /// Writes the bundles that the folder lacks, like `sea export --to`.
  private func export(_ database: Database, _ folder: String) throws {
    try Path.createDirectories(folder)
    let exchange = try BundleDirectory(folder)
    let survey = try database.bundles.survey(exchange)
    let plan = try database.bundles.plan(behind: survey.frontier, except: survey.assets)
    if plan.isNews {
      let name = try BundleName.next(
        contentType: database.contentType(), label: database.name(), isFull: plan.isFull, .none,
        avoiding: exchange.usedNames())
      _ = try database.bundles.export(
        plan, .none, to: Path.join(folder, name), volumeSize: nil, replace: false, verifies: false)
    }
    try exchange.leaveHeads(of: database.bundles)
  }

  /// Imports the bundles of the folder in random order, as far as possible.
  private func importBundles(_ database: Database, _ folder: String, _ random: inout SeededRandom) throws {
    guard try Path.exists(folder) else { return }
    let exchange = try BundleDirectory(folder)
    var open = try exchange.bundles().map { bundle in
      try BundleImport(.file(path: bundle.path), named: bundle.name, in: database.bundles)
    }
    open.shuffle(using: &random)
    while let at = try open.firstIndex(where: { try $0.missing().isEmpty }) {
      let bundle = open.remove(at: at)
      if try Bool.random(using: &random) && bundle.isKnown() { continue }
      _ = try bundle.run()
    }
    #expect(open.isEmpty)
    _ = try database.bundles.followUp(merges: true)
    if Bool.random(using: &random) { try exchange.leaveHeads(of: database.bundles) }
  }

  @Test(arguments: TestSeed.some(4)) func usbDrivesInAnyOrderMatchContainer(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let world = try SyncWorld()
    let all = try (0..<4).map { try world.instance("i\($0)") }
    let sticks = (0..<2).map { world.scratch.path("stick\($0)") }
    for step in 0..<50 {
      let database = all[Int.random(in: 0..<4, using: &random)]
      let stick = sticks[Int.random(in: 0..<2, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: try export(database, stick)
      case 2: try importBundles(database, stick, &random)
      case 3: try? database.deleteRecord("r\(step % 5)")
      default: try database.put("r\(Int.random(in: 0..<5, using: &random))", [("n", .integer(Int64(step)))])
      }
    }
    // Over time, the bundles on the USB drives are enough for all instances.
    for _ in 0..<4 {
      for database in all {
        for stick in sticks {
          try export(database, stick)
          try importBundles(database, stick, &random)
        }
      }
    }
    // The last block of each may be a merge; there is nothing else to exchange.
    let digests = try all.map { try $0.store.projection.digest() }
    for digest in digests { #expect(digest == digests[0], "seed \(seed)") }
    let other = try world.instance("other")
    for database in all + [other] {
      try world.attach("c", to: database)
      try database.exchange("c")
    }
    try all[0].exchange("c")
    try other.exchange("c")
    for database in all { try database.exchange("c") }
    for database in all { #expect(try database.store.projection.digest() == other.store.projection.digest()) }
    for database in all { #expect(try database.containers.heads().count == all[0].containers.heads().count) }
  }

  @Test func bundleHasSameBlocksAsContainer() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    for n in 0..<1100 { try one.put("r\(n % 7)", [("n", .integer(Int64(n)))]) }
    try world.attach("c", to: one)
    try one.exchange("c")
    let path = world.scratch.path("b.tar")
    _ = try one.bundles.export(
      try one.bundles.plan(behind: VersionVector()), .none, to: path, volumeSize: nil, replace: false, verifies: true)
    let folder = world.scratch.path("unpacked")
    try Path.createDirectories(folder)
    _ = try BundleReader(.file(path: path), temporary: folder).unpack(into: Directory(folder)) { _ in true }
    let transactions = try world.scratch.files("c").filter { $0.contains("/transactions/") }
    #expect(transactions.contains { $0.hasSuffix(".blocks") })
    for file in transactions {
      let bytes = try world.scratch.bytes(file)
      #expect(try world.scratch.bytes("unpacked" + file.dropFirst(1)) == bytes)
    }
    let two = try world.instance("two")
    #expect(try BundleImport(.file(path: path), named: "b", in: two.bundles).run().exchange.pulled == 1101)
    #expect(try two.number("r0") == one.number("r0"))
  }
}
