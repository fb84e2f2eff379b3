import Glibc
import SeaSystem
import SeaTestSupport
import Testing

/// What the layers above rely on from the system.
@Suite struct FileSystemTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test func pathsAreSplitJoinedAndNormalized() throws {
    let cases = [
      ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/", "/", "/"), ("//", "/", "/"), ("a//b//", "a", "b"),
      ("/a/b/", "/a", "b"), ("../x", "..", "x"),
    ]
    for (path, parent, name) in cases {
      #expect(Path.parent(path) == parent, "\(path)")
      #expect(Path.name(path) == name, "\(path)")
    }
    #expect(Path.join("a", "b") == "a/b" && Path.join("a/", "b") == "a/b" && Path.join("", "b") == "b")
    #expect(Path.join("a", "/b") == "/b")
    #expect(try Path.absolute("/a/./b//../c/") == "/a/c")
    #expect(try Path.absolute("/../..") == "/")
    #expect(Path.upwards(from: "/a/b") == ["/a/b", "/a", "/"])
    #expect(Path.upwards(from: "/") == ["/"])
    #expect(try Path.absolute("x") == Path.join(ThisProcess.currentDirectory(), "x"))
    #expect(try Path.real(folder.path("..")) == Path.real(Path.parent(folder.path)))
  }

  @Test func pathsWithNullByteAreRefused() throws {
    try folder.write("a", [1])
    let name = folder.path("a\0b")
    #expect(throws: SystemError(call: "open", errno: EINVAL, path: name)) { try File(name) }
    #expect(throws: SystemError.self) { try Path.status(name) }
    #expect(throws: SystemError.self) { try Path.remove(name) }
    #expect(try folder.files() == ["a"])
  }

  @Test func renameDoesNotReplaceExistingFile() throws {
    let directory = try Directory(folder.path)
    for rename in [Directory.renameNoReplace, Directory.renameAfterLooking] {
      try folder.write("old", [1])
      try folder.write("taken", [2])
      #expect(throws: SystemError(call: "rename", errno: EEXIST, path: folder.path("taken"))) {
        try rename(directory)("old", "taken")
      }
      #expect(try folder.bytes("taken") == [2])
      #expect(symlink("nowhere", folder.path("link")) == 0)
      #expect(throws: SystemError.self) { try rename(directory)("old", "link") }
      try rename(directory)("old", "new")
      #expect(try folder.files() == ["link", "new", "taken"])
      for name in try folder.files() { try directory.remove(name) }
    }
  }

  @Test func filesAppearWholeOrNotAtAll() throws {
    let path = folder.path("file")
    try AtomicFile.write(path, mode: 0o600, [1, 2], replace: false)
    #expect(try Path.status(path)?.mode == 0o600)
    #expect(throws: SystemError.self) { try AtomicFile.write(path, [3], replace: false) }
    #expect(try folder.bytes("file") == [1, 2])
    try AtomicFile.write(path, [3], replace: true)
    #expect(try folder.bytes("file") == [3])
    do {
      let file = try AtomicFile(folder.path("other"))
      try file.write([1])
      #expect(try folder.files().count == 2)
    }
    #expect(mkdir(folder.path("folder"), 0o777) == 0)
    #expect(throws: SystemError.self) { try AtomicFile.write(folder.path("folder"), [1], replace: true) }
    #expect(try folder.files() == ["file"])
  }

  @Test func temporaryNamesAreRecognized() throws {
    let name = try AtomicFile.temporaryName()
    #expect(name.utf8.count == 41 && AtomicFile.isTemporary(name))
    #expect(try AtomicFile.temporaryName() != name)
    for other in ["", ".sea-tmp-", name + "0", String(name.dropLast()), String(name.dropLast()) + "G", "x" + name] {
      #expect(!AtomicFile.isTemporary(other))
    }
  }

  @Test func lockIsExclusiveAndNamesHolder() throws {
    let path = folder.path("lock")
    guard case .locked(let lock) = try FileLock.acquire(path, information: "42 host sea put, a long text", seconds: 0)
    else { throw Unexpected() }
    let start = Clock.monotonic()
    guard case .heldBy(let text, let age) = try FileLock.acquire(path, information: "x", seconds: 0.05) else {
      throw Unexpected()
    }
    #expect(text == "42 host sea put, a long text")
    #expect((0..<60_000).contains(age))
    #expect(Clock.monotonic() - start >= 50_000_000)
    lock.release()
    guard case .locked(let next) = try FileLock.acquire(path, information: "short", seconds: 0) else {
      throw Unexpected()
    }
    #expect(try folder.bytes("lock") == Array("short".utf8))
    withExtendedLifetime(next) {}
    #expect(throws: SystemError.self) { try FileLock.acquire(folder.path("no/lock"), information: "", seconds: 0) }
  }

  @Test func waitersGetTheLockOneAfterAnother() throws {
    let path = folder.path("lock")
    let counter = folder.path("counter")
    try folder.write("counter", [0])
    let failures = Threads.run(8) { number in
      for _ in 0..<5 {
        guard case .locked(let lock) = try FileLock.acquire(path, information: "\(number)", seconds: nil) else {
          throw Unexpected()
        }
        let value = try File(counter).readAll(limit: 1) ?? []
        try AtomicFile.write(counter, [value[0] + 1], replace: true)
        lock.release()
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    #expect(try folder.bytes("counter") == [40])
  }

  @Test func readingStopsAtTheLimit() throws {
    try folder.write("file", [UInt8](repeating: 7, count: 10_000))
    #expect(try File(folder.path("file")).readAll(limit: 10_000)?.count == 10_000)
    #expect(try File(folder.path("file")).readAll(limit: 9_999) == nil)
    // Files that do not know their size.
    #expect(try (File("/proc/self/maps").readAll(limit: 1 << 24)?.count ?? 0) > 100)
    #expect(try File("/dev/zero").readAll(limit: 100_000) == nil)
  }

  @Test func aFullDiskAndAClosedPipeAreErrors() throws {
    let full = try File("/dev/full", .write)
    #expect(throws: SystemError(call: "write", errno: ENOSPC, path: "/dev/full")) { try full.write([1]) }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let old = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, old) }
    let closed = File(descriptor: ends[1], path: "pipe")
    let large = [UInt8](repeating: 1, count: 100_000)
    #expect(throws: SystemError(call: "write", errno: EPIPE, path: "pipe")) { try closed.write(large) }
    #expect(SystemError(call: "write", errno: EPIPE, path: "").isBrokenPipe)
  }

  @Test func createDirectoriesIsRepeatableAndReportsObstacles() throws {
    try Path.createDirectories(folder.path("a/b/c"))
    try Path.createDirectories(folder.path("a/b/c"))
    #expect(try Path.status(folder.path("a/b/c"))?.kind == .directory)
    try folder.write("a/file", [1])
    #expect(throws: SystemError.self) { try Path.createDirectories(folder.path("a/file/x")) }
    #expect(throws: SystemError.self) { try Path.createDirectories(folder.path("a/file")) }
    #expect(try Path.removeDirectory(folder.path("a/none")) == false)
    #expect(throws: SystemError.self) { try Path.removeDirectory(folder.path("a/b")) }
    #expect(try !Path.isOnNetwork(folder.path))
  }
}

/// That something did not fail, or not as it should.
private struct Unexpected: Error {}
