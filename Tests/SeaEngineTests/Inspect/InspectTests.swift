import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Inspecting places without verifying them.
@Suite struct InspectTests {
  @Test func pathDeterminesFileKind() throws {
    let id = "01234567-89ab-8def-8123-456789abcdef"
    let digest = String(repeating: "a", count: 64)
    let kinds: [(String, FileMeaning.Kind)] = [
      ("info.json", .info), ("MANIFEST.json", .manifest), ("transactions/\(id)/1/0", .block),
      ("transactions/\(id)/2/1.blocks", .folded), ("assets/\(id)/1/7", .asset), ("keys/\(digest)", .slot),
      ("requests/\(id)", .request), ("heads/\(id)", .hint), ("heads/x/\(id)", .foreign), ("notes.txt", .foreign),
      ("transactions/\(id)/1/0 (copy)", .foreign), ("transactions/\(id)/1/00", .foreign),
      ("transactions/\(id)/1/.2.icloud", .placeholder),
      (".sea-tmp-00112233445566778899aabbccddeeff", .temporary), ("transactions/\(id)/1/3.damaged-00112233", .aside),
    ]
    for (path, kind) in kinds { #expect(FileMeaning(path).kind == kind, "\(path)") }
    #expect(FileMeaning("transactions/\(id)/2/1.blocks").blocks == 1000...1999)
    for (path, kind) in [("db", FileMeaning.Kind.store), ("db-wal", .store), ("keys/instance", .keys), ("lock", .own)] {
      #expect(FileMeaning(inDatabase: path).kind == kind, "\(path)")
    }
  }

  /// The store, a container and a bundle show the same blocks.
  @Test(.plainAndSealed) func storeAndContainerShowSameBlocks() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try world.attach("team", to: one)
    for k in 0..<5 { try one.put("a\(k % 2)", [("n", .integer(Int64(k)))]) }
    try one.exchange("team")
    func shownBlocks(_ place: any InspectedPlace) throws -> [String] {
      var lines: [String] = []
      let problems = try place.forEachBlock(of: nil, newest: nil) { block, bytes in
        #expect(block.size == bytes.count)
        lines.append("\(block.ref) \(block.ref.digest) \(block.label ?? "-") \(block.changes.map(\.id))")
      }
      #expect(problems.isEmpty)
      let chains = try place.chains()
      #expect(chains.map(\.count) == [6] && chains.map(\.name) == ["one"])
      #expect(chains.allSatisfy { $0.began != nil && $0.ended != nil })
      return lines
    }
    let store = try shownBlocks(InspectedStore(one))
    #expect(store.count == 6 && store.last?.contains("put [\"a0\"]") == true)
    #expect(try shownBlocks(InspectedContainer(world.container("team"), named: "team", one)) == store)
    // Without a key, the same structure is visible, but no content.
    let bare = try InspectedContainer(world.container("team"), named: "team", nil)
    var count = 0
    _ = try bare.forEachBlock(of: nil, newest: 2) { block, _ in
      count += 1
      #expect((block.changeCount == nil) == (world.key != nil))
      #expect(block.header.index >= 4)
    }
    #expect(count == 2)
  }

  @Test func newestBlocksRespectLimits() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    for k in 0..<30 { try one.put("a\(k % 15)", [("n", .integer(Int64(k)))]) }
    let newest = try NewestBlocks(InspectedStore(one), most: 20)
    #expect(newest.blocks.map(\.header.index) == Array(11...30) && newest.moreBlocks == 11)
    let none = try NewestBlocks(InspectedStore(one), mostChains: 0)
    #expect(none.blocks.isEmpty && none.moreChains == 1)
    let chain = try #require(newest.chains.first?.branch)
    #expect(try NewestBlocks(InspectedStore(one), of: chain, most: 5).blocks.map(\.header.index) == Array(26...30))
  }

  /// An invalid block is reported and ends its chain, whatever its bytes are.
  @Test func invalidBlockIsReportedAndEndsChain() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try world.attach("team", to: one)
    for k in 0..<3 { try one.put("a", [("n", .integer(Int64(k)))]) }
    try one.exchange("team")
    let path = world.blockPath("team", one.instance, 2)
    let good = try world.scratch.bytes(path)
    for at in [0, 3, 4, 8, 60, 81, good.count - 1] {
      var bad = good
      bad[at] ^= 0xFF
      try world.scratch.write(path, bad)
      let place = try InspectedContainer(world.container("team"), named: "team", nil)
      var seen: [UInt32] = []
      let problems = try place.forEachBlock(of: nil, newest: nil) { block, _ in seen.append(block.ref.index) }
      // Digests are not checked here.
      #expect(seen.prefix(2) == [0, 1] && (problems.count == 1 || seen.count == 4), "\(at)")
      _ = try NewestBlocks(place)
    }
  }
}
