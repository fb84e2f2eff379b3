import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// What Container promises, held against every kind.
@Suite struct ContractTests {
  @Test(arguments: Kind.allCases) func creationInfoIsReturnedAndNeverReplaced(kind: Kind) throws {
    let specimen = try kind.make()
    #expect(throws: ContainerError.self) { try specimen.container.info() }
    #expect(throws: ContainerError.self) { try specimen.container.write(0..<1) }
    try specimen.container.create(Specimen.info)
    #expect(try specimen.container.info() == Specimen.info)
    let other = ContainerInfo(
      container: UUID(high: 9, low: 9), database: UUID("00000000-0000-4009-8000-000000000009")!, contentType: "x")
    #expect(throws: ContainerError.exists(path: specimen.container.location)) { try specimen.container.create(other) }
    #expect(try specimen.container.info() == Specimen.info)
  }

  @Test(arguments: Kind.allCases) func emptyContainerHasNoBlocks(kind: Kind) throws {
    let container = try made(kind).container
    #expect(try container.chains() == ChainListing())
    #expect(try container.lastIndex(of: alpha) == nil)
    #expect(try container.firstIndex(of: alpha) == nil)
    #expect(try !container.has(alpha, 0))
    #expect(try container.read().end == .end(next: 0))
    #expect(try container.read(from: 5).end == .end(next: 5))
    #expect(try container.writeBlocks(of: alpha, from: 0) { nil } == 0)
    #expect(try container.chains() == ChainListing())
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func readReturnsWrittenBlocks(kind: Kind) throws {
    let container = try made(kind).container
    try container.write(0..<1)
    try container.write(1..<2)
    try container.write(2..<12)
    #expect(try container.lastIndex(of: alpha) == 11)
    for start in UInt32(0)...12 {
      let (indices, end) = try container.read(from: start)
      #expect(indices == start..<12)
      #expect(end == .end(next: 12))
      #expect(try container.has(alpha, start) == (start < 12))
    }
    #expect(try container.read(beta).end == .end(next: 0))
  }

  @Test(arguments: Kind.allCases) func readsAndWritesCrossFolderBoundaries(kind: Kind) throws {
    let container = try made(kind).container
    var next: UInt32 = 0
    for piece in [998, 1, 1, 1, 1200, 299] as [UInt32] {
      try container.write(next..<next + piece)
      next += piece
      #expect(try container.lastIndex(of: alpha) == next - 1)
    }
    for start in [0, 1, 998, 999, 1000, 1001, 1999, 2000, 2001, 2498, 2499] as [UInt32] {
      #expect(try container.read(from: start) == (start..<2500, .end(next: 2500)))
      #expect(try container.has(alpha, start))
    }
    #expect(try !container.has(alpha, 2500))
    try container.fold(alpha)
    #expect(try container.read() == (0..<2500, .end(next: 2500)))
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func stoppedReadReportsNextIndex(kind: Kind) throws {
    let container = try made(kind).container
    try container.write(0..<1005)
    for stop in [0, 1, 500, 999, 1000, 1004] as [UInt32] {
      let end = try container.readBlocks(of: alpha, from: 0) { index, _ in index < stop }
      #expect(end == .stopped(next: stop))
    }
  }

  @Test(arguments: Kind.allCases) func rewritingSameBlocksChangesNothing(kind: Kind) throws {
    let specimen = try made(kind)
    try specimen.container.write(0..<1005)
    let files = try specimen.folder?.files()
    try specimen.container.write(0..<1005)
    try specimen.container.write(500..<1005)
    try specimen.container.write(1003..<1007)
    #expect(try specimen.container.read() == (0..<1007, .end(next: 1007)))
    #expect(try (specimen.folder?.files().count ?? 0) == (files?.count ?? -2) + 2)
  }

  @Test(arguments: Kind.allCases) func existingBlockIsNeverReplaced(kind: Kind) throws {
    let container = try made(kind).container
    try container.write(0..<1002)
    for index in [0, 1, 999, 1000, 1001] as [UInt32] {
      let other = TestBlock.make(index, content: [1, 2, 3])
      #expect(throws: ContainerError.differs(alpha, index: index, incomplete: false)) {
        _ = try container.writeBlocks(of: alpha, from: index, once(other))
      }
    }
    // The blocks before the one that differs are no reason to go on.
    var next: UInt32 = 999
    #expect(throws: ContainerError.differs(alpha, index: 1001, incomplete: false)) {
      _ = try container.writeBlocks(of: alpha, from: 999) {
        defer { next += 1 }
        return next == 1001 ? TestBlock.make(1001, content: [9]) : next < 1010 ? TestBlock.make(next) : nil
      }
    }
    let (indices, _) = try container.read()
    #expect(indices == 0..<1002)
  }

  @Test(arguments: Kind.allCases) func malformedOrMisplacedBlocksAreRefused(kind: Kind) throws {
    let container = try made(kind).container
    let good = TestBlock.make(7)
    var badMagic = good
    badMagic[2] = 0x42
    var badMode = good
    badMode[3] = 0x08
    var tooLarge = good
    tooLarge[4] = 0xFF
    let cases: [([UInt8], BlockFault)] = [
      ([], .truncated), (Array(good[..<83]), .truncated), (Array(good.dropLast()), .badSize), (good + [0], .badSize),
      (badMagic, .badMagic), (badMode, .badMode), (tooLarge, .badSize), (TestBlock.make(8), .badIndex),
    ]
    for (bytes, fault) in cases {
      #expect(throws: ContainerError.badBlock(alpha, index: 7, fault)) {
        _ = try container.writeBlocks(of: alpha, from: 7) { bytes }
      }
    }
    #expect(throws: ContainerError.badBlock(alpha, index: .max, .badIndex)) {
      _ = try container.writeBlocks(of: alpha, from: .max) { TestBlock.make(.max) }
    }
    #expect(try container.chains().chains == [])
  }

  @Test(arguments: Kind.allCases) func callerErrorsArePropagated(kind: Kind) throws {
    let container = try made(kind).container
    try container.write(0..<3)
    #expect(throws: Interruption.self) {
      _ = try container.readBlocks(of: alpha, from: 0) { _, _ in throw Interruption() }
    }
    let source = TestBlock.source(3..<9)
    var left = 4
    #expect(throws: Interruption.self) {
      _ = try container.writeBlocks(of: alpha, from: 3) {
        left -= 1
        if left == 0 { throw Interruption() }
        return source()
      }
    }
    // What came before may be there; the same call again goes on.
    try container.write(3..<9)
    #expect(try container.read() == (0..<9, .end(next: 9)))
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func chainsAreStoredSeparately(kind: Kind) throws {
    let container = try made(kind).container
    let fork = BranchID(alpha.instance, fork: ForkID(high: 0x00AB_CDEF, low: 9))
    for chain in [beta, fork, alpha] { try container.write(0..<2, to: chain) }
    #expect(try container.chains() == ChainListing(chains: [alpha, fork, beta]))
    try container.write(2..<3, to: fork)
    #expect(try container.lastIndex(of: alpha) == 1)
    #expect(try container.lastIndex(of: fork) == 2)
    #expect(try container.firstIndex(of: alpha) == 0)
    #expect(try container.firstIndex(of: fork) == 0)
  }

  @Test(arguments: Kind.allCases) func missingBlocksAreReportedAsGap(kind: Kind) throws {
    let container = try made(kind).container
    try container.write(0..<3)
    try container.write(5..<7)
    #expect(try container.read() == (0..<3, .gap(index: 3, later: 6)))
    #expect(try container.read(from: 5) == (5..<7, .end(next: 7)))
    try container.write(70_000..<70_001)
    #expect(try container.read(from: 7) == (7..<7, .gap(index: 7, later: 70_000)))
    #expect(try container.read(from: 70_000).indices == 70_000..<70_001)
    try container.write(3..<5)
    #expect(try container.read().indices == 0..<7)
  }

  @Test(arguments: Kind.allCases) func truncatedBlockIsReportedAsIncomplete(kind: Kind) throws {
    let specimen = try made(kind)
    try specimen.container.write(0..<2)
    let whole = TestBlock.make(2)
    for have in 0..<whole.count {
      try specimen.place(Array(whole[..<have]), alpha, 2)
      let want = have < 84 ? 84 : whole.count
      #expect(try specimen.container.read() == (0..<2, .incomplete(index: 2, have: have, want: want)))
      #expect(throws: ContainerError.differs(alpha, index: 2, incomplete: true)) {
        try specimen.container.write(2..<3)
      }
    }
    try specimen.place(whole, alpha, 2)
    #expect(try specimen.container.read() == (0..<3, .end(next: 3)))
  }

  @Test(arguments: Kind.allCases) func corruptBlockIsReportedWithFault(kind: Kind) throws {
    let specimen = try made(kind)
    try specimen.container.write(0..<2)
    let whole = TestBlock.make(1)
    for bit in 0..<12 * 8 {
      var bytes = whole
      bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      try specimen.place(bytes, alpha, 1)
      let end = try specimen.container.readBlocks(of: alpha, from: 0) { _, _ in true }
      switch bit / 8 {
      case 0..<3: #expect(end == .damaged(index: 1, .badMagic))
      // What modes mean is for others to judge; a removed block has a size of its own.
      case 3 where bit == 28: #expect(end == .incomplete(index: 1, have: whole.count, want: 180))
      case 3: #expect(end == .end(next: 2))
      // A larger size that is allowed looks as if more were to come.
      case 4..<8:
        let size = 84 + bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
        let arriving = ReadEnd.incomplete(index: 1, have: whole.count, want: size)
        #expect(end == (size < whole.count || size > 64 << 20 ? .damaged(index: 1, .badSize) : arriving))
      // A first block has one of two modes.
      case 11 where bit == 95: #expect(end == .damaged(index: 1, .badMode))
      default: #expect(end == .damaged(index: 1, .badIndex))
      }
    }
    var huge = whole
    for k in 4..<8 { huge[k] = 0xFF }
    for (bytes, fault) in [(huge, BlockFault.badSize), (whole + [0], .badSize)] {
      try specimen.place(bytes, alpha, 1)
      #expect(try specimen.container.read() == (0..<1, .damaged(index: 1, fault)))
      #expect(throws: ContainerError.differs(alpha, index: 1, incomplete: false)) {
        try specimen.container.write(1..<2)
      }
    }
  }

  @Test(arguments: Kind.allCases) func largeBlocksRoundTrip(kind: Kind) throws {
    let container = try made(kind).container
    let large = TestBlock.make(0, content: [UInt8](repeating: 7, count: 9 << 20))
    let second = TestBlock.make(1, content: [UInt8](repeating: 8, count: 1 << 20))
    var queue = [large, second]
    #expect(try container.writeBlocks(of: alpha, from: 0) { queue.isEmpty ? nil : queue.removeFirst() } == 2)
    var sizes: [Int] = []
    let end = try container.readBlocks(of: alpha, from: 0) { index, bytes in
      #expect((index == 0 ? large : second).withUnsafeBytes { sameBytes($0, bytes) })
      sizes.append(bytes.count)
      return true
    }
    #expect(end == .end(next: 2))
    #expect(sizes == [large.count, second.count])
  }

  /// A folder, a pipe or a link of that name keeps nobody from writing a leaf: it is set aside.
  @Test(arguments: [Kind.directory, .helper]) func obstacleAtPackPathIsRenamed(kind: Kind) throws {
    let stands: [(String) -> Int32] = [{ mkdir($0, 0o777) }, { mkfifo($0, 0o666) }, { symlink("nowhere", $0) }]
    for stand in stands {
      let specimen = try made(kind)
      let folder = try #require(specimen.folder)
      let chain = folder.path("container/transactions/\(alpha)")
      func plant(_ name: String) throws {
        try Path.createDirectories(Path.parent(Path.join(chain, name)))
        #expect(stand(Path.join(chain, name)) == 0)
      }
      try plant("1.blocks")
      try plant("2/1.blocks")
      try specimen.container.write(0..<1000)
      // What is folded later goes past it, too.
      try specimen.container.write(1000..<1600)
      try specimen.container.write(1600..<2000)
      try specimen.container.fold(alpha)
      #expect(try specimen.container.read() == (0..<2000, .end(next: 2000)))
      #expect(try specimen.container.foreignFiles() == ForeignFiles())
      for name in ["1.blocks", "2/1.blocks"] {
        let folder = try Directory(Path.parent(Path.join(chain, name)))
        let names = try folder.list().entries
        #expect(names.contains { $0.name == Path.name(name) && $0.kind == .file })
        #expect(names.contains { Layout.asideName($0.name) == Path.name(name) })
      }
    }
  }

  private func made(_ kind: Kind) throws -> Specimen {
    let specimen = try kind.make()
    try specimen.container.create(Specimen.info)
    return specimen
  }
}
