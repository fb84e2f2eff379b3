import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// What waits ends when its task is cancelled.
@Suite struct CancellationTests {
  /// A write that waits for another one to let go of the lock.
  @Test func cancelledWriteStopsWaitingForLock() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    let one = try await Database.open(scratch.path("x"), creating: "org.example.x")
    try await one.save(Keeper(id: "a", name: "Ann"))
    var options = Database.Options()
    options.lockWait = nil
    let other = try await Database.open(scratch.path("x"), options)
    let (isIn, isOver) = (Guarded(false), Guarded(false))
    let holding = Task {
      try await one.write { transaction in
        try transaction.save(Keeper(id: "b", name: "Bob"))
        isIn.with { $0 = true }
        while !isOver.with({ $0 }) { Clock.sleep(nanoseconds: 1_000_000) }
      }
    }
    while !isIn.with({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    let waiting = Task { try await other.save(Keeper(id: "c", name: "Cid")) }
    try await Task.sleep(for: .milliseconds(100))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!isOver.with { $0 })
    isOver.with { $0 = true }
    try await holding.value
    #expect(try await other.fetch(Keeper.all).map(\.id) == ["a", "b"])
  }

  /// A clone from a place that does not answer.
  @Test func cancelledCloneLeavesNoFiles() async throws {
    struct Slow: Container {
      let container: MemoryContainer
      func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
        try await container.list(in: folder, found)
      }
      func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        try await Task.sleep(for: .seconds(600))
        return nil
      }
      func write(_ name: String, _ content: FileContent) async throws -> Bool { false }
      func replace(_ name: String, _ content: FileContent) async throws {}
      func remove(_ name: String) async throws {}
    }
    let (scratch, memory) = (try ScratchFolder(inMemory: true), MemoryContainer())
    var options = Database.Options()
    options.containers["shelf"] = { _ in memory }
    let one = try await Database.open(scratch.path("one"), creating: "org.example.x", options)
    try await one.save(Keeper(id: "a", name: "Ann"))
    try await one.addContainer("shelf", at: "shelf:x", creating: true)
    try await one.sync()
    options.containers["shelf"] = { _ in Slow(container: memory) }
    let (slow, folder) = (options, scratch.path("two"))
    let cloning = Task { try await Database.clone("shelf:x", to: folder, name: "two", slow) }
    try await Task.sleep(for: .milliseconds(100))
    cloning.cancel()
    await #expect(throws: CancellationError.self) { _ = try await cloning.value }
    #expect(try scratch.files().allSatisfy { !$0.hasPrefix("two") })
    // One that was cancelled before it began makes nothing.
    let making = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Database.open(folder, creating: "org.example.x")
    }
    await #expect(throws: CancellationError.self) { _ = try await making.value }
    #expect(try scratch.files().allSatisfy { !$0.hasPrefix("two") })
  }
}
