import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// An instance that was away during a new epoch and a purge. The order's key comes with a key slot whose entry follows
/// the purged block.
@Suite struct OfflineInstancePurgeTests {
  private let world: MemberWorld

  init() throws { world = try MemberWorld(sealed: true) }

  /// - Returns: the writer, and the instance that was away.
  private func start(members: Bool) throws -> (Database, Database) {
    let one = try world.founder("one", ["team"], members: members)
    try one.exchange("team")
    let away = try world.newcomer("away", ["team"], password: members ? nil : world.password)
    try away.exchange("origin")
    try one.exchange("team")
    if members { try one.authorize(away, as: .write) }
    #expect(try world.converge([one, away]) == [])
    return (one, away)
  }

  @Test(arguments: [false, true]) func purgeWaitsForKeyOfNewEpoch(members: Bool) throws {
    let (one, away) = try start(members: members)
    let before = try world.container("team").names(in: .keys)
    try one.put("r3", [("n", .integer(3))])
    _ = try one.access.rotate(Array(world.password.utf8))
    try one.put("r4", [("n", .integer(4))])
    #expect(try one.purge.run(.record("r3", keepsNow: false)).emptied == 1)
    try one.exchange("team")
    // Without the key slot, the order cannot be read.
    var slots: [String: [UInt8]] = [:]
    for name in try world.container("team").names(in: .keys) where !before.contains(name) {
      slots[name] = try world.container("team").read(name, in: .keys)
      try world.container("team").remove(name, in: .keys)
    }
    for _ in 0..<2 {
      let problems = try away.exchange("origin").problems
      #expect(!problems.isEmpty && problems.allSatisfy { $0.code == .noKey })
      #expect(problems.contains { $0.isUnreadRemoval })
    }
    for (name, bytes) in slots { try world.container("team").write(name, bytes, in: .keys) }
    #expect(try away.exchange("origin").problems == [])
    #expect(try away.number("r4") == 4 && away.number("r3") == nil)
    #expect(try away.store.projection.digest() == one.store.projection.digest())
  }

  /// The instance keeps its original block and restores nothing.
  @Test func instanceWithoutNewestKeyRestoresNothing() throws {
    let one = try world.founder("one", ["team"], members: false)
    for n in 1...3 { try one.put("r\(n)", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
    // The instance has announced nothing, so no slot of the next epoch is for it.
    let late = try world.newcomer("late", ["team"], password: world.password)
    _ = try one.access.rotate(nil)
    #expect(try one.purge.run(.record("r2", keepsNow: false)).emptied == 1)
    #expect(try one.exchange("team").emptied == 1)
    for _ in 0..<2 {
      let result = try late.exchange("origin")
      #expect(result.mended == [] && result.healed == 0 && result.problems.contains { $0.code == .noKey })
      #expect(try one.exchange("team").emptied == 0)
    }
    #expect(try late.number("r2") == 2)
  }
}
