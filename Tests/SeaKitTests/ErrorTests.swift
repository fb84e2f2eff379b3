import SeaKit
import SeaTestSupport
import Testing

/// What is thrown, where, and in which words.
@Suite struct ErrorTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  /// Who catches an error within a transaction catches the same as outside, and goes on.
  @Test func errorsInTransactionCanBeCaught() async throws {
    let count = try await database.write { transaction in
      try transaction.save(Keeper(id: "a", name: "Ann"))
      try expect(.stale) { try transaction.save(Keeper(id: "a", name: "Bob"), check: .isNew) }
      try expect(.notFound) { try transaction.delete("nope") }
      try expect(.notFound) { try transaction.revert("nope", to: transaction.save(Keeper(id: "a", name: "Ann"))) }
      try expect(.badQuery) { _ = try transaction.fetch(Keeper.all.where("name = ")) }
      try expect(.badQuery) { _ = try transaction.count(Keeper.all.where("1 = ")) }
      try expect(.badQuery) { _ = try transaction.ids(Keeper.all.where("1 = ")) }
      try expect(.badData) { try transaction.save(Record(type: "t", ["_x": 1])) }
      return try transaction.count(Query.records())
    }
    #expect(count == 1)
    #expect(try await database.count(Query.records()) == 1)
    try await database.read { transaction in
      try expect(.badQuery) { _ = try transaction.fetch(Keeper.all.where("name = ")) }
    }
  }

  @Test func errorsOfTheProgramPassThrough() async throws {
    struct No: Error {}
    try await database.save(Keeper(id: "a", name: "Ann"))
    do {
      try await database.read { try $0.forEach(Keeper.all) { _ in throw No() } }
      Issue.record("it did not fail")
    } catch is No {}
  }

  @Test func errorNamesThePropertyPath() async throws {
    for (value, path) in [
      (["a": .double(.nan)], "a"), (["a": 1, "b": ["c": .array([1, .double(.infinity)])]], "b.c.1"),
      (["ref": .reference(RecordReference(""))], "ref"), (["l": .labeled(1, label: "")], "l"),
    ] as [([String: Value], String)] {
      let record = Record(type: "t", id: "r", value)
      let error = try await failure { [database] in try await database.save(record) }
      #expect(error.code == .badData && error.details["path"] == path && error.details["id"] == "r")
      #expect(error.message.contains("'\(path)'") && !error.message.contains("at byte"))
    }
  }

  /// No options of a command line, and no commands.
  @Test func messagesDoNotMentionCommandLine() async throws {
    let text = "x"
    let quoted = try await failure { [database] in try await database.fetch(Keeper.all.where("name = '\(text)'")) }
    #expect(quoted.code == .badQuery && quoted.message.contains("quotes"))
    let unused = try await failure { [database] in
      try await database.fetch(Keeper.all.where(Condition("1", ["day": 1])))
    }
    #expect(unused.code == .badQuery && unused.message.contains("':day'") && !unused.message.contains("-p "))
    let scratch = try ScratchFolder()
    let path = scratch.path("none")
    let none = try await failure { try await Database.open(path) }
    #expect(none.code == .noDatabase && !none.message.contains("above"))
  }
}

/// - Throws: what is no `SeaError`.
private func expect(_ code: SeaError.Code, _ body: () throws -> Void) throws {
  do { try body() } catch let error as SeaError {
    #expect(error.code == code)
    return
  }
  Issue.record("it did not fail")
}
