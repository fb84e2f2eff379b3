import Glibc
import SeaSystem
import SeaTestSupport
import Testing

/// Folders for files that programs get.
@Suite struct TemporaryFolderTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func make() throws -> TemporaryFolder { try TemporaryFolder(in: scratch.path, named: "tmp") }
  private func names() throws -> [String] { try Directory(scratch.path("tmp")).list().entries.map(\.name).sorted() }

  @Test func folderIsPrivateToUser() throws {
    let folder = try make()
    try folder.write("ours", [1, 2])
    #expect(try Path.status(scratch.path("tmp"))?.mode == 0o700)
    #expect(try Path.status(folder.path)?.mode == 0o700)
    #expect(try Path.status(folder.path(of: "ours"))?.mode == 0o600)
    #expect(try folder.read("ours", limit: 2) == [1, 2])
    #expect(try folder.read("ours", limit: 1) == nil)
    #expect(throws: SystemError.self) { try folder.read("theirs", limit: 1) }
  }

  @Test func folderIsRemovedWithItsContents() throws {
    try scratch.write("outside", [7])
    do {
      let folder = try make()
      try folder.write("ours", [1])
      try Path.createDirectories(folder.path(of: "a/b/c"))
      try AtomicFile.write(folder.path(of: "a/b/file"), [1], replace: false)
      #expect(symlink(scratch.path, folder.path(of: "a/link")) == 0)
      #expect(link(scratch.path("outside"), folder.path(of: "hard")) == 0)
      #expect(mkfifo(folder.path(of: "pipe"), 0o600) == 0)
    }
    #expect(try names() == [])
    #expect(try scratch.bytes("outside") == [7])
  }

  @Test func onlyRegularFilesAreRead() throws {
    try scratch.write("outside", [7])
    let folder = try make()
    #expect(symlink(scratch.path("outside"), folder.path(of: "link")) == 0)
    #expect(mkfifo(folder.path(of: "pipe"), 0o600) == 0)
    try Path.createDirectories(folder.path(of: "folder"))
    for name in ["link", "pipe", "folder"] {
      #expect(throws: SystemError.self) { try folder.read(name, limit: 100) }
    }
    #expect(throws: SystemError.self) { try folder.write("link", [1]) }
    #expect(try scratch.bytes("outside") == [7])
  }

  @Test func abandonedFoldersAreRemoved() throws {
    let alive = try make()
    let left = scratch.path("tmp/left")
    try Path.createDirectories(Path.join(left, "deep"))
    try scratch.write("tmp/kept.json", [1])
    try scratch.write("tmp/old.json", [1])
    let long = timeval(tv_sec: 1_000_000_000, tv_usec: 0)
    #expect(utimes(scratch.path("tmp/old.json"), [long, long]) == 0)
    let second = try make()
    #expect(try names() == [Path.name(alive.path), Path.name(second.path), "kept.json"].sorted())
    second.remove()
    second.remove()
    #expect(try names() == [Path.name(alive.path), "kept.json"].sorted())
  }

  @Test func keptFileSurvivesItsFolder() throws {
    let kept = try make().keep([1, 2], ending: ".json")
    #expect(try Path.status(kept)?.mode == 0o600)
    #expect(try make().path != kept)
    #expect(try File(kept).readAll(limit: 10) == [1, 2])
  }

  @Test func linkAsParentFolderIsRefused() throws {
    try Path.createDirectories(scratch.path("elsewhere"))
    #expect(symlink("elsewhere", scratch.path("tmp")) == 0)
    #expect(throws: SystemError.self) { try make() }
    #expect(try Directory(scratch.path("elsewhere")).list().entries.isEmpty)
  }

  @Test func concurrentFoldersDoNotInterfere() throws {
    let path = scratch.path
    let failures = Threads.run(8) { _ in
      for _ in 0..<30 {
        let folder = try TemporaryFolder(in: path, named: "tmp")
        try folder.write("x", [1])
        #expect(try folder.read("x", limit: 1) == [1])
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    #expect(try names() == [])
  }

  @Test func abandonedFoldersAreCountedAndCollected() throws {
    let living = try make()
    try living.write("ours", [1])
    try Path.createDirectories(scratch.path("tmp/0123456789abcdef/deep"))
    try AtomicFile.write(scratch.path("tmp/0123456789abcdef/deep/file"), [1, 2, 3], replace: false)
    for removes in [false, true] {
      let found = try TemporaryFolder.collect(in: scratch.path, named: "tmp", removes: removes)
      #expect(found.files == 1 && found.bytes == 3)
      #expect(try names().count == (removes ? 1 : 2))
    }
    #expect(try living.read("ours", limit: 1) == [1])
    #expect(try TemporaryFolder.collect(in: scratch.path, named: "none", removes: true).files == 0)
  }
}
