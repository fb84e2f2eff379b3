import SeaKit
import SeaTestSupport
import Testing

@Suite struct BundleTests {
  private let pair: Pair
  private var path: String { pair.scratch.path("news.sea") }

  init() async throws {
    pair = try await Pair { database in
      try await database.save(Keeper(id: "a", name: "Ann"))
      try await database.assets.save(Record(type: "t", id: "t"), adding: ["x": .bytes([1, 2, 3])])
    }
  }

  @Test func bundleCarriesOnlyNewBlocks() async throws {
    let (one, two) = (pair.one, pair.two)
    let before = Timestamp.now
    try await Task.sleep(for: .milliseconds(5))
    try await one.write { transaction in
      try transaction.save(Keeper(id: "a", name: "Anna"))
      try transaction.save(Keeper(id: "b", name: "Bob"))
    }
    var options = Database.Bundles.ExportOptions()
    (options.start, options.verifies) = (.time(before), true)
    let written = try await one.bundles.export(to: path, options)
    #expect(written.blocks == 1 && !written.isFull && written.files == ["news.sea"] && written.digest.count == 64)
    #expect(try pair.scratch.bytes("news.sea").count == Int(written.size))
    let info = try await two.bundles.info(of: path)
    #expect(info.isComplete && !info.isKnown && info.blocks == 1 && info.from.name == "one" && !info.from.isOwn)

    let taken = try await two.bundles.import(from: path)
    #expect(taken.digest == written.digest && taken.blocks == 1 && taken.records == 2 && taken.conflicts.isEmpty)
    #expect(try await two.fetch(Keeper.all).map(\.name) == ["Anna", "Bob"])
    #expect(try await two.bundles.info(of: path).isKnown)
    #expect(try await two.bundles.import(from: path).blocks == 0)
    // What somebody has seen is left out.
    let own = try await one.instance()
    options.start = .instance(own.id)
    let there = try await failure { try await one.bundles.export(to: path, options) }
    #expect(there.code == .exists, "\(there)")
    options.replacesFile = true
    #expect(try await one.bundles.export(to: path, options).blocks == 0)
    options.start = .instance("nobody")
    #expect(try await failure { try await one.bundles.export(to: path, options) }.code == .usage)
  }

  @Test func importReportsConflictsAndMerges() async throws {
    let (one, two) = (pair.one, pair.two)
    for (database, name) in [(one, "Anna"), (two, "Anne")] { try await database.save(Keeper(id: "a", name: name)) }
    for (database, town) in [(one, "p"), (two, "q")] {
      try await database.write { transaction in
        var record = try #require(try transaction.record("t"))
        record[town] = 1
        try transaction.save(&record)
      }
    }
    let written = try await one.bundles.export(to: path)
    #expect(written.isFull && written.assets == 1)
    let taken = try await two.bundles.import(from: path)
    #expect(taken.conflicts == ["a"] && taken.merged == ["t"])
    #expect(try await two.conflicts.ids() == ["a"])
    let merged = try #require(try await two.record("t"))
    #expect(merged["p"] == 1 && merged["q"] == 1)
  }

  /// A first instance without any container.
  @Test func databaseIsClonedFromBundle() async throws {
    try pair.scratch.write("one/.sea/hooks/post-write", Array("#!/bin/sh\n".utf8))
    let plain = try await pair.one.bundles.export(to: pair.scratch.path("plain.sea"))
    var options = Database.Bundles.ExportOptions()
    options.isBackup = true
    let backup = try await pair.one.bundles.export(to: path, options)
    #expect(backup.isFull && backup.size > plain.size)
    let three = try await Database.clone(bundle: path, to: pair.scratch.path("three"), name: "three")
    #expect(try await three.fetch(Keeper.all).map(\.name) == ["Ann"])
    let asset = try #require(try await three.record("t")?.x as Asset?)
    #expect(try await three.assets.bytes(of: asset) == [1, 2, 3])
    #expect(try await three.containers().isEmpty)
    let (path, there) = (path, pair.scratch.path("three"))
    #expect(try await failure { try await Database.clone(bundle: path, to: there, name: "x") }.code != .bug)
    try pair.scratch.write("news.sea", Array("no bundle".utf8))
    let four = pair.scratch.path("four")
    #expect(try await failure { try await Database.clone(bundle: path, to: four, name: "x") }.code != .bug)
    #expect(try pair.scratch.files().allSatisfy { !$0.contains("four") })
  }

  @Test func foreignDamagedOrIncompleteBundleIsRefused() async throws {
    try await pair.one.bundles.export(to: path)
    let other = try await Database.inMemory()
    #expect(try await failure { try await other.bundles.import(from: path) }.code == .incompatible)
    #expect(try await failure { try await other.bundles.info(of: path) }.code == .incompatible)
    #expect(try await failure { try await pair.two.bundles.import(from: path + "none") }.code == .unreachable)
    var bytes = try pair.scratch.bytes("news.sea")
    bytes.removeLast(bytes.count / 3)
    try pair.scratch.write("news.sea", bytes)
    let error = try await failure { try await pair.two.bundles.import(from: path) }
    #expect([.truncated, .corrupt].contains(error.code), "\(error)")
    // What goes on from what is not here waits.
    let old = try await Database.clone(pair.scratch.path("team"), to: pair.scratch.path("old"), name: "old")
    try await pair.one.save(Keeper(id: "b", name: "Bob"))
    try await Task.sleep(for: .milliseconds(5))
    var options = Database.Bundles.ExportOptions()
    (options.start, options.replacesFile) = (.time(.now), true)
    try await Task.sleep(for: .milliseconds(5))
    try await pair.one.save(Keeper(id: "c", name: "Cid"))
    try await pair.one.bundles.export(to: path, options)
    #expect(try await !old.bundles.info(of: path).isComplete)
    #expect(try await failure { try await old.bundles.import(from: path) }.code == .baseMissing)
    #expect(try await old.count(Keeper.all) == 1)
  }
}
