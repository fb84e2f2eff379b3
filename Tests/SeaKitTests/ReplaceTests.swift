import SeaContainer
import SeaEngine
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// `Database.replace(from:)`: a new clone takes the place of the database.
@Suite struct ReplaceTests {
  private let scratch: ScratchFolder
  private let shared = SeaKit.MemoryContainer()
  private let options: SeaKit.Database.Options
  private let one: SeaKit.Database

  init() async throws {
    scratch = try ScratchFolder(inMemory: true)
    var options = SeaKit.Database.Options()
    options.containers["memory"] = { [shared] _ in shared }
    self.options = options
    one = try await Database.open(scratch.path("one"), creating: "org.example.test", name: "one", options)
    try await one.addContainer("shared", at: "memory:shared", creating: true)
    try await one.save(Keeper(id: "a", name: "Ann"))
    try await one.sync()
  }

  private func names(_ database: SeaKit.Database) async throws -> [String] {
    try await database.fetch(Keeper.all).map(\.name)
  }

  private func entries(_ folder: String) throws -> [String] {
    try Directory(scratch.path(folder)).list().entries.map(\.name).sorted()
  }

  @Test func databaseIsClonedAgainAndOldStateIsRemoved() async throws {
    let before = try await one.instance()
    try await one.replace(from: "memory:shared", name: "again")
    let after = try await one.instance()
    #expect(after.id != before.id && after.name == "again")
    #expect(try await names(one) == ["Ann"])
    #expect(try entries("one") == [".sea"])
    // The object goes on: reading, writing and syncing.
    try await one.save(Keeper(id: "b", name: "Bob"))
    #expect(try await one.sync("origin").isComplete)
    #expect(try await one.containers().map(\.name) == ["origin"])
    let other = try await Database.clone("memory:shared", to: scratch.path("two"), name: "two", options)
    #expect(try await names(other) == ["Ann", "Bob"])
  }

  @Test func blocksThatNoContainerHasAreNotLost() async throws {
    try await one.save(Keeper(id: "b", name: "Bob"))
    try await one.save(Keeper(id: "c", name: "Cid"))
    let error = try await failure { try await one.replace(from: "memory:shared", name: "again") }
    #expect(error.code == .refused && error.message.contains("2 blocks") && error.details["blocks"] == "2")
    #expect(try await names(one) == ["Ann", "Bob", "Cid"])
    #expect(try entries("one") == [".sea"])
    try await one.replace(from: "memory:shared", name: "again", discarding: true)
    #expect(try await names(one) == ["Ann"])
    // A database without own blocks loses nothing.
    try await one.replace(from: "memory:shared", name: "and again")
    #expect(try await one.instance().name == "and again")
  }

  @Test func assetsThatNoContainerHasAreNotLost() async throws {
    var record = Record(type: "t", id: "r")
    record["note"] = "with an asset"
    _ = try await one.assets.save(record, adding: ["photo": .bytes([1, 2, 3])])
    shared.isReachable = false
    #expect(try await failure { try await one.replace(from: "memory:shared", name: "again") }.code == .unreachable)
    shared.isReachable = true
    let error = try await failure { try await one.replace(from: "memory:shared", name: "again") }
    #expect(error.message.contains("1 block and 1 asset file"), "\(error)")
    try await one.sync()
    try await one.replace(from: "memory:shared", name: "again")
    #expect(try await one.record("r") != nil)
  }

  @Test func failedReplacementLeavesTheOldDatabase() async throws {
    for name in shared.names where name != "info.json" {
      let whole = shared[name]
      shared[name] = whole.map { $0.map { $0 ^ 0xFF } }
      _ = try? await one.replace(from: "memory:shared", name: "again")
      shared[name] = whole
      #expect(try await names(one) == ["Ann"], "\(name)")
    }
    #expect(try entries("one") == [".sea"])
    #expect(try await failure { try await one.replace(from: scratch.path("none"), name: "n") }.code == .unreachable)
    let other = SeaKit.MemoryContainer()
    var options = options
    options.containers["other"] = { _ in other }
    let second = try await Database.inMemory("org.example.other", options)
    try await second.addContainer("c", at: "other:c", creating: true)
    try await second.sync()
    await second.close()
    let reopened = try await Database.open(scratch.path("one"), options)
    #expect(try await failure { try await reopened.replace(from: "other:c", name: "n") }.code == .incompatible)
    #expect(try await names(reopened) == ["Ann"])
  }

  /// After a crash there may be a folder beside the database, with the old state or half of a new one.
  @Test func nextReplacementRemovesWhatACrashLeft() async throws {
    let left = scratch.path("one/.sea-replaced-0123456789abcdef")
    try Path.createDirectories(left + "/new/.sea")
    try await one.replace(from: "memory:shared", name: "again")
    #expect(try entries("one") == [".sea"])
  }

  /// Another account is another database with the same content type.
  @Test func databaseOfAnotherAccountTakesThePlace() async throws {
    let account = SeaKit.MemoryContainer()
    var options = options
    options.containers["account"] = { _ in account }
    let theirs = try await Database.inMemory("org.example.test", options)
    try await theirs.save(Keeper(id: "z", name: "Zoe"))
    try await theirs.addContainer("c", at: "account:c", creating: true)
    try await theirs.sync()
    let database = try await Database.open(scratch.path("one"), options)
    #expect(try await names(database) == ["Ann"])
    try await database.replace(from: "account:c", name: "again")
    #expect(try await names(database) == ["Zoe"])
    try await database.save(Keeper(id: "y", name: "Yan"))
    #expect(try await names(database) == ["Yan", "Zoe"])
  }

  @Test(.timeLimit(.minutes(20))) @MainActor func liveListsRunAgainAndPositionsExpire() async throws {
    let list = LiveList(one, Keeper.all)
    while !list.isLoaded { try await Task.sleep(for: .milliseconds(5)) }
    let position = try await one.position()
    let (one, waiting) = (one, one.changes())
    let changes = Task.detached { try await failure { for try await _ in waiting {} } }
    try await one.save(Keeper(id: "b", name: "Bob"))
    while list.elements.count != 2 { try await Task.sleep(for: .milliseconds(5)) }
    try await one.replace(from: "memory:shared", name: "again", discarding: true)
    while list.elements.map(\.name) != ["Ann"] { try await Task.sleep(for: .milliseconds(5)) }
    #expect(list.failure == nil)
    #expect(try await changes.value.code == .expired)
    let later = Task.detached { try await failure { for try await _ in one.changes(since: position) {} } }
    #expect(try await later.value.code == .expired)
    // Later writes are noticed, even those of other processes.
    let other = try await Database.open(scratch.path("one"), options)
    try await other.save(Keeper(id: "c", name: "Cid"))
    while list.elements.map(\.name) != ["Ann", "Cid"] { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// A process that has the old database open never loses a write that it was told is done.
  @Test func writesOfOtherProcessesAreCountedOrFail() async throws {
    let other = try await Database.open(scratch.path("one"), options)
    #expect(try await names(other) == ["Ann"])
    let engine = try SeaEngine.Database(path: one.path, .forWriting(lockWait: 10, command: "tests"))
    defer { engine.close() }
    #expect(try engine.conflicts.count() == 0)
    try await one.replace(from: "memory:shared", name: "again")
    #expect(throws: (any Error).self) {
      _ = try engine.records.transaction(label: "late", dryRun: false) { open in
        _ = try open.write { $0.addDeletion("a", .none) }
        return true
      }
    }
    try await other.save(Keeper(id: "b", name: "Bob"))
    #expect(try await names(one) == ["Ann", "Bob"])
  }

  @Test func databaseInMemoryIsReplaced() async throws {
    let database = try await Database.inMemory("org.example.test", options)
    try await database.replace(from: "memory:shared", name: "again")
    #expect(try await names(database) == ["Ann"])
  }
}
