import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// What a peer may write many of takes a time for each, and no more for each other one.
@Suite(.serialized) struct PullGrowthTests {
  /// How the pull of a container grows, and what is read afterwards.
  private func growth(
    _ count: Int, _ write: @escaping (Int, inout ForeignChain) throws -> Void,
    read: @escaping (Database) throws -> Void = { _ in }
  ) throws -> Double {
    try Growth.ofFourfold(count) { count, measure in
      let world = try SyncWorld(sealed: false, inMemory: true)
      let database = try world.instance("here")
      defer { database.close() }
      let container = MemoryContainer()
      try container.create(
        ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
      var chain = try ForeignChain("peer", world.databaseID, in: container)
      try write(count, &chain)
      try measure {
        var result = SyncResult()
        try database.exchange.pull(from: container, named: "test", into: &result)
        #expect(!result.problems.contains { $0.isDamage }, "\(result.problems)")
        try read(database)
      }
      // And again, with nothing new.
      try measure {
        var result = SyncResult()
        try database.exchange.pull(from: container, named: "test", into: &result)
      }
    }
  }

  private func body(_ number: Int) -> Value { .dictionary(Members([("n", .integer(Int64(number)))])) }

  @Test func leavesOfOneRecord() throws {
    let growth = try growth(150) { count, chain in
      for k in 0..<count { try chain.add([.init(body(k))]) }
    } read: {
      let row = try #require(try $0.store.records.record("r"))
      #expect(try $0.store.records.leaves(of: row).count == row.leaves && row.live == row.leaves)
    }
    #expect(growth < Growth.linear)
  }

  @Test func aLeafBelowALongHistory() throws {
    let growth = try growth(150) { count, chain in
      try chain.add([.init(body(-1))])
      var last: RevisionID?
      for k in 0..<count { last = try chain.add([.init(body(k), parent: last)])[0] }
    }
    #expect(growth < Growth.linear)
  }

  @Test func revisionsThatWaitAboveOneThatGoesOn() throws {
    let growth = try growth(150) { count, chain in
      let nowhere = RevisionID(depth: 1 << 20, digest: SHA256.hash([]))
      try chain.add((0..<count).map { .init(body($0), parent: nowhere) })
      var last: RevisionID?
      for k in 0..<count { last = try chain.add([.init(body(k), parent: last)])[0] }
    }
    #expect(growth < Growth.linear)
  }

  @Test func forks() throws {
    let growth = try growth(60) {
      try $1.addForks($0)
    } read: { database in
      let branches = try database.store.branches.branches()
      #expect(branches.contains { !$0.id.isTrunk })
    }
    #expect(growth < Growth.linear)
  }

  @Test func forksOfForks() throws {
    let growth = try growth(60) { try $1.addLadder($0) }
    #expect(growth < Growth.linear)
  }

  @Test func endsOfBranchesInTheLog() throws {
    let growth = try growth(200) { count, chain in
      let leaves = try chain.add((0..<count).map { .init(body($0)) })
      try chain.add(leaves.map { .init(parent: $0, kind: .resolved) } + [.init(body(-1), parent: leaves[0])])
    } read: { database in
      let row = try database.records.find("r")
      try database.history.forEachEvent(of: row) { _ in true }
      try database.history.forEachNewest(of: row) { _ in true }
    }
    #expect(growth < Growth.linear)
  }
}
