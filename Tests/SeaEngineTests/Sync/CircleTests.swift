import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Orders to purge that claim heads which lead back to the block that they name: nothing waits for itself.
@Suite(.plainAndSealed) struct CircleTests {
  @Test(.timeLimit(.minutes(20))) func anOrderThatLeadsBackToItsBlock() throws {
    let world = try SyncWorld()
    let (a, b) = (try world.instance("a"), try world.instance("b"))
    for one in [a, b] { try world.attach("team", to: one) }
    try b.put("x", [("n", .integer(1))])
    let gone = try #require(try b.store.branches.chain(b.instance)).head
    try b.exchange("team")
    try a.exchange("team")
    let key = try #require(ConfigKey("core.abbrev"))
    // It names the block that goes.
    try a.sharedSettings.set(key, "20")
    let named = try #require(try a.store.branches.chain(a.instance)).head
    let row = try #require(try b.store.blocks.block(gone))
    let bytes = try b.store.content.bytes(of: row)
    let header = try bytes.withUnsafeBytes { try BlockHeader($0) }
    let order = ControlEntry.purge(PurgeOrder(gone.instance, header: header, heads: [named]))
    _ = try b.author.write { try $0.append(controls: [order], label: "purge") }
    let container = MemoryContainer()
    try container.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    for one in [a, b] {
      try one.store.blocks.forEachBlock(of: BranchID(one.instance), from: 0) { row, bytes in
        let header = try bytes.withUnsafeBytes { try BlockHeader($0) }
        container.place(
          row.ref.isSame(gone) ? header.removed.encoded() : bytes, of: BranchID(one.instance), row.index)
        return true
      }
    }
    for name in ["one", "two"] {
      let reader = try world.instance(name)
      #expect(try reader.pullCodes(container) == [])
      #expect(try reader.sharedSettings.all().map(\.value) == ["20"])
      // What is said next overrules it, though nobody can name it.
      try reader.sharedSettings.set(key, "21")
      #expect(try reader.sharedSettings.all().map(\.value) == ["21"])
    }
    var codes: [Problem.Code] = []
    _ = try Verification.container(
      container, named: "c", readsPayloads: true, keys: a.keychain.ringAtHand(),
      { codes += [$0.problem?.code].compactMap { $0 } }, { codes.append($0.code) })
    #expect(codes == [])
  }
}
