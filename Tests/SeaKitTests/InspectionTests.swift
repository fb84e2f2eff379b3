import Glibc
import SeaKit
import SeaTestSupport
import Testing

/// What a program can say about the inside of a database: sizes, chains, blocks, and possible problems.
@Suite struct InspectionTests {
  /// A database with three blocks.
  private func filled() async throws -> Database {
    let database = try await Database.inMemory()
    try await database.write("first") { try $0.save(Record(type: "bird", id: "wren", ["seen": 1])) }
    try await database.write("second") { transaction in
      try transaction.save(Record(type: "bird", id: "wren", ["seen": 2]))
      try transaction.save(Record(type: nil, id: "plain", ["note": "<b>"]))
    }
    return database
  }

  @Test func chainsAndBlocksAreListed() async throws {
    let database = try await filled()
    let own = try await database.instance()
    let chains = try await database.inspection.chains()
    #expect(chains.map(\.instance) == [own] && chains[0].isTrunk && chains[0].id == own.id)
    #expect(chains[0].blocks == 3 && chains[0].missingBlocks == 0 && chains[0].first == 0 && chains[0].last == 2)
    let list = try await database.inspection.blocks()
    #expect(list.blocks.map(\.index) == [0, 1, 2] && list.moreBlocks == 0 && list.findings.isEmpty)
    #expect(list.blocks.map(\.label) == ["init", "first", "second"])
    #expect(list.blocks.map(\.changes) == [0, 1, 2] && list.blocks[0].entries == 1)
    let newest = try await database.inspection.blocks(of: own.id, limit: 2)
    #expect(newest.blocks.map(\.index) == [1, 2] && newest.moreBlocks == 1)
    await #expect(throws: SeaError.self) { try await database.inspection.blocks(of: "x") }
  }

  @Test func blockHasItsHeaderAndChanges() async throws {
    let database = try await filled()
    let own = try await database.instance()
    let content = try #require(try await database.inspection.block("\(own.id)/2"))
    #expect(content.block.id == "\(own.id)/2" && content.problem == nil && content.entries.isEmpty)
    #expect(Set(content.changes.map(\.id)) == ["wren", "plain"])
    let wren = try #require(content.changes.first { $0.id == "wren" })
    #expect(wren.type == "bird" && wren.parent != nil && !wren.isDeletion)
    #expect(content.header.map(\.name).prefix(2) == ["magic", "mode"] && content.header[0].hex == "534541")
    #expect(content.header.reduce(0) { $0 + $1.size } == 84 && content.bytes.count == content.block.bytes)
    let before = try #require(try await database.inspection.block("\(own.id)/1"))
    #expect(content.previous == before.block.digest)
    let first = try #require(try await database.inspection.block("\(own.id)/0"))
    #expect(first.entries.map(\.kind) == ["instance"])
    #expect(try await database.inspection.block("\(own.id)/3") == nil)
    for id in ["", "/", "x/1", "\(own.id)/-1", own.id] {
      await #expect(throws: SeaError.self) { try await database.inspection.block(id) }
    }
    let revisions = try await database.history.revisions(of: "wren")
    #expect(revisions.map(\.block) == ["\(own.id)/2", "\(own.id)/1"])
  }

  @Test func containerIsInspected() async throws {
    let folder = try ScratchFolder(inMemory: true)
    let database = try await filled()
    try await database.addContainer("usb", at: folder.path("usb.sea"), creating: true)
    try await database.sync()
    let here = try await database.inspection.blocks()
    let there = try await database.inspection.blocks(in: "usb")
    #expect(there.blocks == here.blocks)
    let id = here.blocks[1].id
    #expect(try await database.inspection.block(id, in: "usb") == database.inspection.block(id))
    let files = try await database.inspection.sizes(in: "usb")
    #expect(files.contains { $0.kind == "block" && $0.count == 3 && $0.bytes > 0 && $0.about == "blocks" })
    #expect(try await database.inspection.sizes().contains { $0.kind == "store" })
    await #expect(throws: SeaError.self) { try await database.inspection.chains(in: folder.path("none")) }
  }

  @Test func withoutKeyOnlyHeadersAreKnown() async throws {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.isSealed = true
    let pair = try await Pair(new, password: "a password") { database in
      _ = try await database.write { try $0.save(Record(type: nil, id: "secret", ["a": 1])) }
    }
    let one = try await pair.one.instance()
    let list = try await pair.two.inspection.blocks(in: "origin", of: one.id)
    let last = try #require(list.blocks.last)
    #expect(last.changes == nil && last.label == nil && last.time == nil && last.mode.contains("sealed"))
    let content = try #require(try await pair.two.inspection.block(last.id, in: "origin"))
    #expect(content.problem != nil && content.changes.isEmpty && content.entries.isEmpty)
    let own = try #require(try await pair.one.inspection.block(last.id, in: "origin"))
    #expect(own.problem == nil && own.block.digest == last.digest)
  }

  @Test func statisticsAreThoseOfTheCommand() async throws {
    let database = try await filled()
    let own = try await database.instance()
    let all = try await database.care.statistics()
    #expect(all.records == 2 && all.deletedRecords == 0 && all.conflicts == 0 && all.revisions == 3)
    #expect(all.blocks == 3 && all.blockBytes > 0 && all.databaseBytes > 0)
    #expect(all.authors.map(\.instance) == [own] && all.authors[0].changes == 3)
  }

  @Test func doctorTellsWhatItFinds() async throws {
    let folder = try ScratchFolder(inMemory: true)
    let database = try await filled()
    try await database.addContainer("usb", at: folder.path("usb.sea"), creating: true)
    let checks = try await database.care.doctor()
    #expect(checks.count == 13 && checks.first?.name == "copied" && !checks.contains { $0.name == "hooks" })
    let unread = try #require(checks.first { $0.name == "unverified" })
    #expect(unread.findings.map(\.subject) == ["usb"] && unread.findings[0].code == "never-synced")
    #expect(unread.findings[0].advice == "sea sync usb" && !unread.isGood)
    #expect(rename(folder.path("usb.sea"), folder.path("away")) == 0)
    let without = try await database.care.doctor()
    #expect(without.first { $0.name == "containers" }?.unavailable == ["usb"])
  }
}
