import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A container that hides somebody's tail is found out by the blocks of those who have seen it.
@Suite(.plainAndSealed) struct WithheldTests {
  let world: SyncWorld

  init() throws { world = try SyncWorld() }

  @Test func aHiddenTailIsNamed() throws {
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

  /// What a limit has left was left by this instance, and nobody withholds it; what is hidden besides is found out all the same.
  @Test func whatALimitHasLeft() throws {
    // A sealed world has no founder here, and a first sync waits for that.
    let world = try SyncWorld(sealed: false)
    // The chain that comes first is that of the witness.
    let all = try ["one", "two"].map { try world.instance($0) }.sorted { $1.instance < $0.instance }
    for database in all { try world.attach("team", to: database) }
    let (last, hidden) = try world.witnessed(all[0], by: all[1])

    // So much that the witness's chain comes in and nothing of the writer's.
    let head = try #require(try all[1].store.branches.chain(all[1].instance)).trunk.head.index
    let bytes = try (0...head).reduce(0) { sum, index in
      try sum + world.scratch.bytes(world.place("team", all[1].instance, index)).count
    }
    world.settings.allowance = Allowance(seconds: nil, bytes: Int64(bytes), throttle: nil)
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    #expect(try reader.exchange("team", .pull).limit == .size)
    #expect(try reader.store.peers.withheld().count == 1)
    #expect(try reader.members.uncounted.withheld() == [])
    var status = try reader.status()
    #expect(status.withheld == [] && status.left.map(\.container) == ["team"])
    #expect(status.left.allSatisfy { $0.chains > 0 && !$0.isUnseen })

    // Without a limit all is as it was.
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
