import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A holder that purged its store is restored from an older backup: it is not reported as done until it is, and
/// restores nothing.
@Suite(.plainAndSealed) struct RestoredHolderTests {
  private let world: SyncWorld
  private let desk: Database
  private let secret: [[UInt8]]

  init() throws {
    world = try SyncWorld()
    let lap: Database
    (desk, lap) = try world.holdersOfASecret()
    let row = try #require(try desk.store.blocks.block(BranchID(desk.instance), 1))
    secret = [
      Array("SECRET text".utf8),
      Array(try desk.store.content.bytes(of: row).dropLast(Payload.signatureSize).suffix(64)),
    ]
    lap.close()
    try world.copy("lap", to: "backup")
    let again = try world.reopened("lap")
    _ = try desk.purge.run(.record("a", keepsNow: false))
    for one in [desk, again, desk] { try one.exchange("team") }
    #expect(try desk.purge.report(desk.containers).isDone)
    again.close()
    try Path.rename(world.scratch.path("lap"), to: world.scratch.path("lost"))
    try world.copy("backup", to: "lap")
    #expect(try holds("lap") && !holds("team") && !holds("lost"))
  }

  private func holds(_ folder: String) throws -> Bool {
    try world.scratch.files(folder).contains { name in
      let bytes = try world.scratch.bytes(name)
      return secret.contains { !bytes.ranges(of: $0).isEmpty }
    }
  }

  /// Whether it writes before it learns of the order, and the directions of its syncs.
  @Test(arguments: [false, true], [[Direction.both], [.pull, .both], [.push, .both], [.push, .pull, .push]])
  func purgeIsReportedDoneOnlyWithoutCopies(writes: Bool, ways: [Direction]) throws {
    let lap = try world.reopened("lap")
    let name = lap.instance
    if writes { try lap.put("b", [("n", .integer(1))]) }
    for way in ways {
      _ = try lap.sync(lap.containers.setting("team"), way)
      // The purge is not reported as done while a visible copy exists.
      if try holds("team") {
        #expect(try desk.purge.report(desk.containers).containers.contains { $0.state == .left })
      }
      _ = try desk.sync(desk.containers.setting("team"), .pull)
      // Confirmations under the former name remain.
      let said = try desk.purge.report(desk.containers).instances.first {
        $0.instance == lap.instance && $0.instance != name
      }
      if said?.isDone == true { #expect(try !holds("lap"), "\(way)") }
    }
    #expect(try !holds("lap") && lap.purge.report(lap.containers).isDoneHere)
    for one in [desk, lap, desk] { try one.exchange("team") }
    let report = try desk.purge.report(desk.containers)
    #expect(try report.isDone && !holds("team") && !holds("desk"))
    #expect(try !writes || desk.number("b") == 1)
    #expect(try lap.store.projection.digest() == desk.store.projection.digest())
  }
}
