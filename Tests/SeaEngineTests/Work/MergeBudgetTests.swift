import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// The budget of merging in a sync, and merges that exceed it.
@Suite struct MergeBudgetTests {
  private func body(_ count: Int, _ name: String) -> Value {
    .dictionary(Members((0..<count).map { ("\(name)\($0)", .integer(Int64($0))) }))
  }

  @Test func mergeOverBudgetIsRetriedAfterNewRevision() throws {
    let world = try SyncWorld(sealed: false, inMemory: true)
    let database = try world.instance("here")
    defer { database.close() }
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
    var chain = try ForeignChain("peer", world.databaseID, in: container)
    // One expensive merge between cheap ones.
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
    func merge(_ expected: [String], _ left: [String?]) throws {
      named = []
      #expect(try database.conflicts.merge { named.append($0) }.map(\.id) == expected)
      #expect(named == left)
    }
    // A merge that does not fit comes next time and then has the whole budget.
    try merge(["a"], [nil])
    try merge([], ["b", nil])
    // A merge that was given up is not tried again.
    try merge(["c", "d"], [])
    try merge([], [])
    try chain.add([.init(body(1, "z"), id: "b")])
    try pull()
    try merge([], ["b"])
    // An explicit request is executed.
    let resolved = try database.conflicts.resolve(["b"], .merge(MergeChoices()), label: "resolve")
    #expect(resolved[0].revision != nil)
  }

  @Test func commandSharesBudgetAndAlwaysMakesProgress() throws {
    let world = try SyncWorld(sealed: false, inMemory: true)
    let database = try world.instance("here")
    defer { database.close() }
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(container: .random(), database: world.databaseID, contentType: "org.example.test"))
    var chain = try ForeignChain("peer", world.databaseID, in: container)
    let (honest, hostile) = (["a", "c", "e", "g"], ["b", "d", "f"])
    for id in honest {
      let root = try chain.add([.init(body(1, "root"), id: id)])[0]
      try chain.add(
        (0..<20).map { k in
          .init(.dictionary(Members([("root0", .integer(0)), ("own\(k)", .integer(0))])), id: id, parent: root)
        })
    }
    for id in hostile { try chain.addLattice(id, leaves: 20, levels: 4) }
    var result = SyncResult()
    try database.exchange.pull(from: container, named: "test", into: &result)
    #expect(result.problems.isEmpty)

    // The budget is enough for two of the honest records, but not for the others.
    database.conflicts.mergeSteps = 6000
    var (merged, named, commands): ([String], [String], Int) = ([], [], 0)
    var isLeft = true
    while isLeft, commands < 20 {
      isLeft = false
      let before = merged.count + named.count
      merged += try database.conflicts.merge { if let id = $0 { named.append(id) } else { isLeft = true } }.map(\.id)
      #expect(merged.count + named.count > before)
      commands += 1
    }
    #expect(merged == honest && named == hostile && commands > 3)

    // A list has a budget too, but contains every record.
    var listed: [(id: String, isLeft: Bool)] = []
    func list() throws {
      listed = []
      try database.conflicts.forEach(inShort: true) { one in
        #expect(one.kind == .edit || one.kind == .addition)
        listed.append((one.id, one.lacksBase))
        return true
      }
    }
    try list()
    #expect(listed.map(\.id) == hostile && listed.allSatisfy(\.isLeft))
    let short = try #require(try database.conflicts.conflict(of: "b", inShort: true))
    #expect(!short.lacksBase && short.sides.count == 20)
    // The common ancestors of leaf revisions take one search per leaf.
    database.conflicts.mergeSteps = 3 * 100_000
    try list()
    #expect(!listed.contains { $0.isLeft })
  }
}
