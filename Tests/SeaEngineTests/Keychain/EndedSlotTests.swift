import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Ended key slots, and instances that have not learned of it.
@Suite struct EndedSlotTests {
  /// An instance that has not learned that a slot was ended does not write it again.
  @Test func unawareInstanceDoesNotRestoreEndedSlot() throws {
    let world = try MemberWorld(sealed: true)
    func slots() throws -> [String] { try world.scratch.files("team/keys") }
    let one = try world.founder("one", ["team"], members: false)
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: world.password)
    for _ in 0..<2 {
      try two.exchange("origin")
      try one.exchange("team")
    }
    let old = try slots()
    _ = try one.access.changePassword(from: Array(world.password.utf8), to: Array("new".utf8))
    try one.exchange("team")
    let new = try slots()
    #expect(new != old)
    for round in 0..<3 {
      try two.put("a\(round)", [("n", .integer(1))])
      let result = try two.exchange("origin", .push)
      #expect(try result.slotsHealed == 0 && result.problems == [] && slots() == new)
    }
    // While other instances name blocks that are not here, this is reported.
    try two.exchange("origin")
    let instance = Hex.text(one.instance.bytes)
    try two.alter("INSERT OR REPLACE INTO announced(instance, idx, digest) VALUES(x'\(instance)', 99, zeroblob(32))")
    for file in new { try Path.remove(world.scratch.path(file)) }
    let lost = try two.exchange("origin")
    #expect(try lost.slotsHealed == 0 && lost.isIncomplete && slots() == [])
    #expect(Set(lost.problems.compactMap(\.possiblyInvalidatedSlot)) == Set(new.map { String($0.dropFirst(5)) }))
    try two.alter("UPDATE announced SET idx = 1")
    #expect(try two.exchange("origin").slotsHealed == new.count && slots() == new)
    #expect(try two.exchange("origin").problems == [] && slots() == new)
    #expect(try two.exchange("origin", .push).problems == [])
    // A slot that was only lost is written again.
    for name in new { try Path.remove(world.scratch.path(name)) }
    #expect(try two.exchange("origin", .push).slotsHealed == new.count && slots() == new)
  }
}
