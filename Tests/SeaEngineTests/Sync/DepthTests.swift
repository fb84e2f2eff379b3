import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Revisions that name a parent at a wrong depth: verifying the container finds the same as an instance.
@Suite struct DepthTests {
  private func body(_ number: Int) -> Value { .dictionary(Members([("n", .integer(Int64(number)))])) }

  private func found(_ container: MemoryContainer, readsPayloads: Bool = true) throws -> [String] {
    var found: [String] = []
    try Verification.container(
      container, named: "test", readsPayloads: readsPayloads, { _ in },
      { if $0.code == .badDepth { found.append($0.detail) } })
    return found
  }

  @Test(arguments: TestSeed.some(3)) func verifyAndPullFindSameBadDepths(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var most = 0
    for round in 0..<20 {
      let world = try SyncWorld(sealed: false, inMemory: true)
      let here = try world.instance("here")
      defer { here.close() }
      let container = MemoryContainer()
      try container.create(
        ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
      var chains = try (0..<3).map { try ForeignChain("peer \($0)", world.databaseID, in: container) }
      var known: [String: [RevisionID]] = [:]
      for k in 0..<30 {
        let at = Int.random(in: 0..<chains.count, using: &random)
        let id = "r\(Int.random(in: 0..<6, using: &random))"
        var parent = known[id]?.randomElement(using: &random)
        if let right = parent, Int.random(in: 0..<12, using: &random) == 0 {
          parent = RevisionID(depth: right.depth + .random(in: 1...2, using: &random), digest: right.digest)
        }
        let start = chains[at].position
        known[id, default: []] += try chains[at].add([.init(body(k), id: id, parent: parent)])
        // Two branches of a chain may contain it, and changes after a wrong clock are ignored.
        if Int.random(in: 0..<8, using: &random) == 0 {
          let end = chains[at].position
          chains[at].position = start
          known[id, default: []] += try chains[at].add([.init(body(-k), id: id, parent: parent)], forks: true)
          if Bool.random(using: &random) { chains[at].position = end }
        }
      }
      var result = SyncResult()
      try here.exchange.pull(from: container, named: "test", into: &result)
      let ids = try here.store.records.badDepths()
      #expect(try found(container) == ids, "seed \(seed), round \(round)")
      #expect(try found(container, readsPayloads: false) == [])
      most = max(most, ids.count)
    }
    #expect(most > 0)
  }

  /// A purged revision is still a parent, at the depth in its purge order.
  @Test(arguments: Vector.all("chain").filter { $0["expect"] == "bad-depth" })
  func verifyFindsBadDepthOfVector(_ vector: Vector) throws {
    let container = MemoryContainer()
    var verifier = vector.verifier
    try container.create(
      ContainerInfo(container: .random(), database: verifier.database, contentType: "org.example.test"))
    for block in vector.blocks {
      try block.withUnsafeBytes { _ = try verifier.check($0) }
      let head = try #require(verifier.head)
      container.setBytes(block, of: BranchID(head.instance), head.index)
    }
    #expect(try found(container).count == 1)
  }
}
