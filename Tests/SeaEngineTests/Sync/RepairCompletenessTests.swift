import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Problems found during a repair belong to the same exchange: nothing unchecked is reported as complete.
@Suite(.plainAndSealed) struct RepairCompletenessTests {
  let world: SyncWorld
  let one: Database
  let copy: Database
  let instance: UUID
  let reader: Database

  /// `team` has, and `ours` keeps, the first machine's blocks 0, 1, 2, 3, 4. `west` has those of its copy: 0, 1, 2',
  /// 3', 4'. Blocks of the same number have the same size.
  init() throws {
    world = try SyncWorld()
    (one, copy) = try world.twins("team", "west")
    instance = one.instance
    for n in Int64(2)...4 {
      try one.put("a", [("n", .integer(n))])
      try copy.put("a", [("n", .integer(n + 10))])
    }
    try one.exchange("team")
    try copy.exchange("west")
    try world.copy("team", to: "ours")
    reader = try world.instance("reader")
    for folder in ["team", "west", "ours"] { try world.attach(folder, to: reader) }
  }

  private func file(_ index: UInt32, _ folder: String = "team") -> String { world.blockPath(folder, instance, index) }

  private func asides() throws -> [String] { try world.scratch.files("team").filter { $0.contains(".damaged-") } }

  /// Checks that there are no problems and that a newcomer gets all that the machine has.
  private func expectAll(
    _ found: SyncResult, _ machine: Database, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(found.problems.filter { $0.isError || $0.code == .incomplete } == [], sourceLocation: location)
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team", .pull)
    #expect(try late.store.projection.digest() == machine.store.projection.digest(), sourceLocation: location)
  }

  /// The cloud delivers blocks of the copy under other names.
  private func bringStrays(_ range: ClosedRange<UInt32>) throws {
    for index in range { try world.scratch.write(file(index) + " 2", world.scratch.bytes(file(index, "west"))) }
  }

  /// After a repaired block there are unread blocks.
  @Test func blocksAfterRepairedBlockAreImported() throws {
    let branch = BranchID(instance, forkedAt: hash(of: try world.scratch.bytes(file(2))))
    for index in UInt32(2)...4 {
      try world.scratch.write("team/transactions/\(branch)/1/\(index)", world.scratch.bytes(file(index)))
      try Path.remove(world.scratch.path(file(index)))
    }
    try reader.exchange("team", .pull)
    for index in UInt32(2)...4 { try world.scratch.write(file(index), world.scratch.bytes(file(index, "west"))) }
    try world.scratch.flip(file(1), at: 100)
    let found = try reader.exchange("team")
    #expect(found.healed == 1 && found.pulled == 3)
    try expectAll(found, reader)
  }

  /// A valid block of a branch that only now becomes known stays in its place.
  @Test func validBlockOfNewBranchIsNotQuarantined() throws {
    try copy.put("b", [("n", .integer(1))])
    try copy.exchange("west")
    try bringStrays(2...4)
    try world.scratch.write(file(5), world.scratch.bytes(file(5, "west")))
    let found = try one.exchange("team")
    #expect(try asides().count == 0)
    #expect(try one.number("b") == 1)
    try expectAll(found, one)
  }

  /// An asset of the own chain moves because a received one has the same place; the moved asset is pushed too.
  @Test func assetMovedDuringSyncIsPushed() throws {
    try one.addAsset("mine", [UInt8](repeating: 1, count: 1000))
    try one.exchange("team")
    try copy.addAsset("theirs", [UInt8](repeating: 2, count: 1000))
    try copy.exchange("west")
    try bringStrays(2...2)
    try one.exchange("team")
    let id = one.instance
    #expect(id != instance)
    try bringStrays(3...5)
    let found = try one.exchange("team")
    #expect(try one.instance == id && one.store.branches.branch(BranchID(id))?.head.index == 1)
    try expectAll(found, one)
  }

  /// If one of two copies with the same content moves it, the other one follows. Something else of the same size may
  /// take the old place.
  @Test func machineFollowsAssetMovedByItsCopy() throws {
    try one.addAsset("mine", [UInt8](repeating: 1, count: 1000))
    try one.exchange("team")
    one.close()
    try world.copy("one", to: "third")
    let third = try world.reopened("third")
    try copy.addAsset("theirs", [UInt8](repeating: 2, count: 1000))
    try copy.exchange("west")
    try bringStrays(2...5)
    let mine = try world.reopened("one")
    try mine.exchange("team")
    for file in try world.scratch.files("west") where file.contains("/assets/") {
      try world.scratch.write("team" + file.dropFirst(4), world.scratch.bytes(file))
    }
    try third.exchange("team")
    try third.exchange("team")
    try expectAll(third.exchange("team"), third)
    let held = try third.allAssets().filter { try third.assets.here($0) != nil }
    // Encrypted assets stay in their places.
    for asset in held where !SyncWorld.isSealed {
      let here = try #require(try third.assets.here(asset))
      #expect(try third.assets.readContent(of: here, from: third.assets.files) { _ in } == .good)
    }
    #expect(held.contains { $0.digest == SHA256.hash([UInt8](repeating: 1, count: 1000)) })
  }

  /// Puts the copy's blocks where the reader has seen those of the first machine; the reader knows both.
  private func exchangePlaces() throws {
    try copy.put("b", [("n", .integer(1))])
    try copy.exchange("west")
    for folder in ["team", "west"] { try reader.exchange(folder) }
    for index in UInt32(2)...5 {
      let (from, to) = (file(index, "west"), file(index))
      if index < 5 { try #expect(world.scratch.bytes(from).count == world.scratch.bytes(to).count) }
      try world.scratch.write(to, world.scratch.bytes(from))
    }
    // Makes another checked file newer.
    let own = world.blockPath("team", reader.instance, 0)
    try world.scratch.write(own, world.scratch.bytes(own))
  }

  /// A place that now belongs to another branch does not count as seen, even while an earlier block is awaited.
  @Test func placeOfOtherBranchIsForgotten() throws {
    try exchangePlaces()
    let block = world.scratch.path(file(1))
    let promise = block.dropLast() + ".1.icloud"
    try Path.rename(block, to: String(promise))
    #expect(try reader.exchange("team").isIncomplete)
    try Path.rename(String(promise), to: block)
    for _ in 1...2 { #expect(try reader.exchange("team").problems.allSatisfy { !$0.isError }) }
    #expect(try asides() == [])
    try expectAll(reader.exchange("team"), reader)
  }

  /// Remembered blocks are not trusted if later blocks may belong to another branch, nor are earlier remembered blocks.
  @Test(arguments: [2, 4] as [UInt32]) func rememberedBlocksAreRereadBeforeQuarantine(last: UInt32) throws {
    try exchangePlaces()
    for _ in 1...2 { try reader.exchange("team") }
    let block = hash(of: try world.scratch.bytes(file(last, "ours")))
    try reader.store.write {
      try reader.store.peers.setSeen(BlockRef(BranchID(instance), index: last, digest: block), in: "team")
    }
    let found = try reader.exchange("team")
    #expect(try asides() == [])
    try expectAll(found, reader)
  }

  /// If a remembered branch is now another one, its later blocks are imported at once.
  @Test func blocksAfterReplacedBranchAreImported() throws {
    for n in Int64(5)...7 { try one.put("a", [("n", .integer(n))]) }
    try one.exchange("team")
    for folder in ["team", "west"] { try reader.exchange(folder) }
    try copy.put("b", [("n", .integer(1))])
    try copy.exchange("west")
    for index in UInt32(2)...5 { try world.scratch.write(file(index), world.scratch.bytes(file(index, "west"))) }
    for index in UInt32(6)...7 { try Path.remove(world.scratch.path(file(index))) }
    let found = try reader.exchange("team")
    #expect(try reader.number("b") == 1 && asides() == [])
    try expectAll(found, reader)
  }
}
