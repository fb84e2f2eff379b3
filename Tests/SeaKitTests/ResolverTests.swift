import SeaEngine
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// Conflicts that the program resolves during a sync, between pulling and pushing.
@Suite struct ResolverTests {
  private let pair: Pair
  private var one: SeaKit.Database { pair.one }
  private var two: SeaKit.Database { pair.two }

  init() async throws {
    pair = try await Pair { database in
      try await database.write { transaction in
        for id in ["a", "b", "c"] { try transaction.save(Keeper(id: id, name: "old")) }
      }
    }
  }

  /// Each instance gives the records names that the other does not, and `one` has pushed its own.
  private func diverge(_ ids: [String] = ["a", "b", "c"]) async throws {
    for (database, name) in [(one, "one"), (two, "two")] {
      try await database.write { transaction in
        for id in ids { try transaction.save(Keeper(id: id, name: "\(name) \(id)")) }
      }
    }
    try await one.sync()
  }

  private func names(_ database: SeaKit.Database) async throws -> [String] {
    try await database.fetch(Keeper.all).map(\.name)
  }

  private struct No: Error {}

  private static let greatest = Resolver.function(of: Keeper.self) { conflict in
    conflict.versions.compactMap(\.content).max { $0.name < $1.name }.map { .keep($0) } ?? .leaveOpen
  }

  @Test func functionDecidesBeforeThisInstancePushes() async throws {
    try await diverge()
    let report = try await two.sync(resolving: [
      .function(of: Keeper.self) { conflict in
        #expect(conflict.base?.content?.name == "old" && conflict.own?.content?.name == "two \(conflict.id)")
        #expect(conflict.foreign?.content?.name == "one \(conflict.id)")
        switch conflict.id {
        case "a": return .keep(Keeper(id: "a", name: "both"))
        case "b": return .delete
        default: return .leaveOpen
        }
      }
    ])
    #expect(report.resolved.map(\.id) == ["a", "b"] && report.resolved.map(\.isDeleted) == [false, true])
    #expect(report.unresolved.isEmpty && report.conflicts == ["c"] && report.isComplete)
    // The same sync has pushed the results.
    try await one.sync()
    #expect(try await one.conflicts.ids() == ["c"])
    #expect(try await one.fetch(Keeper.self, id: "a")?.name == "both")
    #expect(try await one.record("b") == nil)
    let revision = try #require(report.resolved[0].revision)
    #expect(try await one.record("a")?.revision == revision)
  }

  @Test func firstResolverForTheTypeDecides() async throws {
    try await diverge()
    let report = try await two.sync(resolving: [
      .strategy(.merge(otherwise: .base), of: "bird"), .strategy(.merge(["name": .theirs]), of: "keeper"),
      .strategy(.ours),
    ])
    #expect(report.resolved.count == 3 && report.conflicts.isEmpty)
    #expect(try await names(two) == ["one a", "one b", "one c"])
  }

  @Test func undecidedStrategyLeavesConflictsOpen() async throws {
    try await diverge()
    let report = try await two.sync(resolving: [.strategy(.merge())])
    #expect(report.resolved.isEmpty && report.unresolved.isEmpty && report.conflicts.sorted() == ["a", "b", "c"])
  }

  @Test func failedFunctionKeepsThePullAndNamesTheRecord() async throws {
    try await diverge()
    try await one.save(Keeper(id: "new", name: "new"))
    try await one.sync()
    let report = try await two.sync(resolving: [
      .function(of: "keeper") { conflict in
        if conflict.id == "a" { throw No() }
        if conflict.id == "b" { throw CancellationError() }
        var kept = try #require(conflict.foreign?.content)
        kept["name"] = .string("kept")
        return .keep(kept)
      }
    ])
    #expect(report.unresolved.map(\.id) == ["a", "b"] && report.resolved.map(\.id) == ["c"])
    #expect(report.unresolved.allSatisfy { $0.error.code == .refused && $0.error.details["id"] == $0.id })
    #expect(report.unresolved[0].error.message.contains("No()"), "\(report.unresolved[0].error)")
    #expect(try await two.conflicts.ids() == ["a", "b"])
    #expect(try await two.fetch(Keeper.self, id: "new")?.name == "new")
    #expect(try await two.fetch(Keeper.self, id: "c")?.name == "kept")
    // The next sync tries again.
    #expect(try await two.sync(resolving: [ResolverTests.greatest]).resolved.map(\.id) == ["a", "b"])
  }

  @Test func resultThatCannotBeStoredLeavesOnlyItsRecordOpen() async throws {
    let key = try #require(ConfigKey("type.keeper/name.pattern"))
    _ = try Pair.withEngine(one) { try $0.sharedSettings.set(key, "^(old|one|two)") }
    try pair.sync()
    try await diverge()
    let report = try await two.sync(resolving: [
      .function(of: Keeper.self) { .keep(Keeper(id: $0.id, name: $0.id == "b" ? "bad" : "one")) }
    ])
    #expect(report.resolved.map(\.id) == ["a", "c"] && report.unresolved.map(\.id) == ["b"])
    #expect(report.unresolved[0].error.code == .badData, "\(report.unresolved[0].error)")
    #expect(try await two.conflicts.ids() == ["b"])
  }

  @Test func othersWriteWhileAFunctionRuns() async throws {
    try await diverge(["a"])
    let path = two.path
    let resolver = Resolver.function(of: Keeper.self) { conflict in
      let other = try SeaEngine.Database(path: path, .forWriting(lockWait: 0, command: "tests"))
      defer { other.close() }
      _ = try other.conflicts.resolve(["a"], .ours, label: "a person")
      return .keep(Keeper(id: "a", name: "late"))
    }
    let report = try await two.sync(resolving: [resolver])
    // The record is no longer in the conflict that the function saw.
    #expect(report.resolved.isEmpty && report.unresolved.isEmpty)
    #expect(try await two.fetch(Keeper.self, id: "a")?.name == "two a")
  }

  @Test func undoneResolutionIsNotRepeated() async throws {
    try await diverge(["a"])
    try await two.sync(resolving: [ResolverTests.greatest])
    _ = try await two.history.undo()
    #expect(try await two.conflicts.ids() == ["a"])
    #expect(try await two.sync(resolving: [ResolverTests.greatest]).resolved.isEmpty)
    #expect(try await two.conflicts.ids() == ["a"])
  }

  /// Syncs both until nothing moves, each with its resolver.
  private func syncUntilQuiet(_ first: Resolver, _ second: Resolver) async throws {
    for _ in 0..<6 {
      var moved = 0
      for (database, resolver) in [(one, first), (two, second)] {
        let report = try await database.sync(resolving: [resolver])
        moved += report.outcomes.reduce(0) { $0 + $1.pulled + $1.pushed }
      }
      if moved == 0 { return }
    }
    Issue.record("instances keep writing")
  }

  /// Both see the same conflict, and write the same revision.
  @Test func equalResultsOfTwoInstancesAreNoConflict() async throws {
    try await diverge()
    try await two.sync()
    try await one.sync(direction: .pull)
    for database in [one, two] { try await database.sync(direction: .pull, resolving: [ResolverTests.greatest]) }
    let revision = try await one.record("a")?.revision
    #expect(try await two.record("a")?.revision == revision)
    try await syncUntilQuiet(ResolverTests.greatest, ResolverTests.greatest)
    #expect(try await one.conflicts.count() == 0)
    #expect(try await two.conflicts.count() == 0)
    #expect(try await names(one) == ["two a", "two b", "two c"])
    let same = try await names(one)
    #expect(try await names(two) == same)
  }

  /// Each takes its own version, so that the results differ; then the author of the winner decides.
  @Test func differentResultsOfTwoInstancesEnd() async throws {
    let own = Resolver.strategy(.ours)
    try await diverge()
    try await two.sync()
    for database in [one, two] { try await database.sync(direction: .pull, resolving: [own]) }
    let different = try await names(one)
    #expect(try await names(two) != different)
    try await syncUntilQuiet(own, own)
    #expect(try await one.conflicts.count() == 0)
    #expect(try await two.conflicts.count() == 0)
    let same = try await names(one)
    #expect(try await names(two) == same)
  }

  @Test(.timeLimit(.minutes(20))) func automaticSyncsWithTheSameFunctionConvergeAndGoQuiet() async throws {
    let (one, two) = (one, two)
    let syncs = [one, two].map { $0.automaticSync(resolving: [ResolverTests.greatest]) }
    for sync in syncs { await sync.start() }
    for round in 0..<10 {
      async let first = one.save(Keeper(id: "a", name: "\(round) one"))
      async let second = two.save(Keeper(id: "a", name: "\(round) two"))
      _ = try await (first, second)
    }
    func isDone() async throws -> Bool {
      let (first, second) = (try await one.fetch(Keeper.self, id: "a"), try await two.fetch(Keeper.self, id: "a"))
      let open = (try await one.conflicts.count(), try await two.conflicts.count())
      return first == second && open == (0, 0)
    }
    while try await !isDone() { try await Task.sleep(for: .milliseconds(10)) }
    for sync in syncs { await sync.stop() }
    try await syncUntilQuiet(ResolverTests.greatest, ResolverTests.greatest)
  }
}
