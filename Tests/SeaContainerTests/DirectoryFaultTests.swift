import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Places that are no container, that cannot be written, and writers that meet or die.
@Suite struct DirectoryFaultTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func failure(_ body: () throws -> Void) -> ContainerError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ContainerError
    }
  }

  @Test func invalidContainerIsReportedWithReason() throws {
    let missing = folder.path("missing")
    #expect(throws: ContainerError.missing(path: missing)) { try DirectoryContainer(missing).info() }
    try folder.write("file", [1])
    for path in [folder.path, folder.path("file"), folder.path("file/below")] {
      #expect(throws: ContainerError.notAContainer(path: path)) { try DirectoryContainer(path).info() }
      #expect(throws: ContainerError.notAContainer(path: path)) { try DirectoryContainer(path).write(0..<1) }
    }
    #expect(try folder.files() == ["file"])
    let fault = failure { try DirectoryContainer(folder.path("file/below")).create(Specimen.info) }
    guard case .system(let error) = fault else { throw Interruption() }
    #expect(error.errno == ENOTDIR)
    #expect(mkfifo(folder.path("info.json"), 0o666) == 0)
    #expect(throws: ContainerError.notAContainer(path: folder.path)) { try DirectoryContainer(folder.path).info() }
    try Path.remove(folder.path("info.json"))
    try folder.write("info.json", [])
    #expect(throws: ContainerError.badInfo(.notJSON, path: folder.path("info.json"))) {
      try DirectoryContainer(folder.path).info()
    }
    try folder.write("info.json", [UInt8](repeating: 0x20, count: 70_000))
    #expect(throws: ContainerError.badInfo(.tooLong, path: folder.path("info.json"))) {
      try DirectoryContainer(folder.path).info()
    }
  }

  @Test func unwritablePathIsReported() throws {
    // /proc refuses whoever asks.
    let fault = failure { try DirectoryContainer("/proc/sea").create(Specimen.info) }
    guard case .system(let error) = fault else { throw Interruption() }
    #expect(error.isDenied || error.isReadOnly || error.isMissing)
    let existing = failure { try DirectoryContainer("/proc").create(Specimen.info) }
    guard case .system = existing else { throw Interruption() }
  }

  @Test func folderWithoutInfoFileIsNoContainer() throws {
    let path = folder.path("c")
    try folder.write("c/\(try AtomicFile.temporaryName())", Array(Specimen.info.text.utf8))
    #expect(throws: ContainerError.notAContainer(path: path)) { try DirectoryContainer(path).info() }
    try DirectoryContainer(path).create(Specimen.info)
    #expect(try DirectoryContainer(path).info() == Specimen.info)
  }

  @Test func failedWriteLeavesConsistentContainer() throws {
    let container = DirectoryContainer(folder.path("c"))
    try container.create(Specimen.info)
    let big = [UInt8](repeating: 1, count: 3 << 20)
    var left = 6
    #expect(throws: Interruption.self) {
      _ = try container.writeBlocks(of: alpha, from: 0) {
        left -= 1
        if left == 0 { throw Interruption() }
        return TestBlock.make(UInt32(5 - left), content: big)
      }
    }
    #expect(try folder.files() == ["c/info.json"])
    let faulty = FaultyContainer(container)
    faulty.blocksBeforeFailure = 1500
    #expect(throws: FaultyContainer.failure) { try faulty.write(0..<2500) }
    #expect(try container.read() == (0..<1500, .end(next: 1500)))
    try faulty.write(0..<2500)
    faulty.visible = 2100
    #expect(try faulty.read() == (0..<2100, .end(next: 2100)))
    #expect(try faulty.lastIndex(of: alpha) == 2099)
    faulty.visible = nil
    faulty.incomplete = (2000, 83)
    #expect(try faulty.read() == (0..<2000, .incomplete(index: 2000, have: 83, want: 84)))
    faulty.incomplete = nil
    faulty.callsBeforeFailure = 1
    #expect(try faulty.has(alpha, 0))
    #expect(throws: FaultyContainer.failure) { try faulty.chains() }
    #expect(try faulty.read().indices == 0..<2500)
  }

  @Test func concurrentWritersOfSameChainLoseNothing() throws {
    let path = folder.path("c")
    try DirectoryContainer(path).create(Specimen.info)
    // Steps of different sizes: some fold whole folders, some write singles into folders that others fold.
    let steps: [UInt32] = [3100, 620, 1000, 333]
    let failures = Threads.run(steps.count) { number in
      let container = DirectoryContainer(path)
      var next: UInt32 = 0
      while next < 3100 {
        let end = min(3100, next + steps[number])
        try container.write(next..<end)
        guard try container.read().indices.upperBound >= end else { throw WrongBlock(index: end) }
        next = end
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    let container = DirectoryContainer(path)
    #expect(try container.read() == (0..<3100, .end(next: 3100)))
    try container.fold(alpha)
    #expect(try container.read() == (0..<3100, .end(next: 3100)))
    #expect(try container.foreignFiles() == ForeignFiles())
    #expect(try folder.files().count == 104)
  }

  /// What a reader has looked for in vain is looked for again: a writer may make the folder while it waits.
  @Test func folderCreatedLaterIsFound() throws {
    let container = DirectoryContainer(folder.path("c"))
    try container.create(Specimen.info)
    var files = LeafFiles(container.folders, alpha)
    for range in [UInt32(0)..<3, 1000..<1003] {
      let leaf = Layout.Leaf(containing: range.lowerBound)
      let before = try files.open(leaf, range.lowerBound)
      #expect(before == nil)
      try container.write(range)
      let after = try files.open(leaf, range.lowerBound)
      #expect(after != nil)
      try container.write(range.upperBound..<leaf.last + 1)
      let whole = try files.open(leaf, nil)
      #expect(whole != nil)
      let single = try files.open(leaf, range.lowerBound)
      #expect(single == nil)
    }
  }

  @Test func readersSeeAPrefixWhileAWriterWrites() throws {
    let path = folder.path("c")
    let end = folder.path("end")
    try DirectoryContainer(path).create(Specimen.info)
    let failures = Threads.run(2) { number in
      let container = DirectoryContainer(path)
      if number == 0 {
        // Also when it fails: the reader would wait for ever.
        defer { try? Path.createDirectories(end) }
        for start in stride(from: UInt32(0), to: 2200, by: 55) { try container.write(start..<start + 55) }
        return
      }
      var have: UInt32 = 0
      while have < 2200 {
        let isOver = try Path.exists(end)
        let (indices, found) = try container.read()
        guard found == .end(next: indices.upperBound), indices.upperBound >= (isOver ? 2200 : have) else {
          throw WrongBlock(index: have)
        }
        have = indices.upperBound
      }
    }
    #expect(failures.isEmpty, "\(failures)")
  }
}
