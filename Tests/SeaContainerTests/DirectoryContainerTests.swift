import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// What only a container in a folder can meet.
@Suite struct DirectoryContainerTests {
  let folder: ScratchFolder
  let container: DirectoryContainer
  let chain = "container/transactions/\(alpha)"

  init() throws {
    folder = try ScratchFolder()
    container = DirectoryContainer(folder.path("container"))
    try container.create(Specimen.info)
  }

  @Test func blockFilesFollowFormat() throws {
    try container.write(0..<3)
    try container.write(1000..<1002)
    try container.write(1_000_000..<1_000_001)
    let below = "container/transactions/\(alpha)/"
    #expect(
      try folder.files() == ["container/info.json"]
        + ["1/0", "1/1", "1/2", "2/1/0", "2/1/1", "3/1/0/0"].map { below + $0 })
    #expect(try folder.bytes(below + "2/1/1") == TestBlock.make(1001))
    #expect(try folder.bytes("container/info.json") == Array(Specimen.info.text.utf8))
  }

  @Test func firstIndexIsFoundFromFileNames() throws {
    for (start, count) in [(4_000_000_000, 1), (1_234_000, 1000), (1_000_007, 1), (2001, 3), (1000, 2)]
      as [(UInt32, UInt32)]
    {
      try container.write(start..<start + count)
      #expect(try container.firstIndex(of: alpha) == start)
      #expect(try container.lastIndex(of: alpha) == 4_000_000_000)
    }
    // Folders with nothing in them, and a folded file beside a folder that has less.
    try folder.write("\(chain)/1/x", [])
    try folder.write("\(chain)/2/0/1", [])
    #expect(try container.firstIndex(of: alpha) == 1000)
    try container.write(0..<1001)
    #expect(try folder.files().contains("\(chain)/1.blocks"))
    #expect(try container.firstIndex(of: alpha) == 0)
  }

  @Test func fullFolderIsWrittenAsPack() throws {
    try container.write(0..<3002)
    let names = ["1.blocks", "2/1.blocks", "2/2.blocks", "2/3/0", "2/3/1"]
    #expect(try folder.files() == ["container/info.json"] + names.map { "\(chain)/\($0)" })
    #expect(try folder.bytes("\(chain)/2/2.blocks") == (2000..<3000).flatMap { TestBlock.make($0) })
    #expect(try container.lastIndex(of: alpha) == 3001)
  }

  @Test func folderThatBecomesFullIsPacked() throws {
    try container.write(0..<7)
    try container.write(7..<990)
    #expect(try folder.files().count == 991)
    try container.write(990..<1001)
    #expect(try folder.files() == ["container/info.json", "\(chain)/1.blocks", "\(chain)/2/1/0"])
    #expect(try folder.bytes("\(chain)/1.blocks") == (0..<1000).flatMap { TestBlock.make($0) })
    #expect(try Path.status(folder.path("\(chain)/1")) == nil)
    #expect(try container.read() == (0..<1001, .end(next: 1001)))
  }

  @Test func folderWithGapIsNotPacked() throws {
    try container.write(0..<5)
    try container.write(6..<1000)
    #expect(try folder.files().count == 1000)
    #expect(try container.read() == (0..<5, .gap(index: 5, later: 999)))
    try container.write(5..<6)
    #expect(try container.fold(alpha) == 1)
    #expect(try folder.files() == ["container/info.json", "\(chain)/1.blocks"])
    #expect(try container.fold(alpha) == 0)
    #expect(try container.read() == (0..<1000, .end(next: 1000)))
  }

  @Test func hundredThousandBlocksNeedFewHundredFiles() throws {
    let writer = CountingContainer(container)
    try writer.write(0..<100_000)
    #expect(writer.blocksWritten == 100_000)
    #expect(try folder.files().count <= 400)
    var count = 0
    let end = try container.readBlocks(of: alpha, from: 0) { _, bytes in
      count += 1
      return bytes.count >= 84
    }
    #expect(end == .end(next: 100_000) && count == 100_000)
    #expect(try container.read(from: 99_990) == (99_990..<100_000, .end(next: 100_000)))
  }

  @Test func packLargerThanBufferIsWritten() throws {
    // More than is kept in memory, with blocks of the same folder there before and after.
    let piece = [UInt8](repeating: 5, count: 40_000)
    func source(_ range: Range<UInt32>) -> () -> [UInt8]? {
      var next = range.lowerBound
      return {
        guard next < range.upperBound else { return nil }
        defer { next += 1 }
        return TestBlock.make(next, content: piece)
      }
    }
    #expect(try container.writeBlocks(of: alpha, from: 0, source(0..<250)) == 250)
    #expect(try folder.files().count == 251)
    #expect(try container.writeBlocks(of: alpha, from: 200, source(200..<1250)) == 1050)
    #expect(try folder.files().count == 252)
    var count = 0
    let end = try container.readBlocks(of: alpha, from: 0) { index, bytes in
      count += bytes.count == 40_148 ? 1 : 0
      return true
    }
    #expect(end == .end(next: 1250) && count == 1250)
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test func concatenatedBlocksAreAValidPack() throws {
    for range in [0..<1000, 1000..<2000] as [Range<UInt32>] {
      let name = Layout.Leaf(containing: range.lowerBound).foldedPath
      try folder.write("\(chain)/\(name)", range.flatMap { TestBlock.make($0) })
    }
    #expect(try container.read(from: 990) == (990..<2000, .end(next: 2000)))
    try container.write(1990..<2003)
    #expect(try container.read() == (0..<2003, .end(next: 2003)))
    #expect(throws: ContainerError.differs(alpha, index: 1500, incomplete: false)) {
      _ = try container.writeBlocks(of: alpha, from: 1500, once(TestBlock.make(1500, content: [0])))
    }
  }

  @Test func truncatedPackYieldsBlocksBeforeCut() throws {
    let blocks = (0..<1000).map { TestBlock.make($0) }
    let whole = blocks.flatMap { $0 }
    let start = blocks[..<997].reduce(0) { $0 + $1.count }
    for cut in Array(0..<200) + Array(start..<whole.count) {
      try folder.write("\(chain)/1.blocks", Array(whole[..<cut]))
      var end = 0
      var index = 0
      while end + blocks[index].count <= cut {
        end += blocks[index].count
        index += 1
      }
      let want = cut - end < 84 ? 84 : blocks[index].count
      let expected = ReadEnd.incomplete(index: UInt32(index), have: cut - end, want: want)
      let from: UInt32 = cut < 200 ? 0 : 990
      #expect(try container.read(from: from) == (from..<UInt32(index), expected))
      #expect(try container.read(from: 999) == (999..<999, .incomplete(index: 999, have: cut - end, want: want)))
    }
    // The files of the folder stand in for what is missing.
    try folder.write("\(chain)/1.blocks", Array(whole[..<start]))
    for index in UInt32(995)..<1000 { try folder.write("\(chain)/1/\(index)", blocks[Int(index)]) }
    #expect(try container.read() == (0..<1000, .end(next: 1000)))
    #expect(try container.fold(alpha) == 0)
    #expect(try container.read(from: 998) == (998..<1000, .end(next: 1000)))
  }

  @Test func damagedPackReportsDamagedBlock() throws {
    var blocks = (0..<1000).map { TestBlock.make($0) }
    blocks[500] = TestBlock.make(501)
    try folder.write("\(chain)/1.blocks", blocks.flatMap { $0 })
    #expect(try container.read() == (0..<500, .damaged(index: 500, .badIndex)))
    #expect(try container.read(from: 600) == (600..<600, .damaged(index: 600, .badIndex)))
    blocks[500] = TestBlock.make(500)
    try folder.write("\(chain)/1.blocks", blocks.flatMap { $0 } + [0])
    #expect(try container.read() == (0..<999, .damaged(index: 999, .badSize)))
    try container.write(999..<1000)
    #expect(try container.read() == (0..<1000, .end(next: 1000)))
  }

  @Test func interruptedPackingIsResumed() throws {
    try container.write(0..<1000)
    for index in [3, 500, 999] as [UInt32] { try folder.write("\(chain)/1/\(index)", TestBlock.make(index)) }
    #expect(try container.read() == (0..<1000, .end(next: 1000)))
    #expect(try container.fold(alpha) == 1)
    #expect(try folder.files() == ["container/info.json", "\(chain)/1.blocks"])
    // What does not agree is not thrown away, and neither is a stranger.
    try folder.write("\(chain)/1/7", TestBlock.make(7, content: [1]))
    #expect(try container.fold(alpha) == 0)
    try folder.write("\(chain)/1/7", TestBlock.make(7))
    try folder.write("\(chain)/1/7 (copy)", [1])
    #expect(try container.fold(alpha) == 1)
    #expect(try container.foreignFiles().unknown == ["transactions/\(alpha)/1/7 (copy)"])
  }

  @Test func foreignFilesAreIgnoredAndReported() throws {
    try container.write(0..<1002)
    try container.write(0..<3, to: beta)
    let temporary = try AtomicFile.temporaryName()
    let strangers = [
      ".DS_Store", "INFO.JSON", "transactions/.DS_Store", "transactions/\(alpha)~1", "transactions/\(beta) 2/1/0",
      "transactions/\(alpha)/2/1/1 (conflicted copy)", "transactions/\(alpha)/2/1/01", "transactions/\(alpha)/2/1/1000",
      "transactions/\(alpha)/2/1.blocks~", "transactions/\(alpha)/2/1/5.blocks", "transactions/\(alpha)/5/1/0/0/0/0",
      "transactions/\(alpha)/2/0/7", "transactions/\(alpha)/3/1.blocks", "transactions/\(alpha)/.sea-tmp-1",
      "assets/x", "keys/slot", "assets/\(alpha)/2/1.blocks", "transactions/\(alpha)/4/5/0/0/0",
    ]
    for name in strangers { try folder.write("container/" + name, [1]) }
    try folder.write("container/assets/\(beta)/2/1/7", [1])
    try folder.write("container/keys/\(String(repeating: "ab", count: 32))", [1])
    try folder.write("container/transactions/\(alpha)/2/1/\(temporary)", [1])
    let found = try container.foreignFiles()
    #expect(found.temporary == ["transactions/\(alpha)/2/1/\(temporary)"])
    let folders = [
      "transactions/\(beta) 2", "transactions/\(alpha)/5", "transactions/\(alpha)/2/0", "transactions/\(alpha)/4/5",
    ]
    let cut = strangers.map { name in folders.first { name.hasPrefix($0 + "/") } ?? name }
    #expect(found.unknown == cut.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(
      try container.chains() == ChainListing(chains: [alpha, beta], foreign: [".DS_Store", "\(alpha)~1", "\(beta) 2"]))
    #expect(try container.read() == (0..<1002, .end(next: 1002)))
    #expect(try container.lastIndex(of: alpha) == 1001)
  }

  /// Whoever may write there makes nobody hold, or go through, more than that.
  @Test func strayFileListIsLimited() throws {
    for number in 0..<Layout.mostStrays + 20 { try folder.write("container/junk/\(number % 7)/\(number)", []) }
    #expect(try container.strays().count == Layout.mostStrays)
    for number in 0..<Layout.mostStrays + 20 { try folder.write("\(chain)/junk/\(number)", []) }
    #expect(try container.survey(alpha).strays.count == Layout.mostStrays)
  }

  @Test func nonUTF8NamesAreReported() throws {
    let path = folder.path("container/transactions/").utf8CString.dropLast() + [-1, 0]
    #expect(path.withUnsafeBufferPointer { mkdir($0.baseAddress!, 0o777) } == 0)
    #expect(try container.chains().foreign == ["\u{FFFD}"])
    #expect(try container.foreignFiles().unknown == ["transactions/\u{FFFD}"])
    #expect(path.withUnsafeBufferPointer { rmdir($0.baseAddress!) } == 0)
  }

  /// What lies too deep, and what has no text for a name, is said not to have been looked at.
  @Test func everyFileIsVisitedOrReported() throws {
    let deep = (0..<101).map { _ in "d" }.joined(separator: "/")
    let names = ["keys/x/y", "heads/\(alpha.instance)", ".sea-tmp-x", String(deep.dropLast(2)) + "/f", "\(deep)/f"]
    for name in names { try folder.write("container/\(name)", [1]) }
    let path = folder.path("container/keys/").utf8CString.dropLast() + [-1, 0]
    #expect(path.withUnsafeBufferPointer { mkdir($0.baseAddress!, 0o777) } == 0)
    var found: [String: Int64] = [:]
    let unseen = try container.forEachFile { found[$0.path] = $0.size }
    #expect(unseen.sorted() == [deep, "keys/\u{FFFD}"])
    #expect(found.removeValue(forKey: Layout.info) != nil)
    #expect(found == Dictionary(names.dropLast().map { ($0, 1) }) { one, _ in one })
  }

  @Test func linksAndNonFilesAreNotOpened() throws {
    try container.write(0..<2)
    let place = folder.path("\(chain)/1/2")
    func check() throws {
      // What is no file counts as a name, so that nobody takes the chain for complete.
      #expect(try container.read() == (0..<2, .gap(index: 2, later: 2)))
      #expect(try container.lastIndex(of: alpha) == 2)
      #expect(try !container.has(alpha, 2))
      #expect(try container.foreignFiles() == ForeignFiles(unknown: ["transactions/\(alpha)/1/2"]))
      // It does not keep anybody from writing the block, and stays beside it under another name.
      try container.write(2..<3)
      #expect(try container.read() == (0..<3, .end(next: 3)))
      let leaf = try Directory(Path.parent(place)).list().entries.filter { $0.kind != .file }
      #expect(leaf.count == 1 && Layout.asideName(leaf[0].name) == "2")
      if leaf[0].kind == .directory {
        try Path.removeDirectory(Path.join(Path.parent(place), leaf[0].name))
      } else {
        try Path.remove(Path.join(Path.parent(place), leaf[0].name))
      }
      try Path.remove(place)
    }
    #expect(mkfifo(place, 0o666) == 0)
    try check()
    try folder.write("elsewhere", [1])
    #expect(symlink(folder.path("elsewhere"), place) == 0)
    try check()
    #expect(try folder.bytes("elsewhere") == [1])
    #expect(mkdir(place, 0o777) == 0)
    try check()
    // A whole chain behind a link is none of ours.
    let other = folder.path("container/transactions/\(beta)")
    #expect(symlink(folder.path(chain), other) == 0)
    #expect(try container.read(beta).end == .end(next: 0))
    #expect(try container.lastIndex(of: beta) == nil)
    #expect(try container.chains().foreign == [beta.description])
    // It does not keep anybody from writing the chain.
    try container.write(0..<1, to: beta)
    #expect(try container.read(beta) == (0..<1, .end(next: 1)))
    #expect(try container.read() == (0..<2, .end(next: 2)))
  }

  @Test func oversizedBlockFileIsNotRead() throws {
    try container.write(0..<1)
    var header = Array(TestBlock.make(1)[..<84])
    for (k, byte) in [0x03, 0xFF, 0xFF, 0xB0].enumerated() { header[4 + k] = UInt8(byte) }
    let file = try File(folder.path("\(chain)/1/1"), [.write, .create])
    try file.write(header)
    try file.truncate(to: 1 << 40)
    try file.close()
    #expect(try container.read() == (0..<1, .damaged(index: 1, .badSize)))
  }
}
