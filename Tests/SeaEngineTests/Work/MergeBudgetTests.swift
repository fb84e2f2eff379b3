import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// What merging may cost a sync, and what becomes of what costs more.
@Suite struct MergeBudgetTests {
  private func body(_ count: Int, _ name: String) -> Value {
    .dictionary(Members((0..<count).map { ("\(name)\($0)", .integer(Int64($0))) }))
  }

  @Test func whatIsTooMuchIsNamedOnceAndTriedAgainWhenSomethingComes() throws {
    let world = try SyncWorld(sealed: false, inMemory: true)
    let database = try world.instance("here")
    defer { database.close() }
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
    var chain = try ForeignChain("peer", world.databaseID, in: container)
    // One that takes a lot, between others that take little.
    for (id, size) in [("a", 1), ("b", 500), ("c", 1), ("d", 1)] {
      try chain.add([.init(body(size, "x"), id: id), .init(body(size, "y"), id: id)])
    }
    func pull() throws {
      var result = SyncResult()
      try database.exchange.pull(from: container, named: "test", into: &result)
      #expect(result.problems.isEmpty)
    }
    try pull()
    database.conflicts.mergeSteps = 800
    var named: [String?] = []
    let first = try database.conflicts.merge { named.append($0) }
    #expect(first.map(\.id) == ["a"] && named == ["b", nil])
    named = []
    // The rest comes the next time, and what was given up is not tried again.
    let second = try database.conflicts.merge { named.append($0) }
    #expect(second.map(\.id) == ["c", "d"] && named.isEmpty)
    let third = try database.conflicts.merge { named.append($0) }
    #expect(third.isEmpty && named.isEmpty)
    try chain.add([.init(body(1, "z"), id: "b")])
    try pull()
    let fourth = try database.conflicts.merge { named.append($0) }
    #expect(fourth.isEmpty && named == ["b"])
    // Who asks for it gets it.
    let resolved = try database.conflicts.resolve(["b"], .merge(MergeChoices()), label: "resolve")
    #expect(resolved[0].revision != nil)
  }
}
