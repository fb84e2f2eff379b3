import SeaKit
import Testing

/// What a program cannot write, because no other device would read it.
@Suite struct LimitTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  @Test(arguments: ["", " ", "a b", "a\nb", "a\0b", "_x", "-x", String(repeating: "u", count: 256)])
  func invalidNamesAreRefused(_ name: String) async throws {
    let typed = try await failure { [database] in try await database.save(Keeper(id: name, name: "Ann")) }
    #expect(typed.code == .badData)
    let id = try await failure { [database] in try await database.save(Record(type: "t", id: name)) }
    #expect(id.code == .badData)
    let type = try await failure { [database] in try await database.save(Record(type: name, id: "r", ["a": 1])) }
    #expect(type.code == .badData)
    #expect(try await database.count(Query.records()) == 0)
  }

  @Test func longestNamesAreAccepted() async throws {
    let id = String(repeating: "i", count: 255)
    try await database.save(Record(type: String(repeating: "t", count: 255), id: id, ["a": 1]))
    #expect(try await database.record(id)?.type?.utf8.count == 255)
  }

  /// What cannot be written is as if it had not been tried, if the program goes on.
  @Test func refusedNameLeavesTransactionUsable() async throws {
    let count = try await database.write { transaction in
      try transaction.save(Keeper(id: "a", name: "Ann"))
      do { try transaction.save(Keeper(id: "", name: "Bob")) } catch let error as SeaError where error.code == .badData
      {}
      return try transaction.count(Keeper.all)
    }
    #expect(count == 1)
    #expect(try await database.count(Keeper.all) == 1)
  }

  @Test func messageLengthIsLimited() async throws {
    let long = String(repeating: "l", count: 1025)
    let error = try await failure { [database] in
      try await database.write(long) { try $0.save(Keeper(id: "a", name: "Ann")) }
    }
    #expect(error.code == .badData)
    #expect(try await database.count(Keeper.all) == 0)
    try await database.write(String(long.dropLast())) { try $0.save(Keeper(id: "a", name: "Ann")) }
    #expect(try await database.count(Keeper.all) == 1)
  }
}
