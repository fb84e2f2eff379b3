import SeaContainer
import SeaCore
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// Databases that an older program has made: plain ones, it knew no others.
@Suite struct OldStoreTests {
  @Test func aStoreOfTheFirstVersionIsBroughtUp() throws {
    let world = try SyncWorld(sealed: false)
    let one = try world.instance("one")
    for folder in ["east", "west"] { try world.attach(folder, to: one) }
    try one.put("a", [("n", .integer(1))])
    try one.exchange("east")
    one.close()
    try world.copy("one", to: "copy")
    let (first, second) = (try world.reopened("one"), try world.reopened("copy"))
    try first.put("a", [("n", .integer(2))])
    for n in 3...4 { try second.put("a", [("n", .integer(Int64(n)))]) }
    try first.exchange("east")
    try second.exchange("west")

    let reader = try world.instance("reader")
    for folder in ["east", "west"] { try world.attach(folder, to: reader) }
    try reader.exchange("east")
    try reader.store.makeOld()
    reader.close()
    let old = try Database(path: Path.join(world.scratch.path("reader"), ".sea"))
    #expect(try old.number("a") == 2 && old.status().forks.isEmpty && old.instances().count == 2)
    old.close()
    let after = try world.reopened("reader")
    #expect(try after.exchange("west").problems.map { $0.code } == [.fork])
    #expect(try after.number("a") == 4)
  }
}
