import SeaCore
import SeaKit
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
    for n in 1...3 { try all[0].put("a", [("n", .integer(Int64(n)))]) }
    try all[0].exchange("team")
    try all[1].exchange("team")
    try all[1].put("b", [("n", .integer(1))])
    try all[1].exchange("team")
    let last = world.place("team", all[0].instance, 3)
    let hidden = try world.scratch.bytes(last)
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
}
