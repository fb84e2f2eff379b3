import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A container that hides the end of a chain is detected by blocks of instances that have seen it.
@Suite(.plainAndSealed) struct WithheldTests {
  let world: SyncWorld

  init() throws { world = try SyncWorld() }

  @Test func hiddenChainEndIsReported() throws {
    let all = try ["writer", "witness", "reader"].map { try world.instance($0) }
    for database in all { try world.attach("team", to: database) }
    let (last, hidden) = try world.witnessed(all[0], by: all[1])
    _ = try Path.remove(world.scratch.path(last))

    try all[2].exchange("team", .pull)
    #expect(
      try all[2].members.uncounted.withheld() == [
        Problem(.withheld, place: "", instance: all[0].instance, index: 3, detail: "2")
      ])
    #expect(try all[2].status().withheld.count == 1)

    try world.scratch.write(last, hidden)
    try all[2].exchange("team", .pull)
    #expect(try all[2].members.uncounted.withheld() == [])
    #expect(try all[2].number("a") == 3)
  }

  /// Blocks left because of a limit are not withheld, but hidden blocks are still detected.
  @Test func blocksLeftByLimitAreNotWithheld() throws {
    // An encrypted world has no founder here, and a first sync would wait for it.
    let world = try SyncWorld(sealed: false)
    // The chain that comes first is the witness's.
    let all = try ["one", "two"].map { try world.instance($0) }.sorted { $1.instance < $0.instance }
    for database in all { try world.attach("team", to: database) }
    let (last, hidden) = try world.witnessed(all[0], by: all[1])

    // The limit allows the witness's chain and nothing of the writer's.
    let head = try #require(try all[1].store.branches.chain(all[1].instance)).trunk.head.index
    let bytes = try (0...head).reduce(0) { sum, index in
      try sum + world.scratch.bytes(world.blockPath("team", all[1].instance, index)).count
    }
    world.settings.allowance = Allowance(seconds: nil, bytes: Int64(bytes), throttle: nil)
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    #expect(try reader.exchange("team", .pull).limit == .size)
    #expect(try reader.store.peers.chainsSeenElsewhere().count == 1)
    #expect(try reader.members.uncounted.withheld() == [])
    var status = try reader.status()
    #expect(status.withheld == [] && status.left.map(\.container) == ["team"])
    #expect(status.left.allSatisfy { $0.chains > 0 && !$0.isUnseen })

    // Without a limit, everything is imported.
    reader.close()
    world.settings.allowance = nil
    let again = try world.reopened("reader")
    _ = try Path.remove(world.scratch.path(last))
    try again.exchange("team", .pull)
    status = try again.status()
    #expect(status.withheld.count == 1 && status.left.isEmpty)
    try world.scratch.write(last, hidden)
    try again.exchange("team", .pull)
    #expect(try again.status().withheld == [])
  }
}
