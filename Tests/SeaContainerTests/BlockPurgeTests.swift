import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Putting removed blocks in the place of the whole ones that they are left of, held against every kind.
@Suite struct BlockPurgeTests {
  private func made(_ kind: Kind, _ blocks: Range<UInt32> = 0..<1_003) throws -> Specimen {
    let specimen = try kind.make()
    try specimen.container.create(Specimen.info)
    try specimen.container.write(blocks)
    return specimen
  }

  /// What is left of some bytes that stood in the place of a block.
  private func removedBlock(of whole: [UInt8]) throws -> RemovedBlock { try #require(RemovedBlock(removed(whole))) }

  private func blocks(_ container: Container) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    _ = try container.readBlocks(of: alpha, from: 0) { _, bytes in
      found.append(Array(bytes))
      return true
    }
    return found
  }

  /// In files of their own and in packs, whose other blocks stay byte for byte.
  @Test(arguments: Kind.allCases) func onlyNamedBlocksArePurged(kind: Kind) throws {
    let specimen = try made(kind)
    let container = specimen.container
    try container.fold(alpha)
    var want = try blocks(container)
    let gone: [UInt32] = [1, 7, 999, 1_001]
    var removals: [UInt32: [RemovedBlock]] = [:]
    for index in gone { removals[index] = [try removedBlock(of: want[Int(index)])] }
    removals[5_000] = [try removedBlock(of: TestBlock.make(5_000))]
    let dry = try container.empty(alpha, removals, dryRun: true)
    #expect(dry.emptied.isEmpty && dry.kept.keys.sorted() == gone)
    #expect(try blocks(container) == want)
    #expect(try container.empty(alpha, removals, dryRun: false).emptied == Set(gone))
    for index in gone { want[Int(index)] = removals[index]![0].bytes }
    #expect(try blocks(container) == want)
    #expect(try container.empty(alpha, removals, dryRun: false) == EmptiedBlocks())
    #expect(try container.lastIndex(of: alpha) == 1_002 && container.foreignFiles() == ForeignFiles())
  }

  /// Whatever an order claims: all bytes have to be those of the block that the removed one is left of.
  @Test(arguments: Kind.allCases) func blockDifferingFromPurgeOrderIsKept(kind: Kind) throws {
    let specimen = try made(kind, 0..<1_002)
    let container = specimen.container
    try container.fold(alpha)
    let before = try blocks(container)
    var removals: [UInt32: [RemovedBlock]] = [:]
    for index in [3, 1_001] as [UInt32] {
      let there = before[Int(index)]
      var content = Array(there[BlockHeader.size...].dropLast(Payload.signatureSize))
      content[content.count - 1] ^= 1
      let other = TestBlock.make(index, content: content)
      // Another payload, another clock, and another block.
      content[content.count - 1] ^= 1
      let later = TestBlock.make(index, content: content, lamport: index + 1)
      removals[index] = [
        try removedBlock(of: other), try removedBlock(of: later), try removedBlock(of: TestBlock.make(9)),
      ]
    }
    #expect(try container.empty(alpha, removals, dryRun: false) == EmptiedBlocks())
    #expect(try blocks(container) == before)
  }

  /// What is behind the end of a cut pack could be lost.
  @Test func damagedPackIsLeftUnchanged() throws {
    let scratch = try ScratchFolder()
    let container = DirectoryContainer(scratch.path("c"))
    try container.create(Specimen.info)
    try container.write(0..<1_000)
    try container.fold(alpha)
    let pack = "c/transactions/\(alpha)/1.blocks"
    let removals = try [7: [removedBlock(of: blocks(container)[7])]] as [UInt32: [RemovedBlock]]
    for cut in [Array(try scratch.bytes(pack).dropLast(9)), try scratch.bytes(pack) + [1]] {
      try Path.remove(scratch.path(pack))
      try scratch.write(pack, cut)
      let result = try container.empty(alpha, removals, dryRun: false)
      #expect(result.emptied.isEmpty && Array(result.kept.keys) == [7])
      #expect(try scratch.bytes(pack) == cut)
    }
  }
}
