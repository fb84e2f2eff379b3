import Glibc
import SeaEngine
import SeaKit
import SeaSystem
import SeaTestSupport
import Testing

/// `Database.Options.log`: what `SEA_TRACE` says, and warnings.
@Suite struct LogTests {
  private let messages = Guarded<[LogMessage]>([])
  private let shared = SeaKit.MemoryContainer()

  private func options() -> SeaKit.Database.Options {
    var options = SeaKit.Database.Options()
    options.log = { [messages] message in messages.with { $0.append(message) } }
    options.containers["memory"] = { [shared] _ in shared }
    return options
  }

  @Test func closureReceivesTheTraceOfItsDatabaseOnly() async throws {
    let (logged, silent) = (try await Database.inMemory("org.example.test", options()), try await Database.inMemory())
    messages.with { $0 = [] }
    for database in [silent, logged] { try await database.save(Keeper(id: "a", name: "Ann")) }
    let all = messages.with { $0 }
    let transaction = try #require(all.first { $0.message == "transaction" })
    #expect(transaction.level == .trace && transaction.metadata["outcome"] == "commit")
    #expect(transaction.metadata["seconds"] != nil)
    #expect(all.contains { $0.message == "lock" })
    #expect(all.allSatisfy { $0.metadata["path"]?.hasPrefix(logged.path) != false })
    #expect(!all.contains { "\($0)".contains("Ann") })
  }

  @Test func syncIsLoggedWithWarnings() async throws {
    let database = try await Database.inMemory("org.example.test", options())
    try await database.addContainer("shared", at: "memory:shared", creating: true)
    try await database.sync()
    let exchange = try #require(messages.with { $0.first { $0.message == "exchange" } })
    #expect(exchange.level == .debug && exchange.metadata["container"] == "shared")
    #expect(!messages.with { $0.contains { $0.level >= .warning } })
    shared.isReachable = false
    try await database.sync()
    let warning = try #require(messages.with { $0.first { $0.level == .warning } })
    #expect(warning.metadata == ["container": "shared", "code": "unreachable"])
  }

  /// A copy of the folder takes a new identity, which nothing else tells the program.
  @Test func newIdentityIsAWarning() async throws {
    let scratch = try ScratchFolder(inMemory: true)
    let (path, copied) = (scratch.path("one"), scratch.path("two"))
    let database = try await Database.open(path, creating: "org.example.test", options())
    try await database.addContainer("shared", at: "memory:shared", creating: true)
    try await database.sync()
    await database.close()
    try #require(system("cp -a '\(path)' '\(copied)'") == 0)
    let copy = try await Database.open(copied, options())
    let old = try await copy.instance().id
    for one in [database, copy] {
      try await one.save(Keeper(name: "Ann"))
      try await one.sync()
    }
    let warning = try #require(messages.with { $0.first { $0.metadata["old"] != nil } })
    let new = try await copy.instance().id
    #expect(new != old && warning.level == .warning)
    #expect(warning.metadata["old"] == old && warning.metadata["instance"] == new)
  }
}
