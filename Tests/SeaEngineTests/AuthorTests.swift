import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// The author of a revision that several instances made is its first block, wherever and however it arrived.
@Suite struct AuthorTests {
  /// Instances that often make the same change, and sometimes exchange.
  private func history(_ random: inout SeededRandom) throws -> TestGroup {
    let group = try TestGroup(4)
    for step in 0..<50 {
      let database = group[Int.random(in: 0..<4, using: &random)]
      let id = "r\(Int.random(in: 0..<3, using: &random))"
      let row = try? database.records.find(id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: try group.exchange((0..<4).filter { _ in Bool.random(using: &random) })
      case 2 where row?.isDeleted == false: try database.delete(id)
      case 3, 4:
        // As in automatic merges, the bytes are the same on every instance.
        if row.map({ $0.conflict != .none }) ?? false { _ = try database.conflicts.resolve([id], .winner, label: "r") }
      default: try database.put(#"{"_id":"\#(id)","n":\#(step / 8)}"#)
      }
    }
    return group
  }

  /// The expected authors from the blocks: the first block of each revision.
  private func expected(_ group: TestGroup) throws -> [String] {
    var first: [String: (revision: RevisionID, block: BlockRow)] = [:]
    var repeated = 0
    try group[0].store.branches.forEachTransaction(of: nil) { block in
      let bytes = try #require(try group[0].store.content.clearBytes(of: block))
      try bytes.withUnsafeBytes { bytes in
        let payload = try BlockReader.payload(ofKept: bytes)
        for change in payload.changes {
          let range = change.id.lowerBound + BlockHeader.size..<change.id.upperBound + BlockHeader.size
          let key = "\(String(decoding: bytes[range], as: UTF8.self)) \(change.revision)"
          if let known = first[key] {
            repeated += 1
            let (a, b) = (known.block, block)
            if (a.lamport, a.instance, a.index) < (b.lamport, b.instance, b.index) { continue }
          }
          first[key] = (change.revision, block)
        }
      }
      return true
    }
    #expect(repeated > 0)
    return first.map { "\($0.key) \($0.value.block.lamport) \($0.value.block.instance) \($0.value.block.index)" }
  }

  @Test(arguments: TestSeed.some(8)) func firstBlockDeterminesAuthor(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try history(&random)
    try group.exchange()
    let expected = try expected(group).sorted()
    let authors = try group[0].authorText()
    #expect(authors.sorted() == expected, "seed \(seed)")
    for one in group.instances {
      #expect(try one.authorText() == authors, "seed \(seed)")
      _ = try one.store.projection.rebuildAll()
      #expect(try one.authorText() == authors, "seed \(seed)")
    }
  }

  /// Each chain keeps its order and chains are interleaved at random, so children also arrive before parents.
  @Test(arguments: TestSeed.some(6)) func everyArrivalOrderGivesSameAuthors(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try history(&random)
    try group.exchange()
    let authors = try group[0].authorText()
    let digest = try group[0].store.projection.digest()
    let (chains, rows) = (try group.chains(), try group[0].store.branches.chains())
    for _ in 0..<8 {
      let scratch = try ScratchFolder()
      var creation = Database.Creation()
      creation.database = group[0].databaseID
      let database = try Database(
        path: Database.create(in: scratch.path("x"), creation, .init(access: .write)).path, .init(access: .write))
      defer { database.close() }
      var next = [Int](repeating: 0, count: chains.count)
      try database.store.write {
        while let at = next.indices.filter({ next[$0] < chains[$0].count }).randomElement(using: &random) {
          for _ in 0..<Int.random(in: 1...5, using: &random) where next[at] < chains[at].count {
            try append(chains[at][next[at]], of: rows[at].instance, to: database.store)
            next[at] += 1
          }
        }
      }
      #expect(try database.authorText() == authors, "seed \(seed)")
      #expect(try database.store.projection.digest() == digest, "seed \(seed)")
      #expect(try database.store.projection.expectedDigest() == digest, "seed \(seed)")
    }
  }

  private func append(_ block: [UInt8], of instance: UUID, to store: Store) throws {
    try block.withUnsafeBytes { bytes in
      let header = try BlockHeader(bytes)
      let head = BlockRef(instance: instance, index: header.index, digest: header.hash)
      let payload = try BlockReader.payload(ofKept: bytes)
      _ = try store.intake.append(VerifiedBlock(bytes: bytes, header: header, head, payload: payload), arrived: 0)
    }
  }

  /// Two copies of an instance make the same change in different branches, and a third instance does too.
  @Test(arguments: [false, true]) func forkedChainGivesSameAuthorsInAnyOrder(sealed: Bool) throws {
    let world = try SyncWorld(sealed: sealed)
    let one = try world.instance("one")
    for folder in ["east", "west"] { try world.attach(folder, to: one) }
    try one.put("a", [("n", .integer(1))])
    for folder in ["east", "west"] { try one.exchange(folder) }
    one.close()
    try world.copy("one", to: "copy")
    let all = try [world.reopened("one"), world.reopened("copy"), world.instance("third")]
    try world.attach("east", to: all[2])
    try all[2].exchange("east")
    try all[0].put("other", [("n", .integer(1))])
    for one in all { try one.put("a", [("n", .integer(2))]) }
    try all[1].put("a", [("n", .integer(3))])
    try all[0].exchange("east")
    try all[1].exchange("west")
    try all[2].exchange("east")
    var texts: [[String]] = []
    for order in [["east", "west"], ["west", "east"]] {
      let reader = try world.instance("reader-\(order[0])")
      for folder in order { try world.attach(folder, to: reader) }
      for folder in order + order { try reader.exchange(folder) }
      texts.append(try reader.authorText())
      _ = try reader.store.projection.rebuildAll()
      texts.append(try reader.authorText())
      #expect(try reader.store.projection.digest() == reader.store.projection.expectedDigest())
    }
    #expect(texts.allSatisfy { $0 == texts[0] && $0.count == 4 })
  }
}
