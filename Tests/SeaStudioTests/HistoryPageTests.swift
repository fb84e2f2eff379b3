import SeaKit
import SeaStudio
import Testing

/// What pages say about the past: the timeline of a record, the page History, and deleted records.
@Suite struct HistoryPageTests {
  /// Both instances change the record `a`, and the first one resolves the conflict.
  private func team() async throws -> Team {
    let team = try await Team { try await $0.save(Record(type: "bird", id: "a", ["name": "Wren", "n": 1])) }
    for (database, name) in [(team.one, "Winter wren"), (team.two, "Eurasian wren")] {
      var record = try #require(try await database.record("a"))
      record.name = .string(name)
      try await database.save(record)
    }
    try await team.sync()
    return team
  }

  private func timeline(_ page: Visitor.Page) throws -> Substring {
    let start = try #require(page.text.firstRange(of: "<section class=history"))
    return page.text[start.lowerBound...]
  }

  @Test func timelineShowsWhatAMergedBranchChanged() async throws {
    let team = try await team()
    let open = try timeline(await team.visitor.open("/record?id=a"))
    #expect(open.contains("1 other branch") && open.contains("in conflict"))
    #expect(open.contains("Winter wren") && open.contains("Eurasian wren"))
    #expect(open.contains("Bring back <bdi>Wren</bdi><span class=hidden> of name</span>"))
    try await team.one.conflicts.resolve("a", .merge(otherwise: .ours))
    let merged = try timeline(await team.visitor.open("/record?id=a"))
    #expect(merged.contains("<strong>Merged</strong>") && merged.contains("<ul class=branch>"))
    #expect(merged.contains("Winter wren") && merged.contains("Eurasian wren"))
    #expect(merged.contains("<bdi>one</bdi>") && merged.contains("<bdi>two</bdi>"))
    #expect(!merged.contains("tombstone") && !merged.contains("other branch"))
  }

  @Test func menuCountsConflicts() async throws {
    let team = try await team()
    #expect(await team.visitor.open("/").has("Conflicts <span class=count>1</span>"))
    try await team.one.conflicts.resolve("a", .merge(otherwise: .ours))
    #expect(!(await team.visitor.open("/").has("Conflicts <span class=count>")))
  }

  @Test func menuMarksTheSectionOfEachPage() async throws {
    let team = try await team()
    for (path, section, mark) in [
      ("/", "/", "page"), ("/record?id=a", "/", "true"), ("/edit?id=a", "/", "true"),
      ("/conflict?id=a", "/conflicts", "true"),
      ("/undo", "/operations", "true"), ("/attach", "/copies", "true"),
    ] {
      let menu = await team.visitor.open(path).text.split(separator: "</nav>")[0]
      #expect(menu.split(separator: "aria-current=").count == 2, "\(path)")
      #expect(menu.contains("<a href=\"\(section)\" aria-current=\(mark)>"), "\(path)")
    }
  }

  @Test func historyNamesRecordsAndWhatWasDone() async throws {
    let team = try await team()
    try await team.one.conflicts.resolve("a", .merge(otherwise: .ours))
    try await team.one.write("cleared") { try $0.delete("a") }
    let page = await team.visitor.open("/operations")
    let parts = page.text.split(separator: "id=everyone")
    let (own, all) = (try #require(parts.first), try #require(parts.last))
    for text in [own, all] {
      #expect(text.contains("<strong>Deleted</strong> <a href=\"/record?id=a\"><bdi>Winter wren</bdi></a>"))
      #expect(text.contains("<strong>Created</strong>") && text.contains("<bdi>cleared</bdi>"))
    }
    #expect(own.contains("<strong>Resolved</strong>") && all.contains("<strong>Merged</strong>"))
    #expect(all.contains("<strong>Started</strong> by") && !page.has("0 changes"))
    // The exact time is there without scripts and without a pointer.
    let year = String(Timestamp.now.description.prefix(4))
    #expect(own.contains(">\(year)-") && own.contains(" UTC</time>, <bdi>cleared</bdi>"))
  }

  @Test func deletedRecordsShowTheirLastValues() async throws {
    let database = try await Database.inMemory()
    try await database.save(Record(type: "object", id: "o/42", ["name": "Bone comb", "number": "1932-0042"]))
    try await database.delete("o/42")
    let page = await (try await Visitor(database)).open("/deleted")
    #expect(page.has("<bdi>Bone comb</bdi>") && page.has("<bdi>1932-0042</bdi>"))
    let record = await (try await Visitor(database)).open("/record?id=o/42")
    #expect(record.has("<h1><bdi>Bone comb</bdi></h1>") && record.has("<bdi>object</bdi>"))
    #expect(record.has("<a class=\"button main\" href=\"/revert?id=o/42"))
  }

  @Test func oldStateSaysThatOtherNamesAreCurrent() async throws {
    let database = try await Database.inMemory()
    try await database.save(Record(type: "place", id: "p", ["name": "Mill"]))
    try await database.save(Record(type: "object", id: "o", ["place": .reference(RecordReference("p"))]))
    let revision = try #require(try await database.record("o")?.revision).description
    let visitor = try await Visitor(database)
    #expect(await visitor.open("/record?id=o&rev=\(revision)").has("with their current names"))
    #expect(!(await visitor.open("/record?id=o").has("with their current names")))
  }
}
