import Glibc
import SeaKit
import SeaTestSupport
import Testing

/// The folder of a database that is open becomes another one.
@Suite struct ReplacedDatabaseTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A backup is put in the place of the database. What is acknowledged from then on is in it.
  @Test func writesGoToTheReplacingBackup() async throws {
    let path = scratch.path("p")
    let database = try await Database.open(path, creating: "org.example.test")
    try await database.save(Keeper(id: "a", name: "v1"))
    #expect(try await database.count(Keeper.all) == 1)
    try replace(path, by: path)
    try await database.save(Keeper(id: "a", name: "v2"))
    try await database.save(Keeper(id: "b", name: "v3"))
    #expect(try await database.fetch(Keeper.self, id: "a")?.name == "v2")
    let other = try await Database.open(path)
    #expect(try await other.count(Keeper.all) == 2)
  }

  /// Another database is none that the program has opened.
  @Test func replacementByOtherDatabaseIsRefused() async throws {
    let (path, second) = (scratch.path("p"), scratch.path("q"))
    let database = try await Database.open(path, creating: "org.example.test")
    try await database.save(Keeper(id: "a", name: "v1"))
    #expect(try await database.count(Keeper.all) == 1)
    let other = try await Database.open(second, creating: "org.example.test")
    try await other.save(Keeper(id: "z", name: "Zoe"))
    await other.close()
    try replace(path, by: second)
    let failure1 = try await failure { try await database.save(Keeper(id: "a", name: "v2")) }
    #expect(failure1.code == .incompatible)
    let failure2 = try await failure { try await database.count(Keeper.all) }
    #expect(failure2.code == .incompatible)
  }

  /// While a transaction runs: it is not written, and says so.
  @Test func replacementDuringTransactionFailsTheWrite() async throws {
    let path = scratch.path("p")
    let database = try await Database.open(path, creating: "org.example.test")
    try await database.save(Keeper(id: "a", name: "v1"))
    let error = try await failure {
      try await database.write { transaction in
        try transaction.save(Keeper(id: "a", name: "v2"))
        try replace(path, by: path)
      }
    }
    #expect(error.code == .system)
    #expect(try await database.fetch(Keeper.self, id: "a")?.name == "v1")
  }
}

private func replace(_ path: String, by other: String) throws {
  let script = "cp -a '\(other)' '\(path).copy' && rm -rf '\(path)' && mv '\(path).copy' '\(path)'"
  try #require(system(script) == 0)
}
