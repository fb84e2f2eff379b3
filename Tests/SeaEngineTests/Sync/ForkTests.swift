import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Two blocks at one index, as after copying a database.
@Suite(.plainAndSealed) struct ForkTests {
  let world: SyncWorld
  let one: Database
  let copy: Database

  init() throws {
    world = try SyncWorld()
    (one, copy) = try world.twins("east", "west")
    try one.put("a", [("n", .integer(2))])
    try copy.put("a", [("n", .integer(3))])
    try copy.put("a", [("n", .integer(4))])
  }

  /// The branch on which the copy diverges from the original.
  private func sibling() throws -> BranchID { BranchID(one.instance, forkedAt: hash(of: try bytes(of: copy, 2))) }

  private func found(_ database: Database) throws -> [Problem.Code] {
    var problems: [Problem] = []
    try database.verification.verifyStore(
      { if let problem = $0.problem { problems.append(problem) } }, { problems.append($0) })
    return problems.map { $0.code }
  }

  @Test(arguments: [false, true]) func bothBranchesApplyInAnyOrder(turned: Bool) throws {
    try one.exchange("east")
    try copy.exchange("west")
    let folders = turned ? ["west", "east"] : ["east", "west"]
    let reader = try world.instance("reader")
    for folder in folders { try world.attach(folder, to: reader) }
    #expect(try reader.exchange(folders[0]).problems == [])
    let found = try reader.exchange(folders[1])
    #expect(found.problems.map { $0.code } == [.fork])
    #expect(found.problems[0].index == 2 && found.pulled == (turned ? 1 : 2))
    #expect(try reader.number("a") == 4 && reader.conflicts.count() == 1)
    #expect(try self.found(reader) == [.fork])
    #expect(try reader.status().forks.map { $0.index } == [2])

    // Each container gets the missing branch in addition to its own.
    #expect(try reader.exchange(folders[0]).pushed == (turned ? 1 : 2))
    for folder in folders {
      let quiet = try reader.exchange(folder)
      #expect(quiet.problems == [] && quiet.pulled == 0 && quiet.pushed == 0, "\(folder)")
      #expect(try reader.containers.toPush(folder) == 0)
      let plan = try reader.containers.plan(reader.containers.setting(folder))
      #expect(plan == ExchangePlan())
      var count = 0
      try reader.exchange.forEachMissing(in: folder) { _ in
        count += 1
        return true
      }
      #expect(count == 0)
    }
    #expect(try world.container("east").lastIndex(of: sibling()) == 3)
    #expect(try world.container("west").lastIndex(of: BranchID(one.instance)) == 3)
    let names = try ["east", "west"].map { try world.container($0).chains().chains.count { $0.fork != nil } }
    #expect(names == [1, 1])
    let late = try world.instance("late")
    try world.attach("east", to: late)
    #expect(try late.exchange("east").problems.map { $0.code } == [.fork])
    #expect(try late.store.projection.digest() == reader.store.projection.digest())
    #expect(try late.store.projection.digest() == late.store.projection.expectedDigest())
  }

  @Test func nestedForksReachAllContainers() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    for folder in ["east", "west"] { try world.attach(folder, to: reader) }
    for folder in ["east", "west", "east"] { try reader.exchange(folder) }
    // A copy of the copy; both continue.
    copy.close()
    try world.copy("copy", to: "third")
    let (second, third) = (try world.reopened("copy"), try world.reopened("third"))
    try second.put("b", [("n", .integer(1))])
    try third.put("c", [("n", .integer(1))])
    try third.put("c", [("n", .integer(2))])
    try third.exchange("west", .push)
    _ = try reader.exchange("west")
    try reader.exchange("east")
    #expect(try world.container("east").lastIndex(of: sibling()) == 5)
    try world.attach("north", to: second)
    try second.exchange("north")
    try world.attach("north", to: reader)
    #expect(try reader.exchange("north").problems.map { $0.code } == [.fork])
    for folder in ["east", "west", "north", "east"] { try reader.exchange(folder) }
    #expect(try reader.status().forks.count == 2)
    #expect(try self.found(reader) == [.fork, .fork])
    #expect(try reader.number("b") == 1 && reader.number("c") == 2)

    for folder in ["east", "west", "north"] {
      let late = try world.instance("late-" + folder)
      try world.attach(folder, to: late)
      #expect(try late.exchange(folder).problems.map { $0.code } == [.fork, .fork], "\(folder)")
      #expect(try late.number("b") == 1 && late.number("c") == 2)
      #expect(try late.exchange(folder).problems == [])
      var reports: [ChainReport] = []
      try Verification.container(
        world.container(folder), named: folder, readsPayloads: true, only: one.instance, { reports.append($0) },
        { _ in })
      #expect(reports.count == 3 && reports.allSatisfy { $0.problem == nil }, "\(folder)")
      #expect(reports.map { $0.blocks }.sorted() == [3, 5, 6])
    }
    #expect(try reader.rebuildProjection(dryRun: false).changed == false)
  }

  @Test func mirrorCopiesForkBranches() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let (east, west) = (world.container("east"), world.container("west"))
    let there = try Mirror.copy(from: east, to: west, dryRun: true)
    #expect(there.blocks == 1 && there.problems == [])
    #expect(try Mirror.copy(from: east, to: west, dryRun: false).blocks == 1)
    #expect(try Mirror.copy(from: west, to: east, dryRun: false).blocks == 2)
    #expect(try east.lastIndex(of: sibling()) == 3)
    for (from, to) in [(east, west), (west, east)] {
      let again = try Mirror.copy(from: from, to: to, dryRun: false)
      #expect(again.blocks == 0 && again.problems == [])
      var codes: [Problem.Code] = []
      try Verification.container(
        to, named: "", readsPayloads: true, { #expect($0.problem == nil) }, { codes.append($0.code) })
      #expect(codes == [.fork])
    }
    #expect(try MissingBlocks.of(Containers.heads(in: west), in: Containers.heads(in: east)).isEmpty)
    #expect(try MissingBlocks.forks(Containers.heads(in: west), in: Containers.heads(in: east)).isEmpty)
  }

  @Test func damagedBlockDoesNotCreateBranch() throws {
    try one.exchange("east")
    let reader = try world.instance("reader")
    try world.attach("east", to: reader)
    try world.attach("west", to: reader)
    try reader.exchange("east")
    try copy.exchange("west")
    let place = world.blockPath("west", one.instance, 2)
    var bad = try world.scratch.bytes(place)
    bad[bad.count - 1] ^= 1
    try Path.remove(world.scratch.path(place))
    try world.scratch.write(place, bad)
    try Path.remove(world.scratch.path(world.blockPath("west", one.instance, 3)))
    let codes = try reader.exchange("west").problems.map { $0.code }
    #expect(codes.first == .badData)
    #expect(try reader.store.branches.siblings().isEmpty)
    let mirrored = try Mirror.copy(from: world.container("east"), to: world.container("west"), dryRun: false)
    #expect(mirrored.problems == [] && mirrored.blocks == 1)
    #expect(try world.container("west").lastIndex(of: BranchID(one.instance)) == 2)
    #expect(try world.container("west").chains().chains.allSatisfy { $0.fork == nil })
  }

  @Test func lostBranchIsRestored() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    for folder in ["east", "west"] { try world.attach(folder, to: reader) }
    for folder in ["east", "west", "east"] { try reader.exchange(folder) }
    try ScratchFolder.removeAll(world.scratch.path("east/transactions/\(sibling())"))
    let found = try reader.exchange("east")
    #expect(found.problems.map { $0.code } == [.rolledBack] && found.pushed == 2)
    #expect(try reader.exchange("east").problems == [])
    try Path.remove(world.scratch.path("east/transactions/\(sibling())/1/3"))
    #expect(try reader.exchange("east").pushed == 1)
    let late = try world.instance("late")
    try world.attach("east", to: late)
    #expect(try late.exchange("east").problems.map { $0.code } == [.fork])
    #expect(try late.number("a") == 4)
  }

  @Test func branchWaitsForMainBranch() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    for folder in ["east", "west"] { try world.attach(folder, to: reader) }
    for folder in ["east", "west", "east"] { try reader.exchange(folder) }
    let trunk = world.scratch.path("east/transactions/\(one.instance)")
    try Path.rename(trunk, to: trunk + ".later")
    let late = try world.instance("late")
    try world.attach("east", to: late)
    let found = try late.exchange("east", .pull)
    #expect(found.problems.map { $0.code } == [.foreignFile, .incomplete])
    try Path.rename(trunk + ".later", to: trunk)
    #expect(try late.exchange("east", .pull).problems.map { $0.code } == [.fork])
    #expect(try late.number("a") == 4 && late.status().quarantine.isEmpty)
  }

  @Test func concurrentPullsImportBothBranches() throws {
    try one.exchange("east")
    try copy.exchange("west")
    let reader = try world.instance("reader")
    try reader.exchange(of: world.container("east"), upTo: 1)
    let other = try world.reopened("reader")
    let racing = RacingContainer(world.container("west")) {
      var exchange = SyncResult()
      try other.exchange.pull(from: world.container("east"), named: "east", into: &exchange)
      #expect(exchange.pulled == 1)
    }
    #expect(try reader.pullCodes(racing) == [.fork])
    #expect(try reader.number("a") == 4)
    #expect(try found(reader) == [.fork])
  }

  @Test func forkIsVerifiedWithMainBranch() throws {
    try one.exchange("east")
    let sibling = BranchID(one.instance, forkedAt: hash(of: try bytes(of: copy, 2)))
    var next: UInt32 = 2
    _ = try world.container("east").writeBlocks(of: sibling, from: 2) {
      defer { next += 1 }
      return next <= 3 ? try bytes(of: copy, next) : nil
    }
    var reports: [ChainReport] = []
    var codes: [Problem.Code] = []
    try Verification.container(
      world.container("east"), named: "east", readsPayloads: true, { reports.append($0) }, { codes.append($0.code) })
    #expect(reports.map { $0.blocks } == [3, 4] && reports.allSatisfy { $0.problem == nil })
    #expect(codes == [.fork])
    let result = try Mirror.copy(from: world.container("east"), to: world.container("new"), dryRun: false)
    #expect(result.blocks == 5 && result.problems == [])
    #expect(try world.container("new").chains() == world.container("east").chains())
    #expect(try Containers.heads(in: world.container("new")) == Containers.heads(in: world.container("east")))
  }

  private func bytes(of database: Database, _ index: UInt32) throws -> [UInt8] {
    try database.store.content.bytes(of: #require(try database.store.blocks.block(BranchID(database.instance), index)))
  }
}

extension Database {
  /// Imports a container's chains up to an index.
  fileprivate func exchange(of container: Container, upTo last: UInt32) throws {
    let part = MemoryContainer()
    try part.create(container.info())
    for chain in try container.chains().chains {
      _ = try container.readBlocks(of: chain, from: 0) { index, bytes in
        part.setBytes(Array(bytes), of: chain, index)
        return index < last
      }
    }
    #expect(try pullCodes(part) == [])
  }
}
