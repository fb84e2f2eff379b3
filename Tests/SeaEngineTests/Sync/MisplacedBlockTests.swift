import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Blocks in misplaced files, and copies of a machine that share a folder.
@Suite(.plainAndSealed) struct MisplacedBlockTests {
  let world: SyncWorld
  let one: Database
  let copy: Database

  init() throws {
    world = try SyncWorld()
    (one, copy) = try world.twins("team")
  }

  private func file(_ index: UInt32) -> String { world.blockPath("team", one.instance, index) }

  /// The cloud keeps one file and renames the other, whose writer continued after a block that only it had.
  @Test(arguments: ["2 (conflicted copy)", "2.sync-conflict-20261122-ABC", "2 2", "2-laptop"])
  func conflictedFileKeepsChangesOfBothMachines(name: String) throws {
    let id = one.instance
    try one.put("mine", [("n", .integer(2))])
    try one.exchange("team")
    let mine = try world.scratch.bytes(file(2))
    // The other machine wrote the same file in its copy of the folder.
    try Path.remove(world.scratch.path(file(2)))
    try copy.put("theirs", [("n", .integer(3))])
    try copy.exchange("team")
    // The cloud delivered the first machine's file under another name.
    try world.scratch.write(String(file(2).dropLast()) + name, mine)
    try one.exchange("team")
    try copy.exchange("team")
    try one.exchange("team")
    for database in [one, copy] {
      #expect(try database.number("mine") == 2 && database.number("theirs") == 3)
      #expect(database.instance != id)
    }
    #expect(try one.store.projection.digest() == copy.store.projection.digest())
    let late = try world.instance("late")
    try world.attach("team", to: late)
    try late.exchange("team")
    #expect(try late.number("mine") == 2 && late.number("theirs") == 3)
  }

  /// Without the conflict copy: the last block of the own chain is another writer's, although the state matches.
  @Test func pushDetectsReplacedOwnHead() throws {
    let id = one.instance
    try one.put("mine", [("n", .integer(2))])
    try one.exchange("team")
    try Path.remove(world.scratch.path(file(2)))
    try copy.put("theirs", [("n", .integer(3))])
    try copy.exchange("team", .push)
    let found = try one.exchange("team", .push)
    #expect(found.problems.contains { $0.code == .fork })
    #expect(one.instance != id)
    #expect(try one.number("theirs") == 3)
    try copy.exchange("team")
    #expect(try copy.number("mine") == 2)
  }

  /// A copy is found anywhere, under any name, with several blocks in a file, and by a pull alone.
  @Test(arguments: ["transactions/lost+found/x", "desktop.ini", "keys/2 2"]) func misplacedBlocksAreFoundByContent(
    path: String
  ) throws {
    for n in 2...4 { try one.put("a", [("n", .integer(Int64(n)))]) }
    try one.exchange("team")
    var bytes: [UInt8] = []
    for index in UInt32(2)...4 {
      bytes += try world.scratch.bytes(file(index))
      try Path.remove(world.scratch.path(file(index)))
    }
    try world.scratch.write("team/" + path, bytes)
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    #expect(try reader.exchange("team", .pull).pulled == 5)
    #expect(try reader.number("a") == 4)
    // A file known to have nothing new is not read again.
    let counter = CountingContainer(world.container("team"))
    var result = SyncResult()
    try reader.exchange.push(to: counter, named: "team", into: &result)
    #expect(counter.calls["readStray"] == nil && result.pushed > 0)
  }

  /// An unsigned block is ignored.
  @Test func unsignedBlocksAreIgnored() throws {
    var bytes = try world.scratch.bytes(file(1))
    bytes[bytes.count - 1] ^= 1
    try world.scratch.write(file(1) + " 2", bytes)
    try world.scratch.write(file(1) + " 3", Array("SEA, but no block".utf8) + [UInt8](repeating: 0, count: 200))
    let reader = try world.instance("reader")
    try world.attach("team", to: reader)
    let found = try reader.exchange("team")
    #expect(found.pulled == 2 && found.problems == [])
  }
}
