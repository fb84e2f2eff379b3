import SeaKit
import SeaTestSupport
import Testing

@Suite struct CopiesTests {
  @Test func copiesSayWhoHasSeenWhat() async throws {
    let pair = try await Pair { try await $0.save(Keeper(id: "a", name: "Ann")) }
    let (one, two) = (try await pair.one.instance().id, try await pair.two.instance().id)
    try await pair.two.save(Keeper(id: "b", name: "Bob"))
    try pair.sync()
    try await pair.one.save(Keeper(id: "c", name: "Cem"))
    let copies = try await pair.one.copies()
    #expect(
      copies.chains.map(\.id) == [one, two] && copies.chains.allSatisfy { !$0.isForked } && copies.problems.isEmpty)
    let all = Dictionary(uniqueKeysWithValues: copies.chains.map { ($0.id, $0.blocks) })
    #expect(copies.instances[one] == all && copies.missing(from: all) == 0)
    let seen = try #require(copies.instances[two])
    #expect(seen[two] == all[two] && copies.missing(from: seen) >= 1)
    let stored = try #require(copies.containers["origin"])
    #expect(copies.missing(from: stored) == 1 && stored[one] == all[one]! - 1)
    #expect(copies.missing(from: [:]) == all.values.reduce(0, +))
  }

  @Test func syncPreviewTransfersNothing() async throws {
    let pair = try await Pair()
    try await pair.two.save(Keeper(id: "b", name: "Bob"))
    try Pair.sync(pair.two)
    try await pair.one.save(Keeper(id: "a", name: "Ann"))
    let position = try await pair.one.position()
    let plan = try await pair.one.preview(syncing: [])
    #expect(plan.outcomes.map(\.name) == ["origin"] && plan.outcomes[0].pulled >= 1 && plan.outcomes[0].pushed == 1)
    #expect(try await pair.one.preview(syncing: ["origin"], direction: .pull).outcomes[0].pushed == 0)
    #expect(try await pair.one.position() == position)
    let report = try await pair.one.sync()
    #expect(
      report.outcomes[0].pulled == plan.outcomes[0].pulled && report.outcomes[0].pushed == plan.outcomes[0].pushed)
    #expect(try await failure { try await pair.one.preview(syncing: ["none"]) }.code == .notFound)
    try ScratchFolder.removeAll(pair.scratch.path("team"))
    #expect(try await pair.one.preview(syncing: []).outcomes[0].error?.code == .unreachable)
  }

  @Test func containerIsAttachedWithSettings() async throws {
    let pair = try await Pair()
    let (one, place) = (pair.one, pair.scratch.path("more"))
    #expect(try await one.preview(adding: "more", at: place, creating: true))
    #expect(try await one.containers().count == 1)
    #expect(
      try await failure { try await one.addContainer("more", at: place, creating: true, isReadOnly: true) }.code
        == .usage)
    #expect(
      try await failure { try await one.addContainer("more", at: place, creating: true, assets: "?") }.code == .usage)
    #expect(try await one.addContainer("more", at: place, creating: true, isAutomatic: false, assets: "none"))
    #expect(try await !pair.two.addContainer("less", at: place, isReadOnly: true))
    let (more, less) = (try await one.containers().last, try await pair.two.containers().last)
    #expect(more?.isAutomatic == false && more?.isReadOnly == false && more?.blocksToPull == nil)
    #expect(less?.isAutomatic == true && less?.isReadOnly == true)
    #expect(try await one.containers(probing: true).last?.blocksToPull == 0)
  }

  @Test func conflictsAreResolvedInOneBlock() async throws {
    let pair = try await Pair { database in
      for id in ["x", "y"] { try await database.save(Keeper(id: id, name: "Ann")) }
    }
    for (database, name) in [(pair.one, "Anna"), (pair.two, "Anne")] {
      for id in ["x", "y"] { try await database.save(Keeper(id: id, name: name)) }
    }
    try pair.sync()
    let conflicts = try await pair.two.conflicts.all()
    try await pair.two.conflicts.resolve("y", .winner)
    #expect(try await failure { try await pair.two.conflicts.resolve(conflicts, .ours) }.code == .stale)
    #expect(try await pair.two.conflicts.ids() == ["x"])
    let done = try await pair.two.conflicts.resolve([conflicts[0]], .merge([:], otherwise: .ours))
    #expect(done.map(\.id) == ["x"] && done[0].revision != nil)
    #expect(try await pair.two.fetch(Keeper.self, id: "x")?.name == "Anne")
    #expect(try await pair.two.conflicts.resolve([RecordConflict<Record>](), .ours).isEmpty)
  }

  @Test func revocationPreviewChangesNothing() async throws {
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.hasMembers = true
    let pair = try await Pair(new)
    try pair.sync()
    let asking = try #require(try await pair.one.members.requests().first)
    #expect(try await failure { try await pair.one.members.preview(revoking: asking.id) }.code == .notFound)
    try await pair.one.members.authorize(asking)
    try pair.sync()
    try await pair.two.save(Keeper(id: "b", name: "Bob"))
    try pair.sync()
    let all = try await pair.one.members.preview(revoking: asking.id)
    #expect(all.ignoredBlocks == 0 && all.ignoredBlocksOfOthers == 0 && all.damagedBlocks == 0 && all.lastBlock != nil)
    let less = try await pair.one.members.preview(revoking: asking.id, after: 0)
    #expect(less.lastBlock == 0 && less.ignoredBlocks == Int(all.lastBlock!))
    #expect(try await pair.one.members.all().first { $0.id == asking.id }?.state == .authorized)
    let one = try await pair.one.instance().id
    #expect(try await failure { try await pair.two.members.preview(revoking: one) }.code == .unauthorized)
  }
}
