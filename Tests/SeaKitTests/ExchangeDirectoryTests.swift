import SeaEngine
import SeaKit
import SeaTestSupport
import Testing

/// Bundles that instances hand each other through a folder, and those that databases are made of again.
@Suite struct ExchangeDirectoryTests {
  private let pair: Pair
  private var kit: String { pair.scratch.path("kit") }

  init() async throws {
    pair = try await Pair { try await $0.save(Keeper(id: "a", name: "Ann")) }
  }

  @Test func exportWritesOnlyMissingBlocks() async throws {
    let (one, two) = (pair.one, pair.two)
    #expect(try await one.bundles.preview(exportingInto: kit).name == "test-one-0001-full.sea.tar.zst")
    #expect(try pair.scratch.files().allSatisfy { !$0.hasPrefix("kit") })
    var options = SeaKit.Database.Bundles.ExportOptions()
    options.verifies = true
    let first = try await one.bundles.export(into: kit, options)
    #expect(first.bundle?.files == ["test-one-0001-full.sea.tar.zst"] && first.bundle?.isFull == true)
    #expect(first.removed.isEmpty && first.kept.isEmpty && first.unreadable.isEmpty)
    #expect(try await one.bundles.export(into: kit).bundle == nil)
    #expect(try await one.bundles.preview(exportingInto: kit).name == nil)
    #expect(try await two.bundles.import(allIn: kit).known == 1)

    try await one.save(Keeper(id: "b", name: "Bob"))
    try await two.save(Keeper(id: "a", name: "Anne"))
    try await one.save(Keeper(id: "a", name: "Anna"))
    let away = try #require(try await one.bundles.exchanges(probing: true).first)
    #expect(away.location == kit && away.state == .ok && away.blocksToExport == 2 && away.bundlesToImport == 0)
    #expect(try await one.bundles.export(into: kit).bundle?.blocks == 2)
    #expect(try await two.bundles.exchanges(probing: true).first?.bundlesToImport == 1)
    let taken = try await two.bundles.import(allIn: kit)
    #expect(taken.bundles.map(\.name) == ["test-one-0002-incr.sea.tar.zst"] && taken.isComplete)
    #expect(taken.bundles.first?.blocks == 2 && taken.known == 1 && taken.conflicts == ["a"])
    // What two has left word of need not be written again.
    let back = try await two.bundles.export(into: kit)
    #expect(back.bundle?.files == ["test-two-0001-incr.sea.tar.zst"])
    #expect(try await one.bundles.import(allIn: kit).conflicts == ["a"])
    let three = try await SeaKit.Database.clone(bundle: kit, to: pair.scratch.path("three"), name: "three")
    #expect(try await three.count(Keeper.all) == 2)
  }

  @Test func retentionRemovesUnneededBundles() async throws {
    let one = pair.one
    var rules = SeaKit.Database.Bundles.Retention()
    var options = SeaKit.Database.Bundles.ExportOptions()
    try await one.bundles.export(into: kit)
    try await one.save(Keeper(id: "b", name: "Bob"))
    let kept = try await one.bundles.export(into: kit, keeping: rules)
    #expect(kept.kept == ["test-one-0001-full.sea.tar.zst"] && kept.removed.isEmpty)
    options.start = .everything
    let both = ["test-one-0001-full.sea.tar.zst", "test-one-0002-incr.sea.tar.zst"]
    #expect(try await one.bundles.preview(exportingInto: kit, options, keeping: rules).removed == both)
    #expect(try await one.bundles.export(into: kit, options, keeping: rules).removed == both)
    #expect(try pair.scratch.files().filter { $0.hasSuffix(".zst") } == ["kit/test-one-0003-full.sea.tar.zst"])
    rules.days = -1
    let negative = rules
    #expect(try await failure { try await one.bundles.export(into: kit, keeping: negative) }.code == .usage)
  }

  /// One that is damaged is told and written again; one that waits for others is told, too.
  @Test func damagedOrIncompleteBundlesAreReported() async throws {
    let one = pair.one
    let old = try await SeaKit.Database.clone(pair.scratch.path("team"), to: pair.scratch.path("old"), name: "old")
    for name in ["Bob", "Cid"] {
      try await one.save(Keeper(id: "b", name: name))
      try await one.bundles.export(into: kit)
    }
    let first = "test-one-0001-full.sea.tar.zst"
    var bytes = try pair.scratch.bytes("kit/\(first)")
    bytes[bytes.count / 2] ^= 1
    try pair.scratch.write("kit/\(first)", bytes)
    let infos = try await old.bundles.info(allIn: kit)
    #expect(infos.count == 2 && infos.values.allSatisfy { $0.isComplete && !$0.isKnown && $0.from.name == "one" })
    let taken = try await old.bundles.import(allIn: kit)
    #expect(taken.bundles.isEmpty && !taken.isComplete)
    #expect(taken.failures["test-one-0002-incr.sea.tar.zst"]?.code == .baseMissing, "\(taken.failures)")
    #expect([.corrupt, .truncated].contains(try #require(taken.failures[first]).code), "\(taken.failures)")
    let again = try await one.bundles.export(into: kit)
    #expect(again.unreadable.keys.sorted() == [first] && again.bundle != nil)
    #expect(try await old.bundles.import(allIn: kit).bundles.isEmpty == false)
    #expect(try await old.fetch(Keeper.self, id: "b")?.name == "Cid")
  }

  @Test func unsuitableDirectoryIsRefused() async throws {
    let one = pair.one
    let (team, none) = (pair.scratch.path("team"), pair.scratch.path("none/kit"))
    let (kit, inside) = (kit, one.path + "/kit")
    #expect(try await failure { try await one.bundles.export(into: team) }.code == .exists)
    #expect(try await failure { try await one.bundles.export(into: none) }.code == .unreachable)
    #expect(try await failure { try await one.bundles.export(into: inside) }.code != .bug)
    #expect(try await failure { try await one.bundles.export(to: inside) }.code != .bug)
    #expect(try await failure { try await one.bundles.export(into: "nothing:here") }.code != .bug)
    #expect(try await failure { try await one.bundles.import(allIn: kit) }.code == .unreachable)
    try pair.scratch.write("kit/notes.txt", [])
    #expect(try await failure { try await one.bundles.import(allIn: kit) }.code == .unreachable)
    let other = try await SeaKit.Database.inMemory()
    try await other.bundles.export(into: kit)
    #expect(try await failure { try await one.bundles.import(allIn: kit) }.code == .incompatible)
    // A stick may carry those of several databases.
    try await one.bundles.export(into: kit)
    #expect(try await pair.two.bundles.import(allIn: kit).isComplete)
  }

  /// Behind a container of the program's own, too.
  @Test func customContainerServesAsExchangeDirectory() async throws {
    let shelf = MemoryContainer()
    var options = SeaKit.Database.Options()
    options.containers["shelf"] = { _ in shelf }
    let one = try await SeaKit.Database.open(pair.one.path, options)
    let two = try await SeaKit.Database.open(pair.two.path, options)
    try await one.save(Keeper(id: "b", name: "Bob"))
    var export = SeaKit.Database.Bundles.ExportOptions()
    export.verifies = true
    #expect(try await one.bundles.export(into: "shelf:kit", export).bundle?.isFull == true)
    #expect(try await two.bundles.info(allIn: "shelf:kit").values.map(\.isKnown) == [false])
    #expect(try await two.bundles.import(allIn: "shelf:kit").bundles.count == 1)
    #expect(try await two.fetch(Keeper.self, id: "b")?.name == "Bob")
    #expect(try await one.bundles.export(into: "shelf:kit", export).bundle == nil)
    export.start = .everything
    let rules = SeaKit.Database.Bundles.Retention()
    #expect(try await one.bundles.export(into: "shelf:kit", export, keeping: rules).removed.count == 1)
    #expect(shelf.names.filter { $0.hasSuffix(".zst") }.count == 1)
  }

  @Test func databaseIsRestoredFromBackup() async throws {
    try pair.scratch.write("one/.sea/hooks/post-write", Array("#!/bin/sh\n".utf8))
    try pair.scratch.write("one/.sea/config", Array("[core]\n\tabbrev = 9\n[merge \"x\"]\n\tcommand = rm\n".utf8))
    var options = SeaKit.Database.Bundles.ExportOptions()
    options.isBackup = true
    try await pair.one.bundles.export(into: kit, options)
    try await pair.one.save(Keeper(id: "b", name: "Bob"))
    try await pair.one.bundles.export(into: kit)
    let made = try await SeaKit.Database.restore(from: kit, to: pair.scratch.path("again"), name: "again")
    #expect(made.settings == 1 && made.omittedSettings == ["merge.x.command"])
    #expect(made.disabledHooks == ["post-write"] && made.failures.isEmpty, "\(made)")
    #expect(try await made.database.fetch(Keeper.all).map(\.name) == ["Ann", "Bob"])
    #expect(try await made.database.instance().id != pair.one.instance().id)
    #expect(try pair.scratch.files().contains("again/.sea/hooks/post-write.disabled"))
    let there = pair.scratch.path("again")
    #expect(try await failure { try await SeaKit.Database.restore(from: kit, to: there, name: "x") }.code != .bug)
  }

  /// A bundle says itself where the next one begins.
  @Test func exportStartsAfterGivenBundle() async throws {
    let (first, next) = (pair.scratch.path("a.sea"), pair.scratch.path("b.sea"))
    try await pair.one.bundles.export(to: first)
    try await pair.one.save(Keeper(id: "b", name: "Bob"))
    var options = SeaKit.Database.Bundles.ExportOptions()
    options.start = .bundle(first)
    let written = try await pair.one.bundles.export(to: next, options)
    #expect(written.blocks == 1 && !written.isFull)
    options.start = .bundle(pair.scratch.path("none"))
    #expect(try await failure { try await pair.one.bundles.export(to: next + "x", options) }.code == .unreachable)
  }
}
