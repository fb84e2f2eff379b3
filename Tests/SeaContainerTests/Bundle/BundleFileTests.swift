import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// A folder of the test's own, gone afterwards.
final class Ground {
  private let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }
  func names() throws -> [String] { try Directory(scratch.path).list().entries.map(\.name).sorted() }
  var path: String { scratch.path }
  subscript(_ name: String) -> String { scratch.path(name) }
}

@Suite struct BundleFileTests {
  private func put(_ bytes: [UInt8], _ path: String, volume: Int64? = nil) throws -> BundleFile {
    let file = try BundleFile(path, volumeSize: volume)
    try bytes.withUnsafeBytes { try file.write($0) }
    try file.finish()
    return file
  }

  private func readBack(_ path: String) throws -> Digest {
    try BundleReader(.file(path: path), temporary: ScratchBase.onDisk).read(NoVisitor()).digest
  }

  @Test func fileAppearsOnlyWhenComplete() throws {
    let ground = try Ground()
    let (bytes, digest) = try BundleFixture().write(.zstd)
    do {
      let given = try put(bytes, ground["a"])
      #expect(try ground.names().count == 1)
      given.discard()
    }
    #expect(try ground.names() == [])
    let file = try put(bytes, ground["a"])
    try file.verify(digest, temporary: ScratchBase.onDisk)
    try file.commit(replace: false)
    #expect(try ground.names() == ["a"])
    #expect(try readBack(ground["a"]) == digest)
    // A name that is taken is kept, or replaced in one step.
    let second = try put([1], ground["a"])
    #expect(throws: BundleError.self) { try second.commit(replace: false) }
    #expect(try readBack(ground["a"]) == digest)
    try put([1], ground["a"]).commit(replace: true)
    #expect(try File(ground["a"]).readAll(limit: 9) == [1])
    #expect(try ground.names() == ["a"])
  }

  @Test(arguments: [1, 999, 1000, 4096]) func volumesAreJoinedAndMissingOnesReported(_ size: Int) throws {
    let ground = try Ground()
    let (bytes, digest) = try BundleFixture().write(.none)
    let cut = Int64(bytes.count / 5 + size)
    let file = try put(bytes, ground["b.tar"], volume: cut)
    try file.verify(digest, temporary: ScratchBase.onDisk)
    try file.commit(replace: false)
    let names = try ground.names()
    #expect(names == ["b.tar.001", "b.tar.002", "b.tar.003", "b.tar.004", "b.tar.005"])
    var joined: [UInt8] = []
    for name in names { joined += try #require(try File(ground[name]).readAll(limit: 1 << 20)) }
    #expect(joined == bytes)
    for name in names + ["b.tar"] { #expect(try readBack(ground[name]) == digest) }

    for (k, name) in names.enumerated() where k > 0 {
      try Path.rename(ground[name], to: ground["away"])
      #expect(throws: BundleError.missingVolume(name)) { try readBack(ground["b.tar"]) }
      #expect(throws: BundleError.missingVolume(name)) { try readBack(ground["b.tar.001"]) }
      try Path.rename(ground["away"], to: ground[name])
    }
    for name in names {
      let whole = try #require(try File(ground[name]).readAll(limit: 1 << 20))
      try AtomicFile.write(ground[name], Array(whole.dropLast()), replace: true)
      #expect(throws: BundleError.incompleteVolume(name)) { try readBack(ground["b.tar"]) }
      try AtomicFile.write(ground[name], whole, replace: true)
    }
    try Path.rename(ground["b.tar.001"], to: ground["away"])
    #expect(throws: BundleError.missingVolume("b.tar.001")) { try readBack(ground["b.tar"]) }
    // What takes the place of volumes leaves none of them.
    try Path.rename(ground["away"], to: ground["b.tar.001"])
    try put(bytes, ground["b.tar"]).commit(replace: true)
    #expect(try ground.names() == ["b.tar"])
    try put(bytes, ground["b.tar"], volume: Int64(bytes.count) - 1).commit(replace: true)
    #expect(try ground.names() == ["b.tar.001", "b.tar.002"])
    #expect(throws: BundleError.self) { try put(bytes, ground["b.tar"]).commit(replace: false) }
    #expect(try ground.names() == ["b.tar.001", "b.tar.002"])
  }

  /// Somebody's file may end in a number.
  @Test(arguments: [[1], [2], [1, 2], [1, 10], [10]]) func foreignNumberedFileIsKept(_ numbers: [Int]) throws {
    let ground = try Ground()
    let (bytes, digest) = try BundleFixture().write(.none)
    for number in numbers { try AtomicFile.write(ground[BundleVolumes.name("b", number)], [7], replace: false) }
    let before = try ground.names()
    #expect(throws: BundleError.self) {
      try put(bytes, ground["b"], volume: Int64(bytes.count) - 1).commit(replace: true)
    }
    #expect(try ground.names() == before)
    try put(bytes, ground["b"]).commit(replace: true)
    #expect(try ground.names() == ["b"] + before)
    #expect(try readBack(ground["b"]) == digest)
    for name in before { #expect(try File(ground[name]).readAll(limit: 9) == [7]) }
  }

  @Test func verifyDetectsChangedBytes() throws {
    let ground = try Ground()
    var (bytes, digest) = try BundleFixture().write(.none)
    bytes[bytes.count / 2] ^= 1
    let file = try put(bytes, ground["c"])
    #expect(throws: BundleError.differsFromWritten(path: ground["c"])) {
      try file.verify(digest, temporary: ScratchBase.onDisk)
    }
  }

  @Test func abandonedTemporaryFilesAreRemoved() throws {
    let ground = try Ground()
    let living = try put([1], ground["d"])
    let name = try #require(try ground.names().first)
    let dead = String(name.dropLast(4)) + "dead"
    try AtomicFile.write(ground[dead], [2], replace: false)
    let foreign = try AtomicFile.temporaryName()
    try AtomicFile.write(ground[foreign], [3], replace: false)
    try put([4], ground["e"]).commit(replace: false)
    #expect(try ground.names() == [foreign, name, "e"].sorted())
    try living.commit(replace: false)
    #expect(try ground.names() == [foreign, "d", "e"].sorted())
  }

  @Test func bundleUnpacksIntoContainer() throws {
    let ground = try Ground()
    let fixture = BundleFixture()
    let (bytes, _) = try fixture.write(.gzip)
    try put(bytes, ground["f"]).commit(replace: false)
    try Directory(ground.path).createDirectory("out")
    let folder = try Directory(ground["out"])
    _ = try BundleReader(.file(path: ground["f"]), temporary: ScratchBase.onDisk).unpack(into: folder) {
      if case .backup = $0.path { false } else { true }
    }
    let container = DirectoryContainer(ground["out"])
    #expect(try container.info() == fixture.manifest.info)
    #expect(try container.foreignFiles() == ForeignFiles())
    #expect(try container.lastIndex(of: BranchID(BundleFixture.instance)) == 4)
    for file in fixture.files {
      let there = try Path.exists(Path.join(ground["out"], file.path.text))
      if case .backup = file.path {
        #expect(!there)
      } else {
        #expect(there)
        #expect(try File(Path.join(ground["out"], file.path.text)).readAll(limit: 1 << 20) == file.bytes)
      }
    }
    _ = TemporaryTree.remove(ground["out"])
  }
}

enum TemporaryTree {
  static func remove(_ path: String) -> Bool {
    guard let folder = try? Directory(path), let listing = try? folder.list() else { return false }
    for entry in listing.entries {
      if entry.kind == .directory { _ = remove(Path.join(path, entry.name)) }
      _ = try? folder.remove(entry.name)
      _ = try? folder.removeDirectory(entry.name)
    }
    return true
  }
}
