import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// What many chains and branches take: to hand them on, again where nothing is new, and to mirror them.
@Suite(.serialized) struct CopyGrowthTests {
  enum Shape: CaseIterable { case chains, forks, ladder, lateForks }

  private func body(_ number: Int) -> Value { .dictionary(Members([("n", .integer(Int64(number)))])) }

  private func write(_ shape: Shape, _ count: Int, _ database: UUID, _ container: MemoryContainer) throws {
    var chain = try ForeignChain("peer", database, in: container)
    switch shape {
    case .chains:
      for k in 0..<count { _ = try ForeignChain("peer \(k)", database, in: container) }
    case .forks:
      try chain.addForks(count)
    case .ladder:
      try chain.addLadder(count)
    case .lateForks:
      var starts: [ForeignChain.Position] = []
      for k in 0..<count {
        starts.append(chain.position)
        try chain.add([.init(body(k), id: "t\(k)")])
      }
      for (k, start) in starts.enumerated() where k % 4 == 3 {
        chain.position = start
        for m in 0..<2 { try chain.add([.init(body(m), id: "f\(k)")], forks: m == 0) }
      }
    }
  }

  @Test(arguments: Shape.allCases) func copies(_ shape: Shape) throws {
    let growth = try Growth.ofFourfold(60) { count, measure in
      let world = try SyncWorld(sealed: false, inMemory: true)
      let database = try world.instance("here")
      defer { database.close() }
      func place() throws -> MemoryContainer {
        let container = MemoryContainer()
        try container.create(
          ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
        return container
      }
      let container = try place()
      try write(shape, count, world.databaseID, container)
      var result = SyncResult()
      try database.exchange.pull(from: container, named: "test", into: &result)
      let (pushed, mirrored) = (try place(), try place())
      // To where it is known, to where nothing is, and each again.
      try measure {
        for _ in 0..<2 { try database.exchange.push(to: container, named: "test", into: &result) }
        for _ in 0..<2 { try database.exchange.push(to: pushed, named: "other", into: &result) }
        for _ in 0..<2 {
          #expect(try Mirror.copy(from: container, to: mirrored, dryRun: false).problems == [])
        }
      }
      #expect(!result.problems.contains { $0.isDamage }, "\(result.problems)")
      for one in [pushed, mirrored] {
        let other = try world.instance("other \(one === pushed) \(count)")
        defer { other.close() }
        try other.exchange.pull(from: one, named: "test", into: &result)
        #expect(try other.store.projection.digest() == database.store.projection.digest())
      }
    }
    #expect(growth < Growth.linear)
  }

  /// What a sync takes that finds nothing new, where a chain has thousands of branches.
  @Test(arguments: [Shape.forks, .lateForks]) func laterSyncs(_ shape: Shape) throws {
    let growth = try Growth.ofFourfold(1000) { count, measure in
      let world = try SyncWorld(sealed: false, inMemory: true)
      let database = try world.instance("here")
      defer { database.close() }
      let container = MemoryContainer()
      try container.create(
        ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
      try write(shape, count, world.databaseID, container)
      func sync() throws -> SyncResult {
        var result = SyncResult()
        try database.exchange.pull(from: container, named: "test", into: &result)
        try database.exchange.push(to: container, named: "test", into: &result)
        return result
      }
      #expect(try sync().pulled > count)
      _ = try sync()
      try measure {
        let later = try sync()
        #expect(later.pulled == 0 && later.pushed == 0 && !later.problems.contains { $0.isDamage })
      }
    }
    #expect(growth < Growth.linear)
  }

  /// What a branch left is read once, however many leave it.
  @Test(arguments: Shape.allCases) func verifies(_ shape: Shape) throws {
    let growth = try Growth.ofFourfold(60) { count, measure in
      let database = try UUID.random()
      let container = MemoryContainer()
      try container.create(ContainerInfo(container: .random(), database: database, contentType: "org.example.test"))
      try write(shape, count, database, container)
      var (blocks, problems) = (0, [Problem]())
      try measure {
        try Verification.container(
          container, named: "test", readsPayloads: true, { blocks += $0.problem == nil ? $0.blocks : 0 },
          { problems.append($0) })
      }
      #expect(blocks > count)
      #expect(problems.allSatisfy { $0.code == .fork })
    }
    #expect(growth < Growth.linear)
  }
}
