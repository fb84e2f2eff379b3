import SeaKit
import Testing

/// What is saved, and upon what.
@Suite struct SaveTests {
  struct Revised: SeaRecord {
    static let recordType = "revised"
    var id = "r"
    var name: String
    var revision: Revision?
    enum CodingKeys: String, CodingKey { case id, name, revision = "_rev" }
  }
  struct Nameless: SeaRecord {
    static let recordType = "nameless"
    var id = RecordID.new()
    var name: String
    enum CodingKeys: String, CodingKey { case name }
  }
  struct Only: SeaRecord {
    static let recordType = "only"
    var id: String { "only" }
    var name: String
  }

  private let database: Database

  init() async throws { database = try await .inMemory() }

  // MARK: - Ids

  @Test func typeWithoutDecodableIDIsRefused() async throws {
    let error = try await failure { [database] in try await database.save(Nameless(name: "n")) }
    #expect(error.code == .badData && error.message.contains("CodingKeys"))
    #expect(try await database.count(Query.records()) == 0)
    // One whose id is the same for ever needs none.
    try await database.save(Only(name: "n"))
    #expect(try await database.fetch(Only.self, id: "only")?.name == "n")
  }

  // MARK: - Revisions

  @Test func givenRevisionMustBeCurrent() async throws {
    let first = try await database.save(Keeper(id: "a", name: "Ann"))
    try await database.save(Keeper(id: "a", name: "Anna"))
    let error = try await failure { [database] in
      try await database.write { try $0.save(Keeper(id: "a", name: "Anne"), revision: first) }
    }
    #expect(error.code == .stale)
    #expect(try await database.fetch(Keeper.self, id: "a")?.name == "Anna")
    let both = try await failure { [database] in
      try await database.write { try $0.save(Keeper(id: "b", name: "Bob"), check: .isNew, revision: first) }
    }
    #expect(both.code == .usage)
    let none = try await failure { [database] in
      try await database.write { try $0.save(Keeper(id: "a", name: "Anne"), check: .revision) }
    }
    #expect(none.code == .usage)
  }

  @Test func revisionInTheValueMustBeCurrent() async throws {
    try await database.write { try $0.save(Revised(name: "one"), check: .revision) }
    let read = try #require(try await database.fetch(Revised.self, id: "r"))
    var next = read
    next.name = "two"
    let saved = next
    try await database.write { try $0.save(saved, check: .revision) }
    let error = try await failure { [database] in try await database.write { try $0.save(saved, check: .revision) } }
    #expect(error.code == .stale)
    let gone = try await failure { [database] in try await database.write { try $0.delete(read, check: .revision) } }
    #expect(gone.code == .stale)
    let now = try #require(try await database.fetch(Revised.self, id: "r"))
    try await database.write { try $0.delete(now, check: .revision) }
    #expect(try await database.record("r") == nil)
  }

  /// Nobody gets a part of a record.
  @Test func changeToDeletedRecordIsRefused() async throws {
    try await database.save(Record(type: "keeper", id: "z", ["name": "Zoe", "age": 7]))
    var record = try #require(try await database.record("z"))
    try await database.delete("z")
    record.age = 8
    let changed = record
    let failure1 = try await failure { [database] in try await database.save(changed) }
    #expect(failure1.code == .notFound)
    for check in [WriteTransaction.Check.revision, .isNew] {
      let error = try await failure { [database] in try await database.write { try $0.save(changed, check: check) } }
      #expect(error.code == .notFound || error.code == .stale)
    }
    let other = try await Database.inMemory()
    let failure2 = try await failure { try await other.save(changed) }
    #expect(failure2.code == .notFound)
    #expect(try await database.count(Query.records()) == 0)
    // Within one transaction, too.
    try await database.save(Record(type: "keeper", id: "y", ["name": "Yan"]))
    let there = try #require(try await database.record("y"))
    let error = try await failure { [database] in
      try await database.write { transaction in
        try transaction.delete("y")
        var record = there
        record.age = 1
        try transaction.save(&record)
      }
    }
    #expect(error.code == .notFound)
  }
}
