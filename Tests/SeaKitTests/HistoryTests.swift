import SeaKit
import SeaTestSupport
import Testing

@Suite struct HistoryTests {
  private let database: Database
  private let revisions: [Revision]
  private let middle: Timestamp

  /// `a` was made, changed, deleted and made again; `b` is there from the second on.
  init() async throws {
    database = try await .inMemory()
    var revisions = [try await database.write("first") { try $0.save(Keeper(id: "a", name: "Ann")) }]
    try await Task.sleep(for: .milliseconds(5))
    middle = .now
    try await Task.sleep(for: .milliseconds(5))
    revisions.append(
      try await database.write("second") { transaction in
        try transaction.save(Keeper(id: "b", name: "Bob"))
        var a = try #require(try transaction.record("a"))
        (a.name, a.town, a["n"]) = ("Anna", "Bern", .counter(3))
        return try transaction.save(&a)
      })
    self.revisions = revisions
  }

  private func delete() async throws { try await database.write("third") { try $0.delete("a") } }

  @Test func revisionsAreListedAndReadable() async throws {
    try await delete()
    let all = try await database.history.revisions(of: "a")
    #expect(all.map(\.state) == [.tombstone, .inner, .inner] && all.map(\.isDeletion) == [true, false, false])
    #expect(all.map(\.label) == ["third", "second", "first"] && all.allSatisfy { $0.author?.isOwn == true })
    #expect(all[1].revision == revisions[1] && all[1].parent == revisions[0] && all[2].parent == nil)
    #expect(try #require(all[2].time) < middle && middle < #require(all[1].time))
    #expect(try await failure { try await database.history.revisions(of: "none") }.code == .notFound)

    #expect(try await database.history.record("a", at: revisions[1])?.town == "Bern")
    #expect(try await database.history.record("a", at: all[0].revision) == nil)
    let ann: Keeper? = try await database.history.fetch(id: "a", at: revisions[0])
    #expect(ann == Keeper(id: "a", name: "Ann"))
    #expect(try await database.history.fetch(Bird.self, id: "a", at: revisions[0]) == nil)
    let foreign = try #require(try await database.record("b")?.revision)
    #expect(try await failure { try await database.history.record("a", at: foreign) }.code == .notFound)
  }

  @Test func valuesAndDifferencesOfPropertiesAreListed() async throws {
    let names = try await database.history.values(of: "name", in: "a")
    #expect(names.map(\.value) == ["Anna", "Ann"] && names.map(\.revision.revision) == revisions.reversed())
    #expect(try await database.history.values(of: "/n", in: "a").map(\.value) == [.counter(3)])
    try await delete()
    #expect(try await database.history.values(of: "town", in: "a").map(\.value) == [nil, "Bern"])
    #expect(try await database.history.values(of: "nothing", in: "a").isEmpty)
    let different = try await database.history.differences(of: "a", from: revisions[0], to: revisions[1])
    #expect(Set(different.map(\.name)) == ["n", "name", "town"])
    #expect(different.first { $0.name == "name" }?.old == "Ann" && different.first { $0.name == "town" }?.old == nil)
    let made = try await database.history.differences(of: "a", from: nil, to: revisions[0])
    #expect(made.map(\.name).sorted() == ["_type", "name"])
  }

  @Test func pastStateCanBeQueried() async throws {
    try await delete()
    let then = try await database.read(at: .time(middle)) { transaction in
      #expect(try transaction.count(Keeper.all) == 1 && transaction.count(Query.records().where("name = 'Anna'")) == 0)
      #expect(try transaction.ids(Keeper.all) == ["a"])
      #expect(try transaction.record("b") == nil)
      #expect(try transaction.fetch(Keeper.self, id: "a")?.name == "Ann")
      return try transaction.fetch(Keeper.all.where("name LIKE \("An%")").order(by: "-name"))
    }
    #expect(then == [Keeper(id: "a", name: "Ann")])
    let second = try #require(try await database.history.operations().first { $0.label == "second" })
    let later = try await database.read(at: .operation(second)) { try $0.fetch(Keeper.all).map(\.name) }
    #expect(later == ["Anna", "Bob"])
    #expect(try await database.read(at: .time(Timestamp(milliseconds: 0))) { try $0.fetch(Query.records()) }.isEmpty)
    // What is read next is now.
    #expect(try await database.fetch(Keeper.all).map(\.name) == ["Bob"])
  }

  @Test func operationsCanBeUndone() async throws {
    let all = try await database.history.operations()
    #expect(all.map(\.label) == ["second", "first"] && all.map(\.changes) == [2, 1])
    #expect(all.allSatisfy { $0.state == .done && $0.id.hasPrefix("op:") })
    #expect(try await database.history.operations(limit: 1) == [all[0]])
    let changes = try await database.history.changes(of: all[0])
    #expect(changes.map(\.id) == ["a", "b"] && changes.map(\.effect) == [.updated, .created])
    #expect(changes[0].differences?.first { $0.name == "name" }?.new == "Anna" && changes[0].revision == revisions[1])
    #expect(try await database.history.transactions().map(\.label).prefix(2) == ["second", "first"])
    let own = try await database.instance()
    #expect(try await database.history.transactions(of: own.id, limit: 1).map(\.author) == [own])
    #expect(try await failure { try await database.history.transactions(of: "x") }.code == .usage)

    // What was changed since is not taken back, and nothing of it.
    let refused = try await failure { try await database.history.undo(all[1]) }
    #expect(refused.message.contains("a"), "\(refused)")
    let part = try await database.history.undo(all[0], only: ["b"])
    #expect(part.records.map(\.id) == ["b"] && part.records[0].effect == .deleted && part.operation.id == all[0].id)
    #expect(try await database.fetch(Keeper.all).map(\.name) == ["Anna"])
    try await database.history.undo(all[0])
    #expect(try await database.fetch(Keeper.all).map(\.name) == ["Ann"])
    #expect(try await database.history.operations().first { $0.id == all[0].id }?.state == .undone)
    try await database.history.undo()
    #expect(try await database.count(Keeper.all) == 0)
    #expect(try await failure { try await Database.inMemory().history.undo() }.code == .notFound)
  }

  @Test func recordsAreReverted() async throws {
    let (first, second) = (revisions[0], revisions[1])
    try await database.history.revert("a", to: first, properties: ["name"])
    var a = try #require(try await database.record("a"))
    #expect(a.name == "Ann" && a.town == "Bern")
    try await database.write { transaction in
      try transaction.revert("a", to: second)
      #expect(try transaction.record("a")?.name == "Anna")
      try transaction.revert("a", to: first)
    }
    a = try #require(try await database.record("a"))
    #expect(a.properties == ["name": "Ann"] && a.revision?.depth == 5)
    let missing = try await failure { try await database.history.revert("a", to: first, properties: ["none"]) }
    #expect(missing.code == .notFound)
    try await delete()
    try await database.history.revert("a", to: second)
    #expect(try await database.fetch(Keeper.self, id: "a")?.name == "Anna")
  }

  /// Who wrote it is told by name.
  @Test func foreignAuthorsAreNamed() async throws {
    let pair = try await Pair { try await $0.save(Keeper(id: "a", name: "Ann")) }
    let revision = try #require(try await pair.two.history.revisions(of: "a").first)
    #expect(revision.author?.name == "one" && revision.author?.isOwn == false)
    #expect(try await pair.two.history.operations().isEmpty)
    #expect(try await pair.two.history.transactions().contains { $0.author.name == "one" })
  }
}
