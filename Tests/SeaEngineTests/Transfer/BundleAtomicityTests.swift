import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// A bundle is imported as a whole or not at all.
@Suite(.plainAndSealed) struct BundleAtomicityTests {
  /// Writes a bundle of everything an instance has, with changed blocks but valid digests in the manifest.
  private func forge(
    _ database: Database, _ path: String, manifest claim: (inout BundleManifest) -> Void = { _ in },
    keeps: (BundlePath) -> Bool = { _ in true }, change: (BranchID, UInt32, inout [UInt8]) -> Void = { _, _, _ in }
  ) throws {
    let plan = try database.bundles.plan(behind: VersionVector())
    var manifest = plan.manifest
    claim(&manifest)
    let content = ExportContent(database.assets, plan)
    var files: [BundlePath: [UInt8]] = [:]
    var order: [BundleMember] = []
    try content.forEachMember { member in
      guard keeps(member.path) else { return }
      var bytes: [UInt8] = []
      try content.content(member) { bytes += Array($0) }
      if case .block(let chain, let index) = member.path { change(chain, index, &bytes) }
      files[member.path] = bytes
      order.append(BundleMember(path: member.path, size: Int64(bytes.count), sha256: SHA256.hash(bytes)))
    }
    let file = try BundleFile(path)
    let writer = try BundleWriter(.none, temporary: Path.parent(path)) { try file.write($0) }
    _ = try writer.write(manifest, members: { each in for one in order { try each(one) } }) { member, give in
      try files[member.path]!.withUnsafeBytes(give)
    }
    try file.finish()
    try file.commit(replace: true)
  }

  @Test(arguments: [1, 4, 9]) func damagedChainFailsWholeImport(_ damaged: UInt32) throws {
    let world = try SyncWorld()
    let (one, two, three) = (try world.instance("one"), try world.instance("two"), try world.instance("three"))
    for database in [one, two] { try world.attach("c", to: database) }
    for n in 0..<10 { try one.put("a\(n)", [("n", .integer(1))]) }
    for n in 0..<10 { try two.put("b\(n)", [("n", .integer(1))]) }
    for database in [one, two, one] { try database.exchange("c") }
    let path = world.scratch.path("b.tar")
    // The signature is of another instance: the payload digest is valid, but the signature is not.
    let victim = [one.instance, two.instance].sorted()[1]
    let change = { (chain: BranchID, index: UInt32, bytes: inout [UInt8]) in
      guard chain.instance == victim, index == damaged else { return }
      bytes[bytes.count - 70] ^= 1
      bytes = resealed(bytes)
    }
    try forge(one, path, change: change)
    _ = try BundleReader(.file(path: path), temporary: Path.parent(path)).read(NoVisitor())
    let before = (try three.containers.heads(), try three.store.projection.digest())
    #expect(throws: TransferError.self) { try BundleImport(.file(path: path), named: "b", in: three.bundles).run() }
    #expect(try three.containers.heads() == before.0)
    #expect(try three.store.projection.digest() == before.1)
    #expect(try three.store.peers.quarantine().isEmpty)
    #expect(try three.store.peers.seen(in: "/import").isEmpty)
    try forge(one, path)
    let result = try BundleImport(.file(path: path), named: "b", in: three.bundles).run()
    #expect(result.exchange.pulled == 22)
    #expect(try three.store.peers.seen(in: "/import").isEmpty)
    #expect(try three.number("b9") == 1)
  }

  /// Heads reveal a truncated bundle: the blocks they name must be in it, and a bundle that only names them has
  /// nothing.
  @Test func manifestHeadsMustMatchBlocks() throws {
    let world = try SyncWorld()
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for n in 0..<3 { try one.put("a\(n)", [("n", .integer(1))]) }
    let path = world.scratch.path("b.tar")
    let head = try #require(try one.containers.heads().first)
    for claim in [BlockRef(head.branch, index: 99, digest: .zero), BlockRef(head.branch, index: 3, digest: .zero)] {
      try forge(one, path, manifest: { $0.heads = [BundleHead(claim)] })
      #expect(throws: TransferError.self) { try BundleImport(.file(path: path), named: "b", in: two.bundles).run() }
      #expect(try two.number("a0") == nil && two.store.branches.chain(one.instance) == nil)
    }
    // The chain in the bundle must end with its head; here the head is missing or below the last block.
    let below = try #require(try one.store.blocks.block(BranchID(one.instance), 1)).ref
    for heads in [[], [BundleHead(below)]] {
      try forge(one, path, manifest: { $0.heads = heads })
      let gap = Problem(.gap, place: "b", branch: head.branch, index: 4)
      #expect(throws: TransferError.problem(name: "b", gap)) {
        try BundleImport(.file(path: path), named: "b", in: two.bundles).run()
      }
      #expect(try two.number("a0") == nil)
    }
    try Path.createDirectories(world.scratch.path("x"))
    let folder = try BundleDirectory(world.scratch.path("x"))
    let bundle = world.scratch.path("x/n-one-0001-full.sea.tar")
    try forge(one, bundle, manifest: { $0.blocks = 0 }, keeps: { $0.blocks == nil })
    #expect(try one.bundles.survey(folder).frontier == VersionVector())
    try forge(one, bundle)
    #expect(try one.bundles.survey(folder).frontier[head.branch] == 3)
  }

  @Test func failedNestedWriteFailsWholeTransaction() throws {
    struct Refused: Error {}
    let world = try SyncWorld()
    let store = try world.instance("one").store
    #expect(throws: Refused.self) {
      try store.write {
        try store.setMeta("kept", .int(1))
        try? store.write { throw Refused() }
      }
    }
    #expect(try store.metaInt("kept") == nil)
    try store.write {
      try store.write { try store.setMeta("kept", .int(2)) }
    }
    #expect(try store.metaInt("kept") == 2)
  }

  @Test func incrementRequiresExactPredecessorBlock() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    for n in 0..<5 { try one.put("r", [("n", .integer(Int64(n)))]) }
    try world.copy("one", to: "copy")
    let copy = try world.reopened("copy")
    try one.put("r1", [("n", .integer(1))])
    for n in 0..<2 { try copy.put("r2", [("n", .integer(Int64(n)))]) }
    let base = world.scratch.path("base.tar")
    let more = world.scratch.path("more.tar")
    _ = try one.bundles.export(
      one.bundles.plan(behind: VersionVector()), .none, to: base, volumeSize: nil, replace: false, verifies: false)
    let start = try one.bundles.frontier(of: .heads(one.containers.heads()))
    #expect(try one.bundles.plan(behind: start).isNews == false)
    // The copy continues after the block before the last one.
    let there = try copy.containers.heads()
    var frontier = VersionVector()
    let head = try #require(there.first)
    let before = try #require(try copy.store.blocks.block(BranchID(copy.instance), head.index - 1))
    try copy.store.branches.extend(&frontier, to: before)
    _ = try copy.bundles.export(
      copy.bundles.plan(behind: frontier), .none, to: more, volumeSize: nil, replace: false, verifies: false)
    let two = try world.instance("two")
    _ = try BundleImport(.file(path: base), named: "base", in: two.bundles).run()
    let late = try BundleImport(.file(path: more), named: "more", in: two.bundles)
    #expect(try late.missing().count == 1)
    #expect(throws: TransferError.self) { try late.run() }
    _ = try copy.bundles.export(
      copy.bundles.plan(behind: VersionVector()), .none, to: more, volumeSize: nil, replace: true, verifies: false)
    let all = try BundleImport(.file(path: more), named: "more", in: two.bundles).run()
    #expect(all.exchange.problems.map(\.code) == [.fork])
    #expect(try two.number("r1") == 1)
    #expect(try two.number("r2") == 1)
    // Whichever branch is the main one, an instance with both gets nothing new from either.
    #expect(try BundleImport(.file(path: base), named: "base", in: two.bundles).run().exchange.pulled == 0)
    let full = world.scratch.path("full.tar")
    _ = try two.bundles.export(
      two.bundles.plan(behind: VersionVector()), .none, to: full, volumeSize: nil, replace: false, verifies: false)
    let report = try Verification.bundle(
      .file(path: full), named: "full", temporary: Path.parent(full), readsPayloads: false)
    #expect(report.chains.count == 3)
    #expect(report.chains.allSatisfy { $0.problem == nil })
    let three = try world.instance("three")
    _ = try BundleImport(.file(path: full), named: "full", in: three.bundles).run()
    #expect(try three.number("r1") == 1 && three.number("r2") == 1)
  }
}
