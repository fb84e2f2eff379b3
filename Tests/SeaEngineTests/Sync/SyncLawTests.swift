import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Invariants for any events in any order.
@Suite(.plainAndSealed) struct SyncLawTests {
  let world: SyncWorld

  init() throws { world = try SyncWorld() }

  /// Three instances write and sync at random through two folders, of which only one instance knows both.
  @Test(arguments: TestSeed.some(5)) func randomExchangesConverge(seed: UInt64) throws {
    var generator = SeededRandom(seed)
    let all = try (0..<3).map { try world.instance("i\($0)") }
    let folders = [["east"], ["east", "west"], ["west"]]
    for (at, database) in all.enumerated() { for folder in folders[at] { try world.attach(folder, to: database) } }
    for step in 0..<80 {
      let at = Int.random(in: 0..<3, using: &generator)
      let id = "r\(Int.random(in: 0..<5, using: &generator))"
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5: try all[at].put(id, [("n", .integer(Int64(step))), ("by", .string("i\(at)"))])
      case 5:
        if try all[at].number(id) != nil { try all[at].deleteRecord(id) }
      case 6:
        if try all[at].conflicts.conflict(of: id) != nil {
          _ = try all[at].conflicts.resolve([id], .winner, label: "resolve")
        }
      default:
        let folder = folders[at].randomElement(using: &generator)!
        let direction = [Direction.pull, .push, .both].randomElement(using: &generator)!
        #expect(try all[at].exchange(folder, direction).problems == [], "seed \(seed)")
      }
    }
    var rounds = 0
    var moved = 1
    while moved > 0 {
      moved = 0
      for (at, database) in all.enumerated() {
        for folder in folders[at] {
          let exchange = try database.exchange(folder)
          moved += exchange.pulled + exchange.pushed
        }
      }
      rounds += 1
      #expect(rounds < 6, "seed \(seed) does not come to rest")
    }
    let digests = try all.map { try $0.store.projection.digest() }
    #expect(digests[0] == digests[1] && digests[1] == digests[2], "seed \(seed)")
    for database in all {
      #expect(try database.store.projection.digest() == database.store.projection.expectedDigest(), "seed \(seed)")
      #expect(try database.containers.heads() == all[0].containers.heads(), "seed \(seed)")
    }
    #expect(try Containers.heads(in: world.container("east")) == all[0].containers.heads())
  }

  @Test func concurrentSyncsOfOneDatabaseSucceed() throws {
    let author = try world.instance("author")
    try world.attach("team", to: author)
    for n in 0..<40 { try author.put("r\(n)", [("n", .integer(Int64(n)))]) }
    try author.exchange("team")
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    reader.close()
    let world = UncheckedWorld(world)
    let failures = Threads.run(4) { number in
      let database = try world.world.reopened("reader")
      defer { database.close() }
      try database.put("own\(number)", [("n", .integer(1))])
      try database.exchange("team")
    }
    #expect(failures.isEmpty, "\(failures)")
    let after = try world.world.reopened("reader")
    #expect(try after.records.count() == 44)
    #expect(try after.exchange("team").problems == [])
    try author.exchange("team")
    #expect(try author.store.projection.digest() == after.store.projection.digest())
    var problems: [Problem] = []
    try after.verification.verifyStore(
      { if let problem = $0.problem { problems.append(problem) } }, { problems.append($0) })
    #expect(problems == [])
  }

  @Test func longChainsArePushedAsPackFiles() throws {
    let (one, two) = (try world.instance("one"), try world.instance("two"))
    for database in [one, two] { try world.attach("team", to: database) }
    for n in 1...1001 { try one.put("a", [("n", .integer(Int64(n)))]) }
    #expect(try one.exchange("team").pushed == 1002)
    let files = try world.scratch.files("team/transactions")
    #expect(files.map { Path.name($0) } == ["1.blocks", "0", "1"])
    #expect(try two.exchange("team").pulled == 1002)
    #expect(try two.number("a") == 1001)
    try one.put("a", [("n", .integer(0))])
    #expect(try one.exchange("team").pushed == 1)
    #expect(try two.exchange("team").pulled == 1)
    var reports: [Int] = []
    try Verification.container(
      world.container("team"), named: "team", readsPayloads: true, { reports.append($0.blocks) }, { _ in })
    #expect(reports.sorted() == [1, 1003])
  }
}

/// The threads use only the paths of the world.
private struct UncheckedWorld: @unchecked Sendable {
  let world: SyncWorld
  init(_ world: SyncWorld) { self.world = world }
}
