import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// Containers whose bytes differ from the author's.
@Suite(.plainAndSealed) struct SyncDamageTests {
  let world: SyncWorld
  let author: Database
  let reader: Database
  let container = MemoryContainer()
  let chain: BranchID
  /// The author's blocks; the reader knows the first two.
  var blocks: [[UInt8]] = []

  init() throws {
    world = try SyncWorld()
    author = try world.instance("author")
    reader = try world.instance("reader")
    chain = BranchID(author.instance)
    try container.create(
      ContainerInfo(
        container: UUID.random(), database: world.databaseID, contentType: "org.example.test", proof: world.proof))
    for n in 1...3 {
      try author.put("a", [("n", .integer(Int64(n)))])
      if n == 1 {
        try storeBlocks(0...1)
        #expect(try reader.pullCodes(container) == [])
      }
    }
    try storeBlocks(0...3)
  }

  private mutating func storeBlocks(_ range: ClosedRange<Int>) throws {
    for index in range {
      let row = try #require(try author.store.blocks.block(BranchID(author.instance), UInt32(index)))
      let bytes = try author.store.content.bytes(of: row)
      if blocks.count == index { blocks.append(bytes) }
      container.setBytes(bytes, of: chain, UInt32(index))
    }
  }

  private func expectUntouched(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      try reader.store.branches.chain(author.instance)?.head.index == 1, "\(what)", sourceLocation: sourceLocation)
    #expect(try reader.number("a") == 1, "\(what)", sourceLocation: sourceLocation)
  }

  @Test func truncatedBlockIsAwaited() throws {
    for length in 0..<blocks[2].count {
      container.setBytes(Array(blocks[2].prefix(length)), of: chain, 2)
      #expect(try reader.pullCodes(container, named: "cut \(length)") == [.incomplete], "cut at \(length)")
    }
    try expectUntouched("cut")
  }

  /// A cloud client may create a file in its full size and fill it later.
  @Test func blockEndingInZerosIsAwaited() throws {
    for length in [0] + Array(BlockHeader.size...blocks[2].count - 16) {
      container.setBytes(
        blocks[2].prefix(length) + [UInt8](repeating: 0, count: blocks[2].count - length), of: chain, 2)
      #expect(try reader.pullCodes(container, named: "zeros \(length)") == [.incomplete], "zeros from \(length)")
    }
    try expectUntouched("zeros")
    container.setBytes([UInt8](repeating: 0, count: blocks[2].count), of: chain, 2)
    for _ in 1...3 { #expect(try reader.pullCodes(container) == [.incomplete]) }
    #expect(try reader.pullCodes(container) == [.truncated])
  }

  @Test func lastingTruncationBecomesError() throws {
    container.setBytes(Array(blocks[2].dropLast()), of: chain, 2)
    for _ in 1...3 { #expect(try reader.pullCodes(container) == [.incomplete]) }
    #expect(try reader.pullCodes(container) == [.truncated])
    #expect(try reader.status().quarantine.map { $0.index } == [2])
    container.setBytes(blocks[2], of: chain, 2)
    #expect(try reader.pullCodes(container) == [])
    #expect(try reader.number("a") == 3)
    #expect(try reader.status().quarantine.isEmpty)
  }

  @Test func everyFlippedBitIsFound() throws {
    container.setBytes(nil, of: chain, 3)
    var codes: [Problem.Code: Int] = [:]
    for bit in 0..<blocks[2].count * 8 {
      var bytes = blocks[2]
      bytes[bit / 8] ^= 1 << (bit % 8)
      container.setBytes(bytes, of: chain, 2)
      let found = try reader.pullCodes(container)
      #expect(found.count == 1, "bit \(bit)")
      if let code = found.first { codes[code, default: 0] += 1 }
    }
    try expectUntouched("flipped")
    // With index 0, it would be a first block with another mode.
    #expect(codes[.badMagic] == 24 && codes[.badIndex] == 31 && codes[.badMode] ?? 0 > 0)
    #expect(codes[.badPrevious] == 256)
    // The Lamport time is below the previous one, or beyond any possible value.
    #expect(codes[.badLamport] ?? 0 > 0 && codes[.badSignature] ?? 0 > 0 && codes[.badData] ?? 0 > 256)
  }

  @Test func blockAtWrongIndexIsRejected() throws {
    container.setBytes(blocks[3], of: chain, 2)
    #expect(try reader.pullCodes(container) == [.badIndex])
    container.setBytes(nil, of: chain, 2)
    #expect(try reader.pullCodes(container) == [.incomplete])
    try expectUntouched("places")
  }

  @Test func rewrittenBlockFailsSignatureCheck() throws {
    for last in [true, false] {
      if last { container.setBytes(nil, of: chain, 3) } else { container.setBytes(blocks[3], of: chain, 3) }
      var bytes = blocks[2]
      // The last byte before the signature is in the record's content.
      bytes[bytes.count - 65] ^= 1
      bytes = resealed(bytes)
      container.setBytes(bytes, of: chain, 2)
      #expect(try reader.pullCodes(container) == [.badSignature])
      #expect(try reader.number("a") == 1)
    }
  }

  @Test func excessiveLamportTimeDoesNotAdvanceClock() throws {
    let identity = try IdentityFile.make()
    var builder = BlockBuilder(reservedSize: 256)
    let genesis = ControlEntry.instance(
      name: "burner", key: identity.key, exchange: try identity.exchangeKey())
    let block = try builder.finish(
      database: world.databaseID, identity: identity, previous: nil, lamport: 1 << 30, time: 0, label: nil,
      controls: [genesis], sealing: world.sealing()
    ) { block, _ in Array(block.bytes) }
    container.setBytes(block, of: BranchID(identity.instance), 0)
    #expect(try reader.pullCodes(container) == [.badLamport])
    #expect(try reader.pullCodes(container) == [])
    // The block is kept and forwarded, and advances no clock.
    #expect(try reader.store.branches.chain(identity.instance)?.trunk.wrongFrom == 0)
    #expect(try reader.store.blocks.blocks(.badLamport).count == 1)
    #expect(try reader.status().quarantine.isEmpty)
    #expect(try reader.store.branches.appendPoint(of: reader.instance).lamport < 100)
    #expect(try reader.number("a") == 3)
    try reader.put("b", [("n", .integer(1))])
    #expect(try reader.store.branches.chain(reader.instance).map { $0.lamport < 100 } == true)
  }

  @Test func damagedBlockIsPulledFromOtherContainer() throws {
    for name in ["bad", "good"] {
      try world.attach(name, to: author)
      try author.exchange(name)
      try world.attach(name, to: reader)
    }
    let place = world.blockPath("bad", author.instance, 2)
    try Path.remove(world.scratch.path(place))
    try world.scratch.write(place, Array(blocks[2].reversed()))
    let damaged = try reader.exchange("bad", .pull)
    #expect(damaged.problems.map { $0.code } == [.badMagic])
    #expect(try reader.exchange("good").problems == [])
    #expect(try reader.number("a") == 3)
    let problem = try #require(damaged.problems.first)
    #expect(try reader.verification.goodCopy(of: problem) == ".sea")
    #expect(try world.instance("blind").verification.goodCopy(of: problem) == nil)
    // The reader has the block from elsewhere, so only other instances would miss it.
    #expect(try reader.exchange("bad", .pull).problems.map(\.code) == [.incomplete])
    #expect(try reader.status().quarantine.isEmpty)
  }
}
