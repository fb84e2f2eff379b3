import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// A successor purges its predecessor's blocks, and blocks without an order are not reported as done.
@Suite(.plainAndSealed) struct SuccessorPurgeTests {
  let world: SyncWorld
  let desk: Database
  let lap: Database

  init() throws {
    world = try SyncWorld()
    (desk, lap) = try world.holdersOfASecret()
  }

  private func holdsSecret(_ folders: String...) throws -> [String] {
    let secret = world.key == nil ? Array("SECRET text".utf8) : []
    return try folders.flatMap { try world.scratch.files($0) }.filter { name in
      try !secret.isEmpty && !world.scratch.bytes(name).ranges(of: secret).isEmpty
    }
  }

  @Test func successorPurgesBlocksOfPredecessor() throws {
    let old = desk.instance
    try desk.author.renew(.asked)
    try desk.author.renew(.asked)
    let purged = try desk.purge.run(.record("a", keepsNow: false))
    #expect(purged.plan.obstacles.isEmpty && purged.emptied == 1)
    for one in [desk, lap, desk, lap] { try one.exchange("team") }
    #expect(try holdsSecret("desk", "lap", "team") == [])
    #expect(try RemovedBlock(world.scratch.bytes(world.blockPath("team", old, 1))) != nil)
    for one in [desk, lap] {
      #expect(try one.members.badRemovals() == [])
      #expect(try one.purge.report(one.containers).isDoneHere)
    }
    // A newcomer finds no damage, and holders of the original block do not restore it.
    let late = try world.instance("late")
    try world.attach("team", to: late)
    #expect(try late.exchange("team").problems.allSatisfy { !$0.isError })
    #expect(try late.store.projection.digest() == desk.store.projection.digest())
    // The predecessor is reported as such.
    let report = try desk.purge.report(desk.containers)
    #expect(report.instances.first { $0.instance == old }?.isFollowed == true)
    #expect(report.instances.first { $0.instance == lap.instance }?.isFollowed == false)
  }

  /// The predecessor has no rights over its successor.
  @Test func predecessorHasNoRightsOverSuccessor() throws {
    let old = desk.instance
    try desk.author.renew(.asked)
    try desk.put("b", [("v", .string("later"))])
    for one in [desk, lap] { try one.exchange("team") }
    let successors = try Successors(lap.store.control.chainCreations())
    #expect(successors.contains(desk.instance, of: old) && !successors.contains(old, of: desk.instance))
    #expect(!successors.contains(desk.instance, of: desk.instance))
  }

  /// Blocks that could not be purged are reported until they are gone, even without any order.
  @Test func unorderedPurgeIsNotReportedDone() throws {
    let tried = try lap.purge.run(.record("a", keepsNow: true))
    #expect(tried.plan.isEmpty)
    #expect(try lap.purge.report(lap.containers).isDone)
    let purged = try lap.purge.run(.record("a", keepsNow: false))
    #expect(purged.plan.obstacles.map(\.obstacle) == [.foreign] && purged.emptied == 0)
    var report = try lap.purge.report(lap.containers)
    #expect(!report.isDone && !report.isOrdered && report.staying.map(\.obstacle) == [.foreign])
    for one in [lap, desk] { try one.exchange("team") }
    #expect(try !lap.purge.report(lap.containers).isDone)
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, lap, desk] { try one.exchange("team") }
    report = try lap.purge.report(lap.containers)
    #expect(report.staying.isEmpty && report.isDoneHere && report.isOrdered)
    #expect(try holdsSecret("desk", "lap", "team") == [])
  }
}
