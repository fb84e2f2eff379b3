import SeaKit
import SeaStudio
import Testing

/// The page of conflicts and of one conflict: what they show, and what they store.
@Suite struct ConflictPageTests {
  private static let hostile = "<script>alert('\u{202E}')</script>"

  private func team(isReadOnly: Bool = false) async throws -> Team {
    let team = try await Team(isReadOnly: isReadOnly) { database in
      try await database.write { transaction in
        for id in ["a", "b", "c", Self.hostile] {
          try transaction.save(Record(type: "bird", id: id, ["name": "Wren", "notes": "one", "n": .counter(1)]))
        }
      }
    }
    for (database, name) in [(team.one, "Winter wren"), (team.two, "Eurasian \(Self.hostile)")] {
      try await database.write { transaction in
        for id in ["a", "b", Self.hostile] {
          var record = try #require(try transaction.record(id))
          record.name = .string(name)
          record.add(2, to: "n")
          try transaction.save(&record)
        }
      }
    }
    try await team.two.write { try $0.delete("c") }
    var record = try #require(try await team.one.record("c"))
    record.notes = "kept"
    try await team.one.save(record)
    try await team.sync()
    return team
  }

  private func form(_ page: Visitor.Page) -> [(String, String)] {
    [
      ("id", page.values("id").first ?? ""), ("leaves", page.values("leaves").first ?? ""),
      ("p0", page.values("p0").first ?? ""),
    ]
  }

  private func side(_ page: Visitor.Page, _ k: Int) -> String {
    page.values("c0").filter { $0.hasPrefix("side:") }[k]
  }

  @Test func listNamesEveryConflict() async throws {
    let team = try await team()
    let page = await team.visitor.open("/conflicts")
    #expect(page.status == 200 && page.values("one").count == 4)
    #expect(page.has("deleted and changed") && page.has("several changed it") && page.has("the whole record"))
    #expect(!page.has("<script>alert") && page.has(">U+202E</span>"))
  }

  @Test func oneSideIsChosenForAProperty() async throws {
    let team = try await team()
    let page = await team.visitor.open("/conflict?id=a")
    #expect(page.has("Winter wren") && page.has("1 choice") && page.has("sea resolve") && !page.has("<script>alert"))
    let record = try #require(try await team.one.record("a"))
    #expect(page.values("c0").filter { $0.hasPrefix("side:") }.count == 2)
    for k in 0...1 {
      let preview = await team.visitor.send("/conflict", form(page) + [("c0", side(page, k))])
      #expect(preview.status == 200 && preview.has("Resolve the conflict"))
      #expect(try await team.one.record("a")?.revision == record.revision, "a preview stores nothing")
    }
    let conflict = try #require(try await team.one.conflicts.find("a"))
    let wanted = try #require(conflict.versions[1].content?["name"])
    let loser = "side:\(conflict.versions[1].revision)"
    let done = await team.visitor.send("/conflict", form(page) + [("c0", loser), ("do", "resolve")])
    #expect(done.status == 303)
    let now = try #require(try await team.one.record("a"))
    #expect(now.name == wanted && now["n"] == .counter(5) && now.conflicts.isEmpty)
    #expect(await team.visitor.follow(done).has("3 conflicts left"))
  }

  @Test func wordsThatDifferInShortTextsAreMarked() async throws {
    let team = try await Team { try await $0.save(Record(type: "bird", id: "a", ["name": "Wren"])) }
    for (database, name) in [(team.one, "Winter wren"), (team.two, "Eurasian wren")] {
      var record = try #require(try await database.record("a"))
      record.name = .string(name)
      try await database.save(record)
    }
    try await team.sync()
    let page = await team.visitor.open("/conflict?id=a")
    #expect(page.has("<mark>Winter</mark> wren") && page.has("<mark>Eurasian</mark> wren"))
  }

  @Test func ownSideComesFirst() async throws {
    let team = try await team()
    for id in ["a", "b", "c"] {
      let page = await team.visitor.open("/conflict?id=\(id)")
      let first = try #require(page.text.firstRange(of: "<li class=\"side side0\">")).upperBound
      #expect(page.text[first...].prefix { $0 != "\n" }.contains("<bdi>one</bdi></span> <span class=quiet>(here)"))
    }
    let names = await team.visitor.open("/conflict?id=a").text
    let list = names[names.firstRange(of: "id=choices")!.upperBound...]
    #expect(list.firstRange(of: "Winter wren")!.lowerBound < list.firstRange(of: "Eurasian")!.lowerBound)
  }

  @Test func undoneResolutionNamesAuthorsAndRecord() async throws {
    let team = try await team()
    let conflict = try #require(try await team.one.conflicts.find("a"))
    let foreign = try #require(conflict.foreign)
    let page = await team.visitor.open("/conflict?id=a")
    let done = await team.visitor.send(
      "/conflict", form(page) + [("c0", "value"), ("k0", "text"), ("v0", "Jenny"), ("do", "resolve")])
    #expect(await team.visitor.follow(done).has("Resolved Jenny. 3 conflicts left."))
    #expect(
      await team.visitor.open("/undo").has(">The conflict of <a href=\"/record?id=a\"><bdi>Jenny</bdi></a> returns."))
    let undone = await team.visitor.send("/undo", [])
    #expect(undone.location?.hasPrefix("/conflict?id=a&done=") == true)
    let again = await team.visitor.follow(undone)
    #expect(again.has("Undone: resolve of Jenny.") && again.has("<bdi>two</bdi>") && again.has("<bdi>one</bdi>"))
    let now = try #require(try await team.one.conflicts.find("a"))
    #expect(Set(now.versions.map(\.author)) == Set(conflict.versions.map(\.author)))
    #expect(now.foreign?.author == foreign.author && now.foreign?.time == foreign.time)
    #expect(now.foreign?.content?["name"] == foreign.content?["name"])
    #expect(
      await team.visitor.open("/undo?operation=\(try await team.one.history.operations(limit: 1)[0].id)").has(
        "is resolved again."))
  }

  @Test func referencesAreNamed() async throws {
    let team = try await Team { database in
      try await database.write { transaction in
        for (id, name) in [("p/1", "Bakery"), ("p/2", "Harbor"), ("p/3", "Mill")] {
          try transaction.save(Record(type: "place", id: id, ["name": .string(name)]))
        }
        try transaction.save(Record(type: "bird", id: "a", ["at": .reference(RecordReference("p/1"))]))
      }
    }
    for (database, place) in [(team.one, "p/2"), (team.two, "p/3")] {
      var record = try #require(try await database.record("a"))
      record["at"] = .reference(RecordReference(place))
      try await database.save(record)
    }
    try await team.sync()
    let page = await team.visitor.open("/conflict?id=a")
    let other = form(page) + [("c0", "value"), ("k0", "reference")]
    let wrong = await team.visitor.send("/conflict", other + [("v0", "Bakary"), ("do", "resolve")])
    #expect(wrong.status == 422 && wrong.has("No record has the name or id &#39;Bakary&#39;"))
    let preview = await team.visitor.send("/conflict", other + [("v0", "Bakery")])
    #expect(preview.status == 200 && preview.has("<ins><bdi>Bakery</bdi></ins>") && !preview.has("<bdi>p/"))
    let bulk = await team.visitor.send("/resolve", [("one", page.values("leaves")[0] + " a"), ("side", "theirs")])
    #expect(bulk.has("<bdi>Mill</bdi>") && !bulk.has("<bdi>p/"))
    #expect(await team.visitor.send("/conflict", other + [("v0", "Bakery"), ("do", "resolve")]).status == 303)
    #expect(try await team.one.record("a")?["at"] == .reference(RecordReference("p/1")))
  }

  @Test func anotherValueIsWritten() async throws {
    let team = try await team()
    let page = await team.visitor.open("/conflict?id=a")
    let wrong = await team.visitor.send(
      "/conflict", form(page) + [("c0", "value"), ("k0", "day"), ("v0", "tomorrow"), ("do", "resolve")])
    #expect(wrong.status == 422 && wrong.has("is not a day"))
    let missing = await team.visitor.send("/conflict", form(page) + [("do", "resolve")])
    #expect(missing.status == 422 && missing.has("Choose a value"))
    let done = await team.visitor.send(
      "/conflict", form(page) + [("c0", "value"), ("k0", "text"), ("v0", "Zaunkönig"), ("do", "resolve")])
    #expect(done.status == 303)
    #expect(try await team.one.record("a")?.name == "Zaunkönig")
  }

  @Test func deletionIsChosenOrNot() async throws {
    let team = try await team()
    let page = await team.visitor.open("/conflict?id=c")
    #expect(page.has("Keep or delete") && page.has("kept"))
    let conflict = try #require(try await team.one.conflicts.find("c"))
    let gone = conflict.versions.first(where: \.isDeleted)
    let deletion = try #require(gone).revision
    let preview = await team.visitor.send("/conflict", form(page) + [("take", deletion.description)])
    #expect(preview.has("deleted</strong> on all instances"))
    _ = await team.visitor.send("/conflict", form(page) + [("c0", "side:\(deletion)"), ("do", "resolve")])
    #expect(try await team.one.record("c") == nil)
    #expect(try await team.one.conflicts.find("c") == nil)
  }

  @Test func staleChoiceStoresNothing() async throws {
    let team = try await team()
    let page = await team.visitor.open("/conflict?id=a")
    var record = try #require(try await team.two.record("a"))
    record.notes = "two"
    try await team.two.save(record)
    try await team.sync()
    let now = try #require(try await team.one.record("a"))
    let late = await team.visitor.send("/conflict", form(page) + [("c0", side(page, 0)), ("do", "resolve")])
    #expect(late.status == 409 && late.has("has changed in the meantime"))
    #expect(try await team.one.record("a")?.revision == now.revision)
    try await team.one.conflicts.resolve("a", .winner)
    let ended = await team.visitor.send("/conflict", form(page) + [("c0", side(page, 0)), ("do", "resolve")])
    #expect(ended.status == 409 && ended.has("No longer in conflict"))
  }

  @Test(arguments: [("ours", "Winter wren"), ("theirs", nil)]) func oneSideIsTakenForAll(side: String, name: String?)
    async throws
  {
    let team = try await team()
    let marked = await team.visitor.open("/conflicts").values("one").filter { !$0.hasSuffix(" b") }.map { ("one", $0) }
    #expect(marked.count == 3)
    let preview = await team.visitor.send("/resolve", marked + [("side", side)])
    #expect(preview.status == 200 && preview.has("Resolve 3 conflicts?") && preview.values("one").count == 3)
    #expect(try await team.one.conflicts.count() == 4)
    let done = await team.visitor.send("/resolve", marked + [("side", side), ("do", "resolve")])
    #expect(done.status == 303)
    #expect(try await team.one.conflicts.ids() == ["b"])
    let wanted = Value.string(name ?? "Eurasian \(Self.hostile)")
    #expect(try await team.one.record("a")?.name == wanted)
    #expect(try await team.one.record(Self.hostile)?.name == wanted)
    #expect((try await team.one.record("c") == nil) == (side == "theirs"))
    #expect(try await team.one.record("a")?["n"] == .counter(5))
    // One undo takes all of it back.
    let late = await team.visitor.send("/resolve", marked + [("side", side), ("do", "resolve")])
    #expect(late.status == 409 && late.has("changed in the meantime"))
  }

  @Test func nothingIsStoredReadOnly() async throws {
    let team = try await team(isReadOnly: true)
    let page = await team.visitor.open("/conflict?id=a")
    #expect(page.status == 200 && page.has("disabled"))
    #expect(
      await team.visitor.send("/conflict", form(page) + [("c0", side(page, 0)), ("do", "resolve")]).status == 403)
    #expect(try await team.one.conflicts.count() == 4)
  }
}
