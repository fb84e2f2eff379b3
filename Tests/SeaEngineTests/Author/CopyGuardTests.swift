import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// The notes outside of `.sea` about the last write of each instance.
@Suite(.plainAndSealed) struct CopyGuardTests {
  let world: SyncWorld
  let name: UUID

  init() throws {
    world = try SyncWorld()
    world.settings.notes = world.scratch.path("state/sea/guards")
    world.settings.machine = { "0123" }
    let one = try world.instance("one")
    name = one.instance
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    one.close()
  }

  /// Writes once and returns the reason for a new name, if there is one.
  private func write(_ folder: String) throws -> Renewal.Reason? {
    let database = try world.reopened(folder)
    defer { database.close() }
    var reason: Renewal.Reason?
    database.author.whenRenewed = { reason = $0.reason }
    try database.put("of-\(folder)", [("n", .integer(1))])
    #expect((database.instance == name) == (reason == nil))
    let before = database.instance
    try database.put("of-\(folder)", [("n", .integer(2))])
    #expect(database.instance == before)
    return reason
  }

  private func restore(_ from: String) throws {
    try ScratchFolder.removeAll(world.scratch.path("one"))
    try world.copy(from, to: "one")
  }

  @Test func ordinaryWritesCauseNoRenewal() throws {
    for _ in 0..<3 { #expect(try write("one") == nil) }
    #expect(try world.scratch.files("state").map { Path.name($0) } == [name.description])
  }

  @Test func copyBesideOriginalIsRenewed() throws {
    try world.copy("one", to: "copy")
    #expect(try write("copy") == .copied)
    #expect(try write("one") == nil)
    let one = try world.reopened("one")
    #expect(try one.exchange("team").problems == [])
    let copy = try world.reopened("copy")
    #expect(try copy.exchange("team").problems == [])
    #expect(try copy.status().forks.isEmpty)
    #expect(copy.instance != one.instance)
  }

  @Test func copyOfContinuedOriginalIsRenewed() throws {
    try world.copy("one", to: "copy")
    #expect(try write("one") == nil)
    #expect(try write("copy") == .copied)
  }

  @Test func movedDatabaseIsNotRenewed() throws {
    try Path.rename(world.scratch.path("one"), to: world.scratch.path("two"))
    #expect(try write("two") == nil)
    try world.copy("two", to: "three")
    try ScratchFolder.removeAll(world.scratch.path("two"))
    #expect(try write("three") == nil)
    try world.scratch.write("two/.sea/db", [1])
    #expect(try write("three") == nil)
  }

  @Test func databaseOnOtherMachineIsRenewed() throws {
    world.settings.machine = { "4567" }
    #expect(try write("one") == .otherMachine)
    let there = try world.reopened("one")
    try there.put("a", [("n", .integer(5))])
    #expect(there.instance != name)
    there.close()
    world.settings.machine = { nil }
    let unknown = try world.reopened("one")
    try unknown.put("a", [("n", .integer(6))])
    #expect(unknown.instance == there.instance)
  }

  @Test func restoredBackupWithLostTailIsRenewed() throws {
    try world.copy("one", to: "backup")
    #expect(try write("one") == nil)
    try restore("backup")
    #expect(try write("one") == .rolledBack)
    let one = try world.reopened("one")
    #expect(try one.exchange("team").problems == [] && one.status().forks.isEmpty)
  }

  /// Restores a backup that is older than the container's state.
  private func restoreBackupBehindTheTeam() throws {
    try world.copy("one", to: "backup")
    #expect(try write("one") == nil)
    let one = try world.reopened("one")
    try one.exchange("team")
    one.close()
    try restore("backup")
  }

  @Test func restoredBackupThatWritesFirstIsRenewedAndPullsItsOldTail() throws {
    try restoreBackupBehindTheTeam()
    #expect(try write("one") == .rolledBack)
    let again = try world.reopened("one")
    #expect(try again.exchange("team").problems == [] && again.status().forks.isEmpty)
    #expect(try again.store.branches.chain(name)?.head.index == 3 && again.number("of-one") == 2)
  }

  @Test func restoredBackupThatSyncsFirstIsNotRenewed() throws {
    try restoreBackupBehindTheTeam()
    let back = try world.reopened("one")
    #expect(try back.exchange("team").pulled == 2 && back.instance == name)
    back.close()
    #expect(try write("one") == nil)
  }

  @Test func damagedNoteCausesNoRenewal() throws {
    let note = "state/sea/guards/\(name)"
    for content in ["", "nonsense", "sea seat 1\n\n\n\n\n\n\n", "sea copy guard 1\n\n\n\n\n\n"] {
      try Path.remove(world.scratch.path(note))
      try world.scratch.write(note, Array(content.utf8))
      #expect(try write("one") == nil)
    }
    try ScratchFolder.removeAll(world.scratch.path("state"))
    #expect(try write("one") == nil)
    #expect(try world.scratch.files("state").count == 1)
    try ScratchFolder.removeAll(world.scratch.path("state"))
    try world.scratch.write("state", [1])
    #expect(try write("one") == nil)
  }
}
