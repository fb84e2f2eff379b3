import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Purged blocks seen without a database: in a mirror, a bundle, or one chain of a container. Also orders that lie or
/// disagree.
@Suite(.plainAndSealed) struct PurgeOrderCheckTests {
  let world: SyncWorld
  let author: Database
  let container = MemoryContainer()
  let chain: BranchID

  init() throws {
    world = try SyncWorld()
    author = try world.instance("author")
    chain = BranchID(author.instance)
    try container.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    for n in 1...4 { try author.put("r\(n % 2)", [("n", .integer(Int64(n)))]) }
  }

  private func row(_ index: UInt32) throws -> BlockRow { try #require(try author.store.blocks.block(chain, index)) }

  private func order(_ index: UInt32) throws -> PurgeOrder {
    let row = try row(index)
    let bytes = try author.store.content.bytes(of: row)
    return try PurgeOrder(row.ref, clear: author.store.content.clearBytes(of: row) ?? bytes)
  }

  private func order(_ entries: [PurgeOrder]) throws {
    _ = try author.author.write { try $0.append(controls: entries.map { .purge($0) }, label: "purge") }
  }

  /// Writes the chain into the container with some blocks purged.
  private func storeChain(without gone: Set<UInt32>) throws {
    try author.store.blocks.forEachBlock(of: chain, from: 0) { row, bytes in
      container.setBytes(gone.contains(row.index) ? removed(bytes) : bytes, of: chain, row.index)
      return true
    }
  }

  @Test func mirrorForwardsOrderedPurges() throws {
    try order([order(2)])
    try storeChain(without: [2])
    let other = MemoryContainer()
    let copied = try Mirror.copy(from: container, to: other, dryRun: false)
    if world.key == nil {
      #expect(try copied.problems == [] && other.lastIndex(of: chain) == 5)
      let reader = try world.instance("reader")
      #expect(try reader.pullCodes(other) == [] && reader.number("r1") == 3)
      #expect(try Mirror.copy(from: container, to: other, dryRun: false).blocks == 0)
    } else {
      // Without a key, the validity of the order is unknown.
      #expect(try copied.problems.map(\.isUnreadRemoval) == [true] && other.lastIndex(of: chain) == 1)
      let keys = try author.keychain.availableKeyRing()
      #expect(try Mirror.copy(from: container, to: other, keys: keys, dryRun: false).problems == [])
      #expect(try other.lastIndex(of: chain) == 5)
    }
  }

  /// Anyone can write a forged order after a chain.
  @Test func unsignedOrderIsRejected() throws {
    try order([order(2)])
    try storeChain(without: [2])
    var forged = try author.store.content.bytes(of: row(5))
    forged[forged.count - 1] ^= 1
    container.setBytes(resealed(forged), of: chain, 5)
    let other = MemoryContainer()
    // Without the key of an encrypted chain, signatures cannot be checked.
    let told: Problem.Code = world.key == nil ? .badRemoval : .noKey
    #expect(try Mirror.copy(from: container, to: other, dryRun: false).problems.map(\.code) == [told])
    #expect(try other.lastIndex(of: chain) == 1)
    var codes: [Problem.Code] = []
    let unknown = try Verification.container(
      container, named: "c", readsPayloads: true, keys: author.keychain.availableKeyRing(),
      { report in
        codes += ([report.problem].compactMap { $0 } + report.faults).map(\.code)
        #expect(report.problem == nil || !report.isClean && report.blocks == 5)
      }, { codes.append($0.code) })
    #expect(codes == [.badSignature, .badRemoval] && unknown == 0)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [.badSignature, .badRemoval])
    // Signed blocks after the purged one are here.
    #expect(try reader.store.branches.branch(chain)?.head.index == 4)
    let status = try reader.status()
    #expect(status.quarantine.map(\.index) == [5] && status.unapplied.map(\.code) == [.badRemoval])
  }

  @Test func bundleVerificationChecksPurgeOrders() throws {
    try order([order(2)])
    try storeChain(without: [2])
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container) == [])
    let path = world.scratch.path("full.tar")
    func export(_ frontier: VersionVector) throws {
      _ = try reader.bundles.export(
        reader.bundles.plan(behind: frontier), .none, to: path, volumeSize: nil, replace: true, verifies: false)
    }
    func verify(_ keys: KeyRing?, own: Bool = false) throws -> (codes: [Problem.Code], unknown: Int) {
      let report = try Verification.bundle(
        .file(path: path), named: "b", temporary: Path.parent(path), readsPayloads: keys != nil || world.key == nil,
        keys: keys, own: own ? reader.folder : nil)
      return (report.removals.map(\.code) + report.chains.compactMap { $0.problem?.code }, report.unknownRemovals)
    }
    let keys = try author.keychain.availableKeyRing()
    try export(VersionVector())
    #expect(try verify(keys) == ([], 0))
    #expect(try verify(nil) == ([], world.key == nil ? 0 : 1))
    let second = try world.instance("second")
    #expect(try BundleImport(.file(path: path), named: "b", in: second.bundles).run().exchange.problems == [])
    #expect(try second.store.projection.digest() == reader.store.projection.digest())
    // A bundle that depends on another does not contain the rights to order.
    var frontier = VersionVector()
    try reader.store.branches.extend(&frontier, to: #require(try reader.store.blocks.block(chain, 1)))
    try export(frontier)
    #expect(try verify(keys) == ([], 1))
    #expect(try verify(keys, own: true) == ([], 0))
  }

  /// Of two orders for one block, the one in the block with the smallest hash applies, in any order of arrival. The
  /// original block takes precedence over both.
  @Test func smallestHashDecidesBetweenConflictingOrders() throws {
    let right = try order(2)
    var lies = right.changes
    lies[0].parent = nil
    lies[0].revision = RevisionID(depth: 1, digest: right.changes[0].revision.digest)
    let lie = PurgeOrder(right.block, changes: lies)
    try order([right])
    try order([lie])
    try author.put("r0", [("n", .integer(9))])
    let digests = try (5...6).map { try row($0).digest }
    try storeChain(without: [2])
    var found: Set<Digest> = []
    for first in [5, 7] as [UInt32] {
      let reader = try world.instance("reader\(first)")
      let part = MemoryContainer()
      try part.create(container.info())
      // Import up to the first order, then everything.
      for last in [first, 7] {
        _ = try container.readBlocks(of: chain, from: 0) { index, bytes in
          if index <= last { part.setBytes(Array(bytes), of: chain, index) }
          return true
        }
        #expect(try reader.pullCodes(part) == [])
        _ = try reader.members.applyValidBlocks()
        #expect(try reader.store.projection.digest() == reader.store.projection.expectedDigest())
      }
      let hole = try #require(try reader.store.blocks.block(chain, 2))
      #expect(try reader.store.content.source(of: hole)?.digest == digests.min())
      found.insert(try reader.store.projection.digest())
    }
    #expect(found.count == 1)
  }

  /// Control entries and first blocks can never be purged.
  @Test func controlAndFirstBlocksCannotBePurged() throws {
    #expect(throws: CoreError.self) {
      var builder = BlockBuilder(reservedSize: 4096)
      let block = try builder.finish(
        database: world.databaseID, identity: author.keychain.identity(), previous: row(4).ref, lamport: 9, time: 0,
        label: nil, controls: [.purge(PurgeOrder(row(0).ref))], sealing: world.sealing()
      ) { block, _ in Array(block.bytes) }
      _ = try block.withUnsafeBytes { bytes in
        try BlockReader.open(bytes, of: author.instance, keys: author.keychain.availableKeyRing())
      }
    }
    try order([order(2)])
    try order([PurgeOrder(row(5).ref)])
    _ = try author.purge.emptying.run()
    #expect(try row(2).isRemoved && !row(5).isRemoved)
    // A purged order is not a valid block.
    try storeChain(without: [])
    var gone = try author.store.content.bytes(of: row(5))
    gone[3] |= 0x08
    container.setBytes(gone, of: chain, 5)
    let reader = try world.instance("reader")
    #expect(try reader.pullCodes(container).contains(.badMode))
    #expect(try reader.store.branches.branch(chain)?.head.index == 4)
  }
}
