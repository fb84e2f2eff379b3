import SeaKit
import SeaTestSupport
import Testing

@Suite struct ConflictTests {
  private let pair: Pair
  private var two: Database { pair.two }

  /// `x` clashes in `name` and merges in `town`, `age` and the count; `y` was deleted there and changed here.
  init() async throws {
    pair = try await Pair { database in
      try await database.write { transaction in
        try transaction.save(
          Record(type: "keeper", id: "x", ["name": "Ann", "town": "Bern", "n": .counter(1), "s": .set(["a"])]))
        try transaction.save(Record(type: "keeper", id: "y", ["name": "Bob"]))
      }
    }
    try await pair.one.write { transaction in
      var x = try #require(try transaction.record("x"))
      (x.name, x.age) = ("Anna", 7)
      x.add(2, to: "n")
      x.insert("b", into: "s")
      try transaction.save(&x)
      try transaction.delete("y")
    }
    try await pair.two.write { transaction in
      var x = try #require(try transaction.record("x"))
      (x.name, x.town) = ("Anne", "Basel")
      x.add(4, to: "n")
      x.insert("c", into: "s")
      try transaction.save(&x)
      var y = try #require(try transaction.record("y"))
      y.name = "Bert"
      try transaction.save(&y)
    }
    try pair.sync()
  }

  private func record(_ id: String) async throws -> Record? {
    try pair.sync()
    let (a, b) = (try await pair.one.record(id), try await pair.two.record(id))
    #expect(a == b && a?.conflicts.isEmpty != false)
    return a
  }

  @Test func conflictNamesAuthorsVersionsAndProperties() async throws {
    let all = try await two.conflicts.all()
    #expect(
      all.map(\.id) == ["x", "y"] && all.map(\.kind) == [.edits, .deletion] && all.allSatisfy { $0.waiting == 0 })
    #expect(try await two.conflicts.ids(of: "keeper") == ["x", "y"])
    #expect(try await two.conflicts.ids(of: "t").isEmpty)
    #expect(try await two.conflicts.count() == 2)
    let x = try #require(try await two.conflicts.find("x"))
    #expect(x.base?.content?.name == "Ann" && x.base?.revision.depth == 1 && x.type == "keeper")
    #expect(x.versions.count == 2 && x.versions.allSatisfy { $0.revision.depth == 2 && !$0.isDeleted })
    let (own, foreign) = (try #require(x.own), try #require(x.foreign))
    #expect(own.author?.name == "two" && own.author?.isOwn == true && own.content?.name == "Anne")
    #expect(foreign.author?.name == "one" && foreign.author?.isOwn == false && foreign.content?.name == "Anna")
    let one = try await pair.one.instance()
    #expect(foreign.author?.id == one.id && one.isOwn)
    #expect(try #require(own.time) <= .now)
    let name = x.versions.map { $0.content?["name"] }
    #expect(x.clashes.map(\.path) == ["/name"] && x.clashes[0].base == "Ann" && x.clashes[0].values == name)
    #expect(x.merged?.town == "Basel" && x.merged?.age == 7 && x.merged?["n"] == .counter(7))
    #expect(x.merged?.name == x.versions[0].content?["name"])

    let y = try #require(try await two.conflicts.find("y", as: Keeper.self))
    #expect(y.clashes.map(\.path) == [""] && y.merged == Keeper(id: "y", name: "Bert"))
    #expect(y.foreign?.isDeleted == true && y.foreign?.content == nil && y.own?.content?.name == "Bert")
    #expect(try await two.conflicts.find("none") == nil)
    #expect(try await two.conflicts.all(of: Keeper.self).map(\.base?.content?.name) == ["Ann", "Bob"])
    #expect(try await failure { try await two.conflicts.find("x", as: Bird.self) }.details["path"] == "_type")
  }

  @Test func recordResolvesConflict() async throws {
    let x = try #require(try await two.conflicts.find("x"))
    var record = try #require(x.merged)
    record.name = "Annabel"
    record.add(100, to: "n")
    record.remove("a", from: "s")
    let done = try await two.conflicts.resolve(x, with: record)
    #expect(done.revision?.depth == 3 && !done.isDeleted && !done.isOpen && done.remaining == 0)
    let read = try #require(try await self.record("x"))
    #expect(read.name == "Annabel" && read.age == 7 && read["n"] == .counter(107) && read.revision == done.revision)
    #expect(Set(read["s", as: [String].self] ?? []) == ["b", "c"])
    // It has ended, and is not ended again.
    #expect(try await failure { try await two.conflicts.resolve(x, with: record) }.code == .stale)
    #expect(try await failure { try await two.conflicts.resolve(x, .winner) }.code == .stale)
    #expect(try await failure { try await two.conflicts.resolve("x", with: record) }.code == .stale)
    #expect(try await two.conflicts.resolve("x", with: read).revision == nil)
    #expect(
      try await failure { try await two.conflicts.resolve("none", with: Record(type: "t", id: "none")) }.code
        == .notFound)
    #expect(try await failure { try await two.conflicts.resolve("none", .winner) }.code == .notFound)
  }

  /// Whoever takes one side keeps what all have counted.
  @Test func chosenVersionResolvesConflict() async throws {
    let x = try #require(try await two.conflicts.find("x"))
    let own = try #require(x.own?.content)
    try await two.conflicts.resolve(x, with: own)
    let read = try #require(try await record("x"))
    #expect(read.name == "Anne" && read.age == nil && read["n"] == .counter(7))
    #expect(Set(read["s", as: [String].self] ?? []) == ["a", "b", "c"])
    let y = try #require(try await two.conflicts.find("y", as: Keeper.self))
    #expect(try await two.conflicts.resolve(y, with: nil).isDeleted)
    #expect(try await record("y") == nil)
  }

  @Test func typedRecordResolvesConflict() async throws {
    let x = try #require(try await two.conflicts.find("x", as: Keeper.self))
    var keeper = try #require(x.merged)
    keeper.name = "Annabel"
    #expect(try await failure { try await two.conflicts.resolve(x, with: Keeper(id: "z", name: "")) }.code == .usage)
    try await two.conflicts.resolve(x, with: keeper)
    let read = try #require(try await record("x"))
    #expect(read.name == "Annabel" && read.age == 7 && read.town == "Basel" && read["n"] == .counter(7))
    try await two.conflicts.resolve("y", with: Keeper(id: "y", name: "Bea"))
    #expect(try await record("y")?.name == "Bea")
  }

  /// A conflict that has become another one since is looked at again first.
  @Test func changedConflictIsStale() async throws {
    let x = try #require(try await two.conflicts.find("x"))
    try await pair.one.write { transaction in
      var record = try #require(try transaction.record("x"))
      record.name = "Angela"
      try transaction.save(&record)
    }
    try pair.sync()
    let error = try await failure { try await two.conflicts.resolve(x, with: x.merged) }
    #expect(error.code == .stale && error.details["id"] == "x")
    #expect(try await two.conflicts.find("x") != nil)
  }

  static let choices: [(ConflictResolution, String?, Bool)] = [
    (.ours, "Anne", false), (.theirs, "Anna", true), (.merge(otherwise: .ours), "Anne", true),
    (.merge(["name": .theirs]), "Anna", true), (.merge(["/name": .base, "age": .base]), "Ann", false),
    (.merge(["name": .winner], otherwise: .text), nil, true),
  ]

  @Test(arguments: choices)
  func everyChoiceResolvesConflict(choice: ConflictResolution, name: String?, hasAge: Bool) async throws {
    #expect(try await two.conflicts.resolve("x", choice).revision != nil)
    let read = try #require(try await record("x"))
    #expect(read["n"] == .counter(7) && (read.age == 7) == hasAge)
    if let name { #expect(read.name == .some(.string(name))) }
  }

  @Test func severalConflictsResolveTogetherOrNotAtAll() async throws {
    let open = try await failure { try await two.conflicts.resolve(["x", "y"], .merge()) }
    #expect(open.code == .conflict && open.message.contains("name"), "\(open)")
    #expect(try await two.conflicts.count() == 2)
    let part = try await two.conflicts.resolve(["x", "y"], .merge(["name": .newest]), partially: true)
    #expect(part.map(\.isOpen) == [false, true] && part[1].revision == nil)
    #expect(try await two.conflicts.ids() == ["y"])
    let y = try #require(try await two.conflicts.find("y"))
    let deletion = try #require(y.foreign)
    #expect(try await two.conflicts.resolve(y, .take(deletion.revision)).isDeleted)
    #expect(try await two.conflicts.count() == 0)
  }

  @Test func functionResolvesAllConflictsOrNone() async throws {
    struct No: Error {}
    await #expect(throws: No.self) {
      try await two.conflicts.resolveAll(
        .function { conflict in
          guard let foreign = conflict.foreign?.content else { throw No() }
          return .keep(foreign)
        })
    }
    #expect(try await two.conflicts.count() == 2)
    let done = try await two.conflicts.resolveAll(
      .function(of: Keeper.self) { conflict in
        let client = try #require(conflict.own?.content)
        guard var kept = conflict.foreign?.content else { return .keep(client) }
        #expect(conflict.base?.content?.name == "Ann" && client.name == "Anne")
        kept.name += " or " + client.name
        return .keep(kept)
      })
    #expect(done.map(\.id) == ["x", "y"] && done.allSatisfy { $0.revision != nil })
    #expect(try await record("x")?.name == "Anna or Anne")
    #expect(try await record("y")?.name == "Bert")
    #expect(try await two.conflicts.resolveAll(.strategy(.winner)).isEmpty)
  }

  @Test func deletionsCanWin() async throws {
    let done = try await two.conflicts.resolveAll(.strategy(.theirs, of: "keeper"))
    #expect(done.map(\.isDeleted) == [false, true])
    #expect(try await record("x")?.name == "Anna")
    #expect(try await record("y") == nil)
  }

  @Test func resolverOfAnotherTypeLeavesConflictsOpen() async throws {
    #expect(try await two.conflicts.resolveAll(.strategy(.winner, of: "bird"), .strategy(.merge())).isEmpty)
    #expect(try await two.conflicts.count() == 2)
  }

  @Test(.timeLimit(.minutes(20))) func updatesListOpenConflicts() async throws {
    var updates = two.conflicts.updates(of: "keeper").makeAsyncIterator()
    #expect(try await updates.next() == ["x", "y"])
    let task = Task { [two] in
      try await two.save(Keeper(id: "z", name: "nothing to do with it"))
      try await two.conflicts.resolve("x", .winner)
    }
    #expect(try await updates.next() == ["y"])
    try await task.value
    let waiting = Task { [two] in
      var all: [[String]] = []
      for try await ids in two.conflicts.updates() { all.append(ids) }
      return all
    }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    #expect(try await waiting.value.count <= 1)
  }
}
