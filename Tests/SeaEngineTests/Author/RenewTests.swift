import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// An instance whose name is used elsewhere takes another name, and nothing is lost.
@Suite(.plainAndSealed) struct RenewTests {
  let world: SyncWorld

  init() throws { world = try SyncWorld() }

  private func codes(_ database: Database) throws -> [Problem.Code] {
    var problems: [Problem] = []
    try database.verification.verifyStore(
      { if let problem = $0.problem { problems.append(problem) } }, { problems.append($0) })
    return problems.map { $0.code }
  }

  private func original() throws -> Database {
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    return one
  }

  @Test func nestedWriteAppendsBetweenOuterBlocks() throws {
    let one = try original()
    let start = try #require(try one.store.branches.chain(one.instance)).head.index
    let written = try one.author.write { transaction in
      let first = try transaction.append(controls: [], label: "first")
      try one.put("b", [("n", .integer(1))])
      return try [first, transaction.append(controls: [], label: "last")]
    }
    #expect(try written.map(\.index) == [start + 1, start + 3] && codes(one).isEmpty && one.number("b") == 1)
  }

  private func bytes(_ database: Database, _ file: String) throws -> [UInt8] {
    try File(Path.join(database.path, file)).readAll(limit: 4096) ?? []
  }

  @Test(arguments: [false, true]) func forkedCopiesRenewAndConverge(turned: Bool) throws {
    let first = try original()
    let old = first.instance
    first.close()
    try world.copy("one", to: "copy")
    let all = try ["one", "copy"].map { try world.reopened($0) }
    try all[0].put("b", [("n", .integer(1))])
    try all[1].put("a", [("n", .integer(3))])
    try all[1].put("c", [("n", .integer(4))])
    let (early, late) = turned ? (all[1], all[0]) : (all[0], all[1])
    try early.exchange("team")
    #expect(early.instance == old)
    var told: [Renewal] = []
    late.author.whenRenewed = { told.append($0) }
    let found = try late.exchange("team")
    #expect(found.problems.map { $0.code } == [.fork])
    #expect(told.map { $0.reason } == [.forked] && told[0].old == old && told[0].new == late.instance)
    #expect(late.instance != old && found.pushed == (turned ? 1 : 2) + 1)
    // The first instance learns that another one used its name.
    #expect(try early.exchange("team").problems.map { $0.code } == [.fork])
    #expect(early.instance != old && early.instance != late.instance)
    for database in all {
      try database.put("after-\(database.instance)", [("n", .integer(1))])
      #expect(try database.exchange("team").problems == [])
    }
    #expect(try all[0].exchange("team").problems == [])
    for database in all {
      #expect(try database.number("a") == 3 && database.number("b") == 1 && database.number("c") == 4)
      #expect(try database.records.count() == 5 && database.conflicts.count() == 0)
      #expect(try codes(database) == [.fork])
      #expect(try database.status().forks.count == 1)
    }
    #expect(try all[0].store.projection.digest() == all[1].store.projection.digest())
  }

  @Test func threeCopiesRenewAndConverge() throws {
    let first = try original()
    first.close()
    for name in ["two", "three"] { try world.copy("one", to: name) }
    let all = try ["one", "two", "three"].map { try world.reopened($0) }
    for (n, database) in all.enumerated() {
      try database.put("r\(n)", [("n", .integer(Int64(n)))])
      try database.put("a", [("n", .integer(Int64(10 + n)))])
    }
    var rounds = 0
    var moved = 1
    while moved > 0 {
      moved = 0
      for database in all {
        let exchange = try database.exchange("team")
        moved += exchange.pulled + exchange.pushed
      }
      rounds += 1
      #expect(rounds < 6)
    }
    #expect(Set(all.map { $0.instance }).count == 3)
    for database in all {
      for n in 0..<3 { #expect(try database.number("r\(n)") == Int64(n)) }
      #expect(try database.conflicts.count() == 1)
      #expect(try codes(database) == [.fork, .fork])
      #expect(try database.store.projection.digest() == all[0].store.projection.digest())
    }
    let fresh = try world.instance("fresh")
    try world.attach("team", to: fresh)
    try fresh.exchange("team")
    #expect(try fresh.store.projection.digest() == all[0].store.projection.digest())
  }

  @Test func restoredBackupPullsTailFromContainer() throws {
    let one = try original()
    let name = one.instance
    try world.copy("one", to: "backup")
    try one.put("a", [("n", .integer(2))])
    try one.exchange("team")
    one.close()
    let restored = try world.reopened("backup")
    let found = try restored.exchange("team")
    #expect(found.problems == [] && found.pulled == 1)
    try restored.put("a", [("n", .integer(3))])
    #expect(try restored.exchange("team").problems == [] && restored.instance == name)
    #expect(try restored.number("a") == 3 && codes(restored) == [])
  }

  @Test func aRestoredBackupThatWroteFirstLosesNothing() throws {
    let one = try original()
    let name = one.instance
    try world.copy("one", to: "backup")
    try one.put("b", [("n", .integer(2))])
    try one.exchange("team")
    one.close()
    let restored = try world.reopened("backup")
    try restored.put("c", [("n", .integer(3))])
    #expect(try restored.exchange("team").problems.map { $0.code } == [.fork])
    #expect(restored.instance != name)
    #expect(try restored.number("b") == 2 && restored.number("c") == 3)
    let other = try world.instance("other")
    try world.attach("team", to: other)
    try other.exchange("team")
    #expect(try other.number("b") == 2 && other.number("c") == 3)
  }

  @Test func manualRenewalChangesInstance() throws {
    let one = try original()
    let old = one.instance
    let key = try bytes(one, "keys/instance")
    let renewal = try one.author.renew(.asked)
    #expect(renewal.old == old && renewal.new == one.instance && renewal.new != old && !renewal.needsAuthorization)
    #expect(try bytes(one, "keys/instance") != key && !Path.exists(Path.join(one.path, "keys/next")))
    #expect(
      try one.store.branches.chain(old)?.head.index == 1 && one.store.branches.chain(one.instance)?.head.index == 0)
    #expect(try one.store.branches.chain(one.instance)?.name == "one")
    try one.put("a", [("n", .integer(2))])
    #expect(
      try one.store.branches.chain(old)?.head.index == 1 && one.store.branches.chain(one.instance)?.head.index == 1)
    #expect(try one.exchange("team").pushed == 2)
    one.close()
    let again = try world.reopened("one")
    #expect(again.instance == renewal.new)
    try again.put("a", [("n", .integer(3))])
    #expect(try codes(again) == [])
    #expect(try Path.status(Path.join(again.path, "keys/instance"))?.mode == 0o600)
  }

  /// A process that began before continues under the new name instead of the one it read.
  @Test func otherProcessFollowsRenewal() throws {
    let one = try original()
    let old = one.instance
    let other = try world.reopened("one")
    try other.put("a", [("n", .integer(2))])
    try one.author.renew(.asked)
    try other.put("a", [("n", .integer(3))])
    #expect(other.instance == one.instance)
    #expect(
      try other.store.branches.chain(old)?.head.index == 2 && other.store.branches.chain(one.instance)?.head.index == 1)
    #expect(try codes(other) == [])
  }

  @Test func crashBeforeCommitKeepsOldInstance() throws {
    let one = try original()
    let old = one.instance
    one.close()
    try IdentityFile.write(
      IdentityFile.make(), folder: Path.join(one.path, IdentityFile.folder), name: IdentityFile.next)
    let after = try world.reopened("one")
    try after.put("a", [("n", .integer(2))])
    #expect(try after.instance == old && !Path.exists(Path.join(after.path, "keys/next")))
    #expect(try codes(after) == [])
  }

  @Test(arguments: [false, true]) func crashBeforeKeyRenameCompletesRenewal(renewsAgain: Bool) throws {
    let one = try original()
    let old = one.instance
    let key = try bytes(one, "keys/instance")
    try one.author.renew(.asked)
    let new = one.instance
    one.close()
    let keys = Path.join(one.path, "keys")
    try Path.rename(Path.join(keys, "instance"), to: Path.join(keys, "next"))
    try world.scratch.write("one/.sea/keys/instance", key)
    let after = try world.reopened("one")
    #expect(after.instance == new)
    if renewsAgain { try after.author.renew(.asked) }
    try after.put("a", [("n", .integer(2))])
    #expect((after.instance == new) != renewsAgain)
    #expect(try after.store.branches.chain(old)?.head.index == 1 && codes(after) == [])
    #expect(try !Path.exists(Path.join(keys, "next")))
    #expect(try after.exchange("team").problems == [])
  }
}
