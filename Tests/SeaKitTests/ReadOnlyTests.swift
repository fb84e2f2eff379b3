import SeaKit
import SeaTestSupport
import Testing

/// A database that is only read.
@Suite struct ReadOnlyTests {
  @Test func writesAreRefusedAndFilesStayUnchanged() async throws {
    let pair = try await Pair { database in
      try await database.save(Keeper(id: "a", name: "Ann"))
      try await database.assets.save(Record(type: "t", id: "t"), adding: ["x": .bytes([1, 2, 3])])
    }
    await pair.one.close()
    func files() throws -> [String] {
      try pair.scratch.files().filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
    }
    let before = try files().map { ($0, try pair.scratch.bytes($0)) }
    var options = Database.Options()
    options.isReadOnly = true
    let database = try await Database.open(pair.one.path, options)
    #expect(try await database.fetch(Keeper.all).map(\.name) == ["Ann"])
    #expect(try await database.rows("SELECT name FROM keeper", as: String.self) == ["Ann"])
    #expect(try await database.containers().count == 1)
    #expect(try await database.containers(probing: true).count == 1)
    #expect(try await database.conflicts.count() == 0)
    let asset = try #require(try await database.record("t")?.x as Asset?)
    #expect(try await database.assets.bytes(of: asset) == [1, 2, 3])

    #expect(try await database.care.verify().isGood)
    #expect(try await database.care.verify(container: "origin").isGood)
    #expect(try await database.care.preview(purging: .record("a", keepsNow: false)).revisions == 1)
    #expect(try await database.care.preview(collectingAssets: false).assetFiles == 0)

    // What goes out changes nothing here.
    let bundle = try await database.bundles.export(to: pair.scratch.path("all.sea.tar"))
    #expect(bundle.isFull && bundle.assets == 1)
    let directory = pair.scratch.path("stick")
    #expect(try await database.bundles.preview(exportingInto: directory).name != nil)
    #expect(try await database.bundles.export(into: directory).bundle?.blocks == bundle.blocks)
    #expect(try await database.bundles.export(into: directory).bundle == nil, "nothing is new")

    let (path, first) = (pair.scratch.path("news.sea"), try #require(try await database.history.operations().first))
    let writes: [@Sendable () async throws -> Void] = [
      { try await database.save(Keeper(id: "b", name: "Bob")) },
      { try await database.write { _ in } },
      { try await database.delete("a") },
      { _ = try await database.sync() },
      { _ = try await database.history.undo(first) },
      { try await database.addContainer("x", at: path, creating: true) },
      { try await database.removeContainer("origin") },
      { try await database.bundles.import(from: path) },
      { try await database.indexes.add("a", of: "keeper", on: "name") },
      { try await database.assets.drop() },
      { try await database.conflicts.resolve("a", .ours) },
      { try await database.members.addPassword("x") },
      { try await database.care.collect() },
      { try await database.care.purge(.record("a", keepsNow: false)) },
      { try await database.care.mirror(from: "origin", to: path) },
    ]
    for write in writes { #expect(try await failure(of: write).code == .usage) }
    await database.close()
    let after = try files().filter { $0 != "all.sea.tar" && !$0.hasPrefix("stick/") }
    #expect(after == before.map(\.0))
    for (name, bytes) in before { #expect(try pair.scratch.bytes(name) == bytes, "\(name)") }
  }

  @Test func missingDatabaseIsNotCreated() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    var readOnly = Database.Options()
    readOnly.isReadOnly = true
    let (folder, options) = (scratch.path("x"), readOnly)
    #expect(
      try await failure { try await Database.open(folder, creating: "org.example.x", options) }.code == .noDatabase)
    let new = Database.NewDatabase(contentType: "org.example.x", name: "x")
    #expect(try await failure { try await Database.create(in: folder, new, options) }.code == .usage)
    #expect(try scratch.files().isEmpty)
    _ = try await Database.create(in: folder, new)
    _ = try await Database.create(in: folder, new, options)
  }

  /// What others write is seen.
  @Test func readerSeesWritesOfOthers() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    let writer = try await Database.open(scratch.path("x"), creating: "org.example.x")
    try await writer.save(Keeper(id: "a", name: "Ann"))
    var options = Database.Options()
    options.isReadOnly = true
    let reader = try await Database.open(scratch.path("x"), options)
    var updates = reader.updates(of: Keeper.all).makeAsyncIterator()
    _ = try await updates.next()
    try await writer.save(Keeper(id: "b", name: "Bob"))
    _ = try await updates.next()
    #expect(try await reader.count(Keeper.all) == 2)
  }
}
