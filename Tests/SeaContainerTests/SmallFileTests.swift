import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// What Container promises of small files, held against every kind, and what only a folder can meet.
@Suite struct SmallFileTests {
  private let slot = String(repeating: "ab", count: 32)
  private let request = "00000000-0000-aaaa-0000-000000000001"

  private func made(_ kind: Kind) throws -> any Container {
    let container = try kind.make().container
    try container.create(Specimen.info)
    return container
  }

  private func fault(_ body: () throws -> Void) -> SmallFileFault? {
    do {
      try body()
    } catch ContainerError.badFile(let fault, _) {
      return fault
    } catch {}
    return nil
  }

  @Test(arguments: Kind.allCases) func readReturnsWrittenFile(kind: Kind) throws {
    let container = try made(kind)
    for (folder, name) in [(SmallFolder.keys, slot), (.requests, request)] {
      #expect(try container.names(in: folder) == [])
      #expect(try container.read(name, in: folder) == nil)
      try container.remove(name, in: folder)
      for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 65536)] {
        try container.write(name, bytes, in: folder)
        try container.write(name, bytes, in: folder)
        #expect(try container.names(in: folder) == [name])
        #expect(try container.read(name, in: folder) == bytes)
        #expect(fault { try container.write(name, bytes + [4], in: folder) } != nil)
        #expect(try container.read(name, in: folder) == bytes)
        try container.remove(name, in: folder)
        #expect(try container.names(in: folder) == [])
        #expect(try container.read(name, in: folder) == nil)
      }
    }
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func existingFileIsNeverReplaced(kind: Kind) throws {
    let container = try made(kind)
    try container.write(slot, [1, 2], in: .keys)
    for other in [[], [1], [1, 3], [1, 2, 3]] as [[UInt8]] {
      #expect(fault { try container.write(slot, other, in: .keys) } == .differs)
    }
    #expect(try container.read(slot, in: .keys) == [1, 2])
  }

  @Test(arguments: Kind.allCases) func namesAreListedInOrder(kind: Kind) throws {
    let container = try made(kind)
    let names = (0..<20).map { SHA256.hash([UInt8($0)]).description }
    for name in names { try container.write(name, [1], in: .keys) }
    #expect(try container.names(in: .keys) == names.sorted())
    #expect(try container.names(in: .requests) == [])
    #expect(try container.chains() == ChainListing())
  }

  @Test(arguments: Kind.allCases) func invalidNamesAndSizesAreRefused(kind: Kind) throws {
    let container = try made(kind)
    let wrong: [(SmallFolder, String)] = [
      (.keys, ""), (.keys, "."), (.keys, "../info.json"), (.keys, String(slot.dropLast())), (.keys, slot.uppercased()),
      (.keys, slot + "\0"), (.keys, request), (.requests, slot), (.requests, request.uppercased()),
      (.requests, request + "~"), (.requests, "../keys/" + slot),
    ]
    for (folder, name) in wrong {
      #expect(fault { try container.write(name, [1], in: folder) } == .name, "\(name)")
      #expect(fault { _ = try container.read(name, in: folder) } == .name, "\(name)")
      #expect(fault { try container.remove(name, in: folder) } == .name, "\(name)")
    }
    let large = [UInt8](repeating: 0, count: 65537)
    #expect(fault { try container.write(slot, large, in: .keys) } == .tooLarge)
    #expect(try container.names(in: .keys) == [] && container.names(in: .requests) == [])
  }

  @Test(arguments: Kind.allCases) func onlySummaryFilesAreReplaced(kind: Kind) throws {
    let container = try made(kind)
    for bytes in [[1], [2, 3], [] as [UInt8]] {
      try container.write(request, bytes, in: .heads)
      #expect(try container.read(request, in: .heads) == bytes)
    }
    #expect(try container.names(in: .heads) == [request])
    #expect(try container.names(in: .requests) == [])
    try container.write(request, [1], in: .requests)
    #expect(fault { try container.write(request, [2], in: .requests) } == .differs)
    #expect(fault { try container.write(slot, [1], in: .heads) } == .name)
  }

  @Test(arguments: Kind.allCases) func writeRequiresContainer(kind: Kind) throws {
    let container = try kind.make().container
    #expect(throws: ContainerError.self) { try container.write(slot, [1], in: .keys) }
  }

  @Test func directoryStoresFilesByName() throws {
    let folder = try ScratchFolder()
    let container = DirectoryContainer(folder.path("c"))
    try container.create(Specimen.info)
    try container.write(slot, [1], in: .keys)
    try container.write(request, [2], in: .requests)
    #expect(try folder.files() == ["c/info.json", "c/keys/\(slot)", "c/requests/\(request)"])
    let temporary = try AtomicFile.temporaryName()
    for name in ["keys/\(request)", "keys/\(slot) (copy)", "requests/x", "requests/\(slot)", "keys/\(temporary)"] {
      try folder.write("c/" + name, [1])
    }
    #expect(
      try container.foreignFiles()
        == ForeignFiles(
          unknown: ["keys/\(request)", "keys/\(slot) (copy)", "requests/\(slot)", "requests/x"],
          temporary: ["keys/\(temporary)"]))
    #expect(try container.names(in: .keys) == [slot])
    #expect(try container.names(in: .requests) == [request])
    try folder.write("c/keys/\(slot)", [UInt8](repeating: 1, count: 65537))
    #expect(fault { _ = try container.read(slot, in: .keys) } == .tooLarge)
    #expect(fault { try container.write(slot, [1], in: .keys) } == .tooLarge)
  }

  @Test func linksAndNonFilesAreNotOpened() throws {
    let folder = try ScratchFolder()
    let container = DirectoryContainer(folder.path("c"))
    try container.create(Specimen.info)
    try folder.write("elsewhere/\(slot)", [1])
    let keys = folder.path("c/keys")
    #expect(symlink(folder.path("elsewhere"), keys) == 0)
    #expect(try container.names(in: .keys) == [])
    #expect(try container.read(slot, in: .keys) == nil)
    // What is in the way is set aside, and never written through.
    try container.write(slot, [2], in: .keys)
    #expect(try container.read(slot, in: .keys) == [2] && folder.bytes("elsewhere/\(slot)") == [1])
    try container.remove(slot, in: .keys)
    let place = Path.join(keys, slot)
    let ways: [() -> Int32] = [
      { symlink(folder.path("elsewhere/\(slot)"), place) }, { mkfifo(place, 0o666) }, { mkdir(place, 0o777) },
    ]
    for way in ways {
      #expect(way() == 0)
      #expect(try container.names(in: .keys) == [])
      #expect(try container.read(slot, in: .keys) == nil)
      #expect(throws: ContainerError.nameTaken(path: place)) { try container.remove(slot, in: .keys) }
      #expect(try container.foreignFiles().unknown == ["keys/\(slot)"])
      try container.write(slot, [2], in: .keys)
      #expect(try container.read(slot, in: .keys) == [2] && folder.bytes("elsewhere/\(slot)") == [1])
      try container.remove(slot, in: .keys)
    }
  }

  @Test func directoryListingStopsAtLimit() throws {
    let folder = try ScratchFolder()
    for n in 0..<20 { try folder.write("d/\(n)", []) }
    #expect(try Directory(folder.path("d")).list(most: 7).entries.count == 7)
    #expect(try Directory(folder.path("d")).list().entries.count == 20)
  }

  @Test func concurrentWritersOfSameFileSucceed() throws {
    let folder = try ScratchFolder()
    let path = folder.path("c")
    try DirectoryContainer(path).create(Specimen.info)
    let failures = Threads.run(4) { _ in
      let container = DirectoryContainer(path)
      for n in 0..<50 { try container.write(SHA256.hash([UInt8(n)]).description, [UInt8(n)], in: .keys) }
    }
    #expect(failures.isEmpty, "\(failures)")
    #expect(try folder.files().count == 51)
  }
}
