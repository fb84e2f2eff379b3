import Glibc
import SeaSystem
import SeaTestSupport
import Testing

/// What happens in a folder wakes up who waits, once, and nothing else does.
@Suite(.serialized) struct FileWatchTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func write(_ name: String) throws {
    let file = try AtomicFile(scratch.path(name))
    try file.write([1])
    try file.commit(replace: true)
  }

  private func names(_ watch: FileWatch, _ milliseconds: Int64 = 2000) throws -> Set<String> {
    var names: Set<String> = []
    for change in try watch.wait(nanoseconds: milliseconds * 1_000_000).changes where !change.name.hasPrefix(".sea-tmp")
    {
      names.insert("\(change.folder == scratch.path ? "" : "in/")\(change.name)")
    }
    return names
  }

  @Test func interruptEndsTheCurrentOrNextWait() throws {
    let watch = try FileWatch()
    watch.interrupt()
    let start = Clock.monotonic()
    #expect(try watch.wait(nanoseconds: 60_000_000_000).isEmpty)
    #expect(Clock.monotonic() - start < 30_000_000_000)
    #expect(try watch.wait(nanoseconds: 0).isEmpty)
  }

  @Test func watchThreadReportsChangesInFoldersThatAreAddedLater() throws {
    let names = Monitor<Set<String>>([])
    let thread = try WatchThread { wake in names.with { $0.formUnion(wake.changes.map(\.name)) } }
    try thread.watch.watch(scratch.path)
    try write("a")
    #expect(names.wait(nanoseconds: 60_000_000_000) { $0.contains("a") ? true : nil } == true)
  }

  @Test func onlyWatchedFoldersReportChanges() throws {
    let watch = try FileWatch()
    _ = mkdir(scratch.path("in"), 0o755)
    #expect(watch.watch(only: [scratch.path, scratch.path("in"), scratch.path("none")]) == [scratch.path("none")])
    #expect(try watch.wait(nanoseconds: 0).isEmpty)
    try write("a")
    #expect(try names(watch) == ["a"])
    try write("in/b")
    #expect(try names(watch) == ["in/b"])
    #expect(try watch.wait(nanoseconds: 0).isEmpty)
    // No more than is wanted.
    #expect(watch.watch(only: [scratch.path]) == [])
    try write("in/c")
    #expect(try names(watch, 20).isEmpty)
    // A folder that goes is told, and can be looked at again when it is back.
    #expect(watch.watch(only: [scratch.path, scratch.path("in")]) == [])
    #expect(rename(scratch.path("in"), scratch.path("out")) == 0)
    #expect(try names(watch).contains("out"))
    _ = try watch.wait(nanoseconds: 0)
    #expect(watch.watch(only: [scratch.path, scratch.path("in")]) == [scratch.path("in")])
    #expect(rename(scratch.path("out"), scratch.path("in")) == 0)
    _ = try watch.wait(nanoseconds: 0)
    #expect(watch.watch(only: [scratch.path, scratch.path("in")]) == [])
    try write("in/d")
    #expect(try names(watch).contains("in/d"))
  }

  @Test func waitEndsAtTimeout() throws {
    let watch = try FileWatch()
    let start = Clock.monotonic()
    #expect(try watch.wait(nanoseconds: 30_000_000).isEmpty)
    #expect(Clock.monotonic() - start >= 30_000_000)
  }

  @Test func localFileSystemReportsAllChanges() {
    #expect(FileSystem.reportsAllChanges("/tmp") && !FileSystem.reportsAllChanges(scratch.path("none")))
  }
}
