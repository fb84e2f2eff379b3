import SeaKit
import SeaTestSupport
import Testing

/// Containers that a program brings.
@Suite struct ContainerTests {
  private let scratch: ScratchFolder
  private let memory = MemoryContainer()

  init() throws { scratch = try ScratchFolder(inMemory: true) }

  private func options(
    _ make: @escaping @Sendable (String) async throws -> any Container
  ) -> Database.Options {
    var options = Database.Options()
    options.containers["mine"] = make
    return options
  }

  /// A database that has handed over what it has.
  private func made(_ container: @escaping @Sendable () -> any Container) async throws -> Database {
    let database = try await Database.open(
      scratch.path("one"), creating: "org.example.test", name: "one", options { _ in container() })
    try await database.addContainer("team", at: "mine:team", creating: true)
    return database
  }

  @Test func twoInstancesShareCustomContainer() async throws {
    let one = try await made { [memory] in memory }
    // A file that comes in pieces.
    let photo = (1...12).flatMap { [UInt8](repeating: $0, count: 1 << 20) }
    try await one.assets.save(Record(type: "keeper", id: "a", ["name": "Ann"]), adding: ["photo": .bytes(photo)])
    for number in 0..<30 { try await one.save(Keeper(id: "b\(number)", name: "Bob")) }
    let first = try await one.sync()
    #expect(first.isComplete, "\(first)")
    #expect(memory.names.contains("info.json") && memory.names.count > 30)
    let two = try await Database.clone(
      "mine:team", to: scratch.path("two"), name: "two", options { [memory] _ in memory })
    #expect(try await two.fetch(Keeper.self, id: "a")?.name == "Ann")
    #expect(try await two.count(Keeper.all) == 31)
    let asset = try #require(try await two.record("a")?.photo as Asset?)
    try await two.assets.fetch(asset)
    #expect(try await two.assets.bytes(of: asset) == photo)
    try await two.save(Keeper(id: "a", name: "Anna"))
    #expect(try await two.sync().isComplete)
    #expect(try await one.sync().isComplete)
    #expect(try await one.fetch(Keeper.self, id: "a")?.name == "Anna")
  }

  @Test func factoryReceivesLocationAndMayFail() async throws {
    let seen = Seen()
    let one = try await Database.open(
      scratch.path("one"), creating: "org.example.test",
      options { [memory] location in
        await seen.add(location)
        if location == "mine:locked" { throw ContainerFault.denied("log in first") }
        if location == "mine:odd" { throw Flawed.Failure() }
        return memory
      })
    try await one.addContainer("team", at: "mine:team", creating: true)
    let denied = try await failure { try await one.addContainer("x", at: "mine:locked") }
    #expect(denied.code == .denied && denied.message.contains("log in first"), "\(denied)")
    let odd = try await failure { try await one.addContainer("x", at: "mine:odd") }
    #expect(odd.code == .refused && odd.message.contains("the disk is on fire"), "\(odd)")
    #expect(await seen.locations == ["mine:team", "mine:locked", "mine:odd"])
    let other = try await failure { try await one.addContainer("x", at: "other:team") }
    #expect(other.code == .usage || other.code == .refused || other.code == .notFound, "\(other)")
  }

  @Test func containerFaultsBecomeErrorCodes() async throws {
    let one = try await made { [memory] in memory }
    try await one.sync()
    for (fault, code) in [
      (ContainerFault.unreachable("no net"), SeaError.Code.unreachable), (.denied("no"), .denied),
      (.full("2 GB"), .noSpace),
      (.tooLarge("5 GB"), .refused),
    ] {
      let other = try await Database.open(
        scratch.path("one"), options { [memory] _ in Throwing(memory: memory, fault: fault) })
      try await other.save(Keeper(name: "Ann"))
      let report = try await other.sync()
      #expect(!report.isComplete && report.outcomes[0].error?.code == code, "\(report)")
      #expect(report.outcomes[0].error?.details["path"] == "mine:team")
    }
    memory.isReachable = false
    #expect(try await one.sync().outcomes[0].error?.code == .unreachable)
    memory.isReachable = true
    #expect(try await one.sync().isComplete)
  }

  /// As helpers are: whatever it does, the sync comes to its end, and says what it was.
  @Test(arguments: [Flawed.Flaw.hangs, .throwsAlways, .tellsOtherSizes, .ignoresOffset, .givesMissing])
  func syncSurvivesFlawedContainer(_ flaw: Flawed.Flaw) async throws {
    let one = try await made { [memory] in memory }
    for number in 0..<5 { try await one.save(Keeper(id: "\(number)", name: "Ann")) }
    try await one.sync()
    let other = try await Database.open(
      scratch.path("one"), options { [memory] _ in Flawed(memory: memory, flaw: flaw) })
    try await other.save(Keeper(id: "x", name: "Xena"))
    let report = try await other.sync()
    let error = report.outcomes[0].error
    switch flaw {
    case .hangs: #expect(error?.code == .unreachable && error!.message.contains("no answer in 0.3 s"), "\(report)")
    case .throwsAlways: #expect(error?.code == .refused && error!.message.contains("on fire"), "\(report)")
    default: break
    }
    // Nothing of it has harmed what is there.
    let again = try await one.sync()
    #expect(again.outcomes[0].error == nil, "\(again)")
    #expect(try await one.sync().isComplete)
    let two = try await Database.clone(
      "mine:team", to: scratch.path("two"), name: "two", options { [memory] _ in memory })
    #expect(try await two.count(Keeper.all) == 6)
  }

  /// Who cancels a sync does not wait for what hangs.
  @Test(.timeLimit(.minutes(20))) func hangingSyncCanBeCancelled() async throws {
    let one = try await made { [memory] in memory }
    try await one.sync()
    let other = try await Database.open(
      scratch.path("one"),
      options { [memory] _ in Flawed(memory: memory, flaw: .hangs, hanging: .seconds(600)) })
    let sync = Task { try await other.sync() }
    try await Task.sleep(for: .milliseconds(200))
    sync.cancel()
    await #expect(throws: CancellationError.self) { try await sync.value }
    #expect(try await one.sync().isComplete)
  }

  @Test func excessiveOrFalseAnswersAreRefused() async throws {
    let one = try await made { [memory] in memory }
    try await one.sync()
    for (flood, words) in [
      (Flooding.Kind.names, "too many files"), (.bytes, "instead of"), (.sizes, "a size of -5"),
    ] {
      let other = try await Database.open(
        scratch.path("one"), options { [memory] _ in Flooding(memory: memory, kind: flood) })
      try await other.save(Keeper(name: "Ann"))
      let error = try await other.sync().outcomes[0].error
      #expect(error?.code == .refused && error!.message.contains(words), "\(flood): \(String(describing: error))")
    }
    #expect(try await one.sync().isComplete)
  }

  /// A damaged file is set aside under another name, and written again.
  @Test func syncSucceedsAfterDamagedBlock() async throws {
    let one = try await made { [memory] in memory }
    try await one.save(Keeper(id: "a", name: "Ann"))
    try await one.sync()
    let block = try #require(memory.names.last { $0.hasPrefix("transactions/") && $0.hasSuffix("/1") })
    memory[block] = memory[block].map { $0.map { ~$0 } }
    let two = try await Database.open(scratch.path("one"), options { [memory] _ in memory })
    let report = try await two.sync()
    let after = try await two.containers(probing: true)
    let later = try await two.sync()
    #expect(after.count == 1 && later.outcomes[0].error == nil, "\(report) \(later)")
  }

  @Test func readOnlyContainerIsNotWritten() async throws {
    let one = try await made { [memory] in memory }
    try await one.save(Keeper(id: "a", name: "Ann"))
    try await one.sync()
    let before = memory.names
    let other = try await Database.open(scratch.path("one"), options { [memory] _ in ReadOnly(memory: memory) })
    try await other.save(Keeper(id: "b", name: "Bob"))
    let report = try await other.sync()
    #expect(report.outcomes[0].error?.code == .denied, "\(report)")
    #expect(memory.names == before)
    #expect(try await one.sync().isComplete)
  }
}

private actor Seen {
  private(set) var locations: [String] = []
  func add(_ location: String) { if !locations.contains(location) { locations.append(location) } }
}

/// Throws the same where something is written.
private struct Throwing: Container {
  let memory: MemoryContainer
  let fault: ContainerFault

  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
    try await memory.list(in: folder, found)
  }
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
    try await memory.read(name, from: offset, count: count)
  }
  func write(_ name: String, _ content: FileContent) async throws -> Bool { throw fault }
  func replace(_ name: String, _ content: FileContent) async throws { throw fault }
  func remove(_ name: String) async throws { throw fault }
}

/// Gives more than it was asked for.
private struct Flooding: Container {
  enum Kind { case names, bytes, sizes }
  let memory: MemoryContainer
  let kind: Kind

  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
    switch kind {
    case .names:
      let long = String(repeating: "x", count: 240)
      for number in 0... { try found(ContainerFile("heads/\(long)\(number)", size: 1)) }
    case .sizes: try found(ContainerFile("heads/x", size: -5))
    case .bytes: try await memory.list(in: folder, found)
    }
  }
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
    kind == .bytes ? [UInt8](repeating: 7, count: count + 1) : try await memory.read(name, from: offset, count: count)
  }
  func write(_ name: String, _ content: FileContent) async throws -> Bool { try await memory.write(name, content) }
  func replace(_ name: String, _ content: FileContent) async throws { try await memory.replace(name, content) }
  func remove(_ name: String) async throws { try await memory.remove(name) }
}

private struct ReadOnly: Container {
  let memory: MemoryContainer
  var access: ContainerAccess { .readOnly }

  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
    try await memory.list(in: folder, found)
  }
  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
    try await memory.read(name, from: offset, count: count)
  }
  func write(_ name: String, _ content: FileContent) async throws -> Bool { try await memory.write(name, content) }
  func replace(_ name: String, _ content: FileContent) async throws { try await memory.replace(name, content) }
  func remove(_ name: String) async throws { try await memory.remove(name) }
}
