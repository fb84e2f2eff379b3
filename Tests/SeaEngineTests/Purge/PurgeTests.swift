import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Purge orders, from the author to every copy of the purged content.
@Suite(.plainAndSealed) struct PurgeTests {
  let world: SyncWorld
  let desk: Database

  init() throws {
    world = try SyncWorld()
    desk = try world.instance("desk")
  }

  private func text(_ name: String, _ value: String) -> [(String, Value)] { [(name, .string(value))] }

  /// The files below a folder that contain the bytes.
  private func holds(_ folder: String, _ bytes: [UInt8]) throws -> [String] {
    try world.scratch.files(folder).filter { name in
      try world.scratch.bytes(name).ranges(of: bytes).isEmpty == false
    }
  }

  /// The bytes that must not remain: the text and, in an encrypted database, the encrypted blocks.
  private func traces(_ text: String, _ rows: [BlockRow], in database: Database) throws -> [[UInt8]] {
    try [Array(text.utf8)]
      + rows.map { Array(try database.store.content.bytes(of: $0).dropLast(Payload.signatureSize).suffix(64)) }
  }

  private func rows(_ database: Database, _ indices: [UInt32]) throws -> [BlockRow] {
    try indices.map { try #require(try database.store.blocks.block(BranchID(desk.instance), $0)) }
  }

  @Test func purgedRecordLeavesNeighborsUnchanged() throws {
    let batch = WriteBatch(label: "both")
    for (id, value) in [("a", "SECRET-one"), ("b", "stays")] {
      try batch.addEdit(id, type: "t", .none, mustExist: false) { _ in .dictionary(Members(text("v", value))) }
    }
    _ = try desk.records.write(batch)
    try desk.put("a", text("v", "SECRET-two"))
    let before = try #require(try desk.records.view("b"))
    let gone = try traces("SECRET", rows(desk, [1, 2]), in: desk)
    let plan = try desk.purge.plan(.record("a", keepsNow: false))
    #expect(plan.revisions == 2 && plan.orders == 2 && plan.kept == 1 && plan.endsNow)
    let purged = try desk.purge.run(.record("a", keepsNow: false))
    #expect(purged.emptied == 2 && purged.scrubbed == .done)
    let after = try #require(try desk.records.view("b"))
    #expect(after.leaf.revision == before.leaf.revision && after.body == before.body && after.type == before.type)
    #expect(try desk.store.records.record("a")?.isDeleted == true)
    #expect(try desk.store.projection.digest() == desk.store.projection.expectedDigest())
    for bytes in gone { #expect(try holds("desk", bytes) == []) }
    #expect(try desk.members.badRemovals() == [])
    // A second purge has nothing to do.
    #expect(try desk.purge.plan(.record("a", keepsNow: false)).isEmpty)
    #expect(try desk.purge.run(.record("a", keepsNow: false)).emptied == 0)
    // Rewritten revisions are not operations.
    var labels: [String?] = []
    try desk.history.forEachOperation {
      labels.append($0.block.label)
      return true
    }
    #expect(labels == ["purge"])
  }

  @Test func purgedPropertyLeavesOthersUnchanged() throws {
    try desk.put("a", [("v", .string("SECRET")), ("n", .integer(1))])
    try desk.put("a", [("n", .integer(2))])
    try desk.put("a", [("v", .string("SECRET")), ("n", .integer(3))])
    let path = try PropertyPath("v")
    _ = try desk.purge.run(.properties("a", [path], keepsNow: false))
    #expect(try desk.number("a") == 3)
    #expect(try holds("desk", Array("SECRET".utf8)) == [])
    let row = try #require(try desk.store.records.record("a"))
    let all = try desk.store.records.revisions(of: row)
    #expect(all.filter(\.isPurged).count == 2 && all.count == 4)
    #expect(try desk.purge.plan(.properties("a", [path], keepsNow: false)).isEmpty)
  }

  @Test func currentRevisionCanBeKept() throws {
    for value in ["OLD-1", "OLD-2", "now"] { try desk.put("a", text("v", value)) }
    let plan = try desk.purge.plan(.record("a", keepsNow: true))
    #expect(plan.revisions == 2 && !plan.endsNow)
    _ = try desk.purge.run(.record("a", keepsNow: true))
    #expect(try holds("desk", Array("OLD-".utf8)) == [])
    #expect(try desk.records.view("a")?.body != nil)
  }

  /// Rewritten revisions keep their age.
  @Test func purgeBeforeTimeKeepsNewerRevisions() throws {
    let now = Now(1_000)
    world.settings.clock = { now.time }
    let clocked = try world.instance("clocked")
    let batch = WriteBatch(label: "both")
    for id in ["a", "b"] {
      try batch.addEdit(id, type: nil, .none, mustExist: false) { _ in .dictionary(Members(text("v", "OLD-\(id)"))) }
    }
    _ = try clocked.records.write(batch)
    now.time = 2_000
    try clocked.put("a", text("v", "new"))
    now.time = 3_000
    #expect(try clocked.purge.run(.before(1_500)).plan.revisions == 1)
    #expect(try holds("clocked", Array("OLD-a".utf8)) == [])
    #expect(try clocked.records.view("b")?.body != nil)
    now.time = 4_000
    try clocked.put("b", text("v", "new"))
    #expect(try clocked.purge.run(.before(1_500)).plan.revisions == 1)
    #expect(try holds("clocked", Array("OLD-b".utf8)) == [])
    #expect(try clocked.purge.plan(.before(1_500)).isEmpty)
  }

  @Test func syncPurgesStoreAndConfirms() throws {
    let lap = try world.instance("lap")
    try world.attach("team", to: desk)
    try world.attach("team", to: lap)
    try world.attach("side", to: lap)
    try desk.put("a", text("v", "SECRET"))
    try desk.put("b", [("n", .integer(7))])
    let gone = try traces("SECRET", rows(desk, [1]), in: desk)
    for one in [desk, lap, desk] { try one.exchange("team") }
    try lap.exchange("side")
    try world.copy("team", to: "old")
    _ = try desk.purge.run(.record("a", keepsNow: false))
    var report = try desk.purge.report(desk.containers)
    #expect(report.waiting == 0 && report.instances.map(\.isDone) == [false])
    #expect(report.containers.map(\.state) == [.left])
    #expect(try desk.exchange("team").emptied == 1)
    #expect(try desk.exchange("team").emptied == 0)
    report = try desk.purge.report(desk.containers)
    #expect(report.containers.map(\.state) == [.done] && !report.isDone)
    try lap.exchange("team")
    #expect(try lap.exchange("side").emptied == 1)
    for bytes in gone { for folder in ["desk", "lap", "team", "side"] { #expect(try holds(folder, bytes) == []) } }
    #expect(try lap.number("b") == 7 && lap.store.records.record("a")?.isDeleted == true)
    try desk.exchange("team")
    #expect(try desk.purge.report(desk.containers).isDone)
    // A confirmation is not confirmed in turn.
    let heads = try [desk, lap].map { try $0.store.branches.chain($0.instance)!.head.index }
    for one in [lap, desk, lap] { try one.exchange("team") }
    #expect(try [desk, lap].map { try $0.store.branches.chain($0.instance)!.head.index } == heads)

    // An old copy brings nothing back: an instance that knows the order ignores it, and others purge it soon.
    try world.attach("old", to: desk)
    #expect(try desk.exchange("old").emptied == 1)
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    for bytes in gone { for folder in ["desk", "old", "late"] { #expect(try holds(folder, bytes) == []) } }
    #expect(try late.number("b") == 7 && late.members.badRemovals() == [])
    #expect(try late.store.projection.digest() == desk.store.projection.digest())
  }

  @Test func blockFromOldCopyIsPurgedLater() throws {
    try world.attach("team", to: desk)
    try desk.put("a", text("v", "SECRET"))
    try desk.exchange("team")
    try world.copy("team", to: "old")
    _ = try desk.purge.run(.record("a", keepsNow: false))
    try desk.exchange("team")
    let late = try world.instance("late")
    try world.attach("old", to: late)
    try late.exchange("old")
    #expect(try late.records.view("a")?.body != nil)
    try world.attach("team", to: late)
    try late.exchange("team")
    try late.exchange("old")
    for folder in ["late", "old", "team"] { #expect(try holds(folder, Array("SECRET".utf8)) == []) }
    #expect(try late.store.projection.digest() == desk.store.projection.digest())
  }

  /// Without members, only the author can purge a block.
  @Test func blocksOfOthersStayUntilAuthorPurges() throws {
    let lap = try world.instance("lap")
    for one in [desk, lap] { try world.attach("team", to: one) }
    try desk.put("a", text("v", "SECRET-desk"))
    try desk.exchange("team")
    try lap.exchange("team")
    try lap.put("a", text("v", "SECRET-lap"))
    try lap.exchange("team")
    try desk.exchange("team")
    let purged = try desk.purge.run(.record("a", keepsNow: false))
    #expect(purged.plan.obstacles.map(\.obstacle) == [.foreign] && purged.emptied == 1)
    #expect(purged.plan.revisions == 1 && purged.plan.staying == 1)
    try desk.exchange("team")
    try lap.exchange("team")
    #expect(try lap.purge.run(.record("a", keepsNow: false)).plan.obstacles.isEmpty)
    try lap.exchange("team")
    try desk.exchange("team")
    for folder in ["desk", "lap", "team"] { #expect(try holds(folder, Array("SECRET".utf8)) == []) }
    #expect(try desk.store.projection.digest() == lap.store.projection.digest())
  }

  @Test func conflictedRecordCannotBePurged() throws {
    let lap = try world.instance("lap")
    for one in [desk, lap] { try world.attach("team", to: one) }
    try desk.put("a", text("v", "1"))
    for one in [desk, lap] { try one.exchange("team") }
    try desk.put("a", text("v", "2"))
    try lap.put("a", text("v", "3"))
    for one in [desk, lap, desk] { try one.exchange("team") }
    let head = try desk.store.branches.chain(desk.instance)?.head
    #expect(throws: KitError.purgeConflicts(["a"])) { try desk.purge.run(.record("a", keepsNow: false)) }
    #expect(throws: KitError.purgeConflicts(["a"])) { try desk.purge.run(.before(.max)) }
    #expect(try desk.store.branches.chain(desk.instance)?.head == head)
  }

  /// A purge that was interrupted after the order is completed by the next command.
  @Test func interruptedPurgeIsCompleted() throws {
    try world.attach("team", to: desk)
    try desk.put("a", text("v", "SECRET"))
    try desk.exchange("team")
    let row = try #require(try rows(desk, [1]).first)
    let clear = try #require(try desk.store.content.clearBytes(of: row))
    _ = try desk.author.write { transaction in
      try transaction.append(controls: [.purge(PurgeOrder(row.ref, clear: clear))], label: "purge")
    }
    #expect(try desk.purge.report(desk.containers).waiting == 1)
    try desk.exchange("team", .push)
    for folder in ["desk", "team"] { #expect(try holds(folder, Array("SECRET".utf8)) == []) }
    #expect(try desk.purge.report(desk.containers).isDone)
  }

  /// A long reader keeps the log, so the cleanup is left for later.
  @Test func openReaderPostponesScrub() throws {
    try desk.put("a", text("v", "SECRET"))
    var reading = world.settings
    reading.access = .read
    let reader = try Database(path: desk.path, reading)
    try reader.atOneState {
      _ = try reader.records.count()
      #expect(try desk.purge.run(.record("a", keepsNow: false)).scrubbed == .busy)
    }
    reader.close()
    #expect(try desk.purge.report(desk.containers).mustScrub)
    #expect(try desk.purge.emptying.run().scrubbed == .done)
    #expect(try holds("desk", Array("SECRET".utf8)) == [])
  }
}

private final class Now: @unchecked Sendable {
  var time: Int64
  init(_ time: Int64) { self.time = time }
}
