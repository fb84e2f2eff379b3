import SeaKit
import SeaTestSupport
import Testing

@Suite struct SyncTests {
  private let scratch: ScratchFolder
  private let one: Database

  init() async throws {
    scratch = try ScratchFolder()
    one = try await Database.open(scratch.path("one"), creating: "org.example.test", name: "one")
    try await one.addContainer("team", at: scratch.path("team"), creating: true)
  }

  @Test func twoInstancesShareAFolder() async throws {
    try await one.save(Keeper(id: "a", name: "Ann"))
    let first = try await one.sync("team")
    #expect(first.isComplete && first.outcomes.map(\.name) == ["team"] && first.outcomes[0].pushed == 2)
    let two = try await Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    #expect(try await two.fetch(Keeper.all).map(\.name) == ["Ann"])
    try await two.save(Keeper(id: "a", name: "Anna"))
    try await one.save(Record(type: "keeper", id: "b", ["name": "Bob"]))
    #expect(try await two.sync().outcomes.map(\.name) == ["origin"])
    let back = try await one.sync()
    #expect(back.outcomes[0].pulled == 1 + 1 && back.conflicts.isEmpty, "its first block, and the change")
    try await two.sync()
    for database in [one, two] {
      #expect(try await database.fetch(Keeper.all.order(by: "name")).map(\.name) == ["Anna", "Bob"])
    }
    let containers = try await one.containers(probing: true)
    #expect(containers.map(\.name) == ["team"] && containers[0].state.rawValue == "ok" && containers[0].lastSync != nil)
    #expect(try #require(containers[0].lastSyncDuration) < .seconds(60))
    #expect(try await one.removeContainer("team"))
    #expect(try await one.containers().isEmpty)
  }

  @Test func unreachableContainerIsReported() async throws {
    #expect(try await failure { try await one.sync("nothing") }.code == .notFound)
    let path = scratch.path("none")
    #expect(try await failure { try await one.addContainer("x", at: path) }.code == .unreachable)
    try await one.save(Keeper(id: "a", name: "Ann"))
    try await one.sync()
    try ScratchFolder.removeAll(scratch.path("team"))
    let report = try await one.sync()
    #expect(!report.isComplete && report.outcomes[0].error?.code == .unreachable)
  }

  /// Every file of a container in memory is damaged in turn, and a full sync writes it again.
  @Test func fullSyncMendsAnyDamagedFileOfAProgramsContainer() async throws {
    let memory = MemoryContainer()
    var options = Database.Options()
    options.containers["memory"] = { _ in memory }
    let ann = try await Database.open(scratch.path("ann"), creating: "org.example.test", name: "ann", options)
    try await ann.addContainer("shared", at: "memory:shared", creating: true)
    for k in 0..<3 { try await ann.save(Keeper(id: "k\(k)", name: "Ann")) }
    #expect(try await ann.sync().isComplete)
    for name in memory.names where name.hasPrefix("transactions/") {
      let right = try #require(memory[name])
      var wrong = right
      wrong[wrong.count / 2] ^= 1
      memory[name] = wrong
      let report = try await ann.sync(full: true)
      #expect(report.outcomes[0].healed == 1, "\(name)")
      #expect(memory[name] == right, "\(name)")
      #expect(try await ann.sync(full: true).isComplete, "\(name)")
    }
  }

  /// What is written here goes there soon; what others write comes in the interval; a pause is one.
  @Test(.timeLimit(.minutes(20))) func automaticSyncExchangesChangesAndPauses() async throws {
    try await one.sync()
    let two = try await Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    let events = AsyncStream.makeStream(of: Bool.self)
    let sync = one.automaticSync(every: .milliseconds(300)) { event in
      guard case .didFinish(let result) = event else { return }
      // One that was under way is ended by a pause.
      var isWell = true
      if case .failure(let error) = result { isWell = error is CancellationError }
      events.continuation.yield(isWell)
    }
    await sync.start()
    try await one.save(Keeper(id: "a", name: "Ann"))
    while try await two.fetch(Keeper.self, id: "a") == nil {
      try await two.sync()
      try await Task.sleep(for: .milliseconds(20))
    }
    try await two.save(Keeper(id: "b", name: "Bob"))
    try await two.sync()
    while try await one.fetch(Keeper.self, id: "b") == nil { try await Task.sleep(for: .milliseconds(20)) }
    await sync.pause()
    try await two.save(Keeper(id: "c", name: "Cid"))
    try await two.sync()
    try await Task.sleep(for: .milliseconds(600))
    #expect(try await one.fetch(Keeper.self, id: "c") == nil)
    await sync.resume()
    while try await one.fetch(Keeper.self, id: "c") == nil { try await Task.sleep(for: .milliseconds(20)) }
    await sync.stop()
    events.continuation.finish()
    for await isWell in events.stream { #expect(isWell) }
  }

  /// The interval is an hour, so only a watch of the container can be the reason for a quick arrival.
  @Test(.timeLimit(.minutes(5)), arguments: ["folder", "memory"])
  func writeReachesOtherInstanceBeforeTheInterval(_ kind: String) async throws {
    let memory = MemoryContainer()
    var options = Database.Options()
    options.containers["memory"] = { _ in memory }
    let place = kind == "folder" ? scratch.path("shared") : "memory:shared"
    let ann = try await Database.open(scratch.path("ann"), creating: "org.example.test", name: "ann", options)
    try await ann.addContainer("shared", at: place, creating: true)
    try await ann.sync()
    let bob = try await Database.clone(place, to: scratch.path("bob"), name: "bob", options)
    let syncs = [ann, bob].map { $0.automaticSync(every: .seconds(3600)) }
    for sync in syncs { await sync.start() }
    for (k, (from, to)) in [(ann, bob), (bob, ann), (ann, bob)].enumerated() {
      try await from.save(Keeper(id: "k\(k)", name: "Ann"))
      let start = ContinuousClock.now
      while try await to.fetch(Keeper.self, id: "k\(k)") == nil { try await Task.sleep(for: .milliseconds(2)) }
      #expect(ContinuousClock.now - start < .seconds(60))
    }
    for sync in syncs { await sync.stop() }
  }
}
