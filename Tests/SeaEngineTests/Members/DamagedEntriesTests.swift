import SeaCore
import SeaEngine
import SeaStore
import Testing

/// Derived data about entries may be damaged: it is rebuilt from the blocks.
@Suite struct DamagedEntriesTests {
  @Test(arguments: [false, true]) func rebuildRestoresDamagedEntries(sealed: Bool) throws {
    let world = try MemberWorld(sealed: sealed)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"], password: sealed ? world.password : nil)
    try two.exchange("origin")
    try one.exchange("team")
    try one.authorize(two, as: .admin)
    let before = try one.memberText()
    try one.alter("UPDATE control SET bytes = x'00' WHERE kind = 'authorize'")
    #expect(throws: StoreError.damaged("control")) { try one.memberText() }
    _ = try one.rebuildProjection(dryRun: false)
    #expect(try one.memberText() == before)
    #expect(try world.converge([one, two]) == [])
  }
}
