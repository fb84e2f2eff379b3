import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Purge orders with and without rights, revocations, and purged blocks with and without orders: the result is the same
/// in any order of arrival.
@Suite(.serialized) struct PurgedBlockLawTests {
  /// The branches of a database, as in a container.
  private struct Universe {
    var info: ContainerInfo
    var chains: [(branch: BranchID, blocks: [[UInt8]])]
  }

  /// Makes instances that write, purge, authorize and revoke at random, and exchange now and then.
  private func universe(_ random: inout SeededRandom) throws -> Universe {
    let world = try MemberWorld(sealed: false)
    let hasMembers = Int.random(in: 0..<4, using: &random) > 0
    let alice = try world.founder("alice", ["team"], members: hasMembers)
    try alice.exchange("team")
    var all = [alice]
    for name in ["bob", "carol", "dave"] { all.append(try world.newcomer(name, ["team"])) }
    for one in all { try one.exchange(one === alice ? "team" : "origin") }
    for one in all.dropFirst() {
      try? alice.authorize(one, as: [.admin, .write, .write].randomElement(using: &random)!)
    }
    _ = try world.converge(all)
    var ordered: [(instance: UUID, index: UInt32)] = []
    for step in 0..<40 {
      let one = all.randomElement(using: &random)!
      let other = all.randomElement(using: &random)!
      switch Int.random(in: 0..<12, using: &random) {
      case 0: _ = try? one.access.revoke(other.instance, after: Bool.random(using: &random) ? nil : 0, rotates: false)
      case 1: try? one.authorize(other, as: .write)
      case 2, 3, 4:
        let branch = BranchID(other.instance)
        guard let head = try other.store.branches.branch(branch)?.head.index,
          let row = try other.store.blocks.block(branch, UInt32.random(in: 0...head, using: &random)),
          let order = try? order(row, in: other)
        else { continue }
        guard (try? one.author.write { try $0.append(controls: [.purge(order)], label: "purge") }) != nil else {
          continue
        }
        ordered.append((row.instance, row.index))
      case 5, 6: try one.exchange(one === alice ? "team" : "origin")
      default:
        let id = "r\(Int.random(in: 0..<4, using: &random))"
        try? one.put(id, [("n", .integer(Int64(step % 5))), ("to", .reference(id: "r\(step % 4)", kind: nil))])
      }
    }
    var chains: [(branch: BranchID, blocks: [[UInt8]])] = []
    for one in all {
      let branch = BranchID(one.instance)
      var blocks: [[UInt8]] = []
      try one.store.blocks.forEachBlock(of: branch, from: 0) { row, bytes in
        let header = try bytes.withUnsafeBytes { try BlockHeader($0) }
        let isOrdered = ordered.contains { $0.instance == row.instance && $0.index == row.index }
        let isGone = Int.random(in: 0..<40, using: &random) < (isOrdered ? 30 : 1)
        let isFree = header.index > 0 && !header.mode.contains(.control)
        blocks.append(isGone && isFree ? removed(bytes) : bytes)
        return true
      }
      chains.append((branch, blocks))
    }
    return Universe(info: try world.container("team").info(), chains: chains)
  }

  private func order(_ row: BlockRow, in database: Database) throws -> PurgeOrder {
    let bytes = try database.store.content.bytes(of: row)
    let header = try bytes.withUnsafeBytes { try BlockHeader($0) }
    guard !header.mode.contains(.control) else { throw CoreError.notReadable }
    return try PurgeOrder(row.ref, clear: database.store.content.clearBytes(of: row) ?? bytes)
  }

  /// The state that must be equal after the same blocks have arrived.
  private func state(_ database: Database, _ universe: Universe) throws -> [String] {
    var lines = ["\(try database.store.projection.digest())"]
    lines += try database.memberText().filter { !$0.hasPrefix("\(database.instance)") }
    for chain in universe.chains {
      let applied = try database.store.blocks.appliedBlocks(of: chain.branch.instance, after: -1)
      lines.append("\(chain.branch) \(applied.map { "\($0.index) \($0.state) \($0.isEarned)" })")
    }
    return lines
  }

  private func pull(_ container: Container, into database: Database) throws {
    var result = SyncResult()
    try database.exchange.pull(from: container, named: "c", into: &result)
    _ = try database.members.applyValidBlocks()
    #expect(try database.store.projection.digest() == database.store.projection.expectedDigest())
  }

  @Test(arguments: TestSeed.some(8)) func arrivalOrderDoesNotChangeState(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let universe = try universe(&random)
    var wanted: [String]?
    for run in 0..<5 {
      let scratch = try ScratchFolder()
      var creation = Database.Creation()
      creation.database = universe.info.database
      creation.proof = universe.info.proof
      creation.contentType = universe.info.contentType
      let made = try Database.create(in: scratch.path("reader"), creation, Database.Settings(access: .write))
      let reader = try Database(path: made.path, Database.Settings(access: .write))
      defer { reader.close() }
      let container = MemoryContainer()
      try container.create(universe.info)
      var next = universe.chains.map { _ in 0 }
      func grow(_ at: Int, by count: Int) {
        let chain = universe.chains[at]
        for index in next[at]..<min(chain.blocks.count, next[at] + count) {
          container.setBytes(chain.blocks[index], of: chain.branch, UInt32(index))
          next[at] = index + 1
        }
      }
      // The first instance gets everything at once.
      while run > 0,
        let at = next.indices.filter({ next[$0] < universe.chains[$0].blocks.count }).randomElement(using: &random)
      {
        grow(at, by: Int.random(in: 1...12, using: &random))
        if Int.random(in: 0..<3, using: &random) == 0 { try pull(container, into: reader) }
      }
      for at in next.indices { grow(at, by: .max / 2) }
      for _ in 0..<2 { try pull(container, into: reader) }
      let state = try state(reader, universe)
      if wanted == nil { wanted = state }
      let other = zip(state, wanted ?? []).filter { $0 != $1 }
      #expect(other.isEmpty, "seed \(seed), run \(run)")
      _ = try reader.store.projection.rebuildAll()
      #expect(try self.state(reader, universe) == state, "seed \(seed), run \(run) after reindex")
    }
  }
}
