import SeaKit
import SeaStudio
import SeaTestSupport
import Testing

/// The pages about copies and members.
@Suite struct CopiesPageTests {
  private func finished(_ visitor: Visitor, _ page: Visitor.Page) async throws -> Visitor.Page {
    for _ in 0..<600 {
      let now = await visitor.follow(page)
      if !now.has("data-running") { return now }
      try await Task.sleep(for: .milliseconds(50))
    }
    return page
  }

  @Test func drawingShowsWhatCopiesLack() async throws {
    let team = try await Team { try await $0.save(Record(type: "t", id: "a", ["x": 1])) }
    try await team.sync()
    try await team.one.save(Record(type: "t", id: "b", ["x": 2]))
    let page = await team.visitor.open("/copies")
    #expect(page.status == 200 && page.has("<svg class=wide") && page.has("two: ") && page.has("lacks 1 block"))
    #expect(page.has("<span class=\"warn\">has to be synced</span>") && page.has("last heard from just now"))
    #expect(page.has("team: has to be synced, last sync just now, lacks 1 block."))
    #expect(await team.visitor.open("/copies?probe=1").has("checked now"))
    for path in ["/copies", "/health"] { #expect(await team.visitor.open(path).has("</time>, in ")) }
  }

  @Test func fileIsFetchedFromAContainer() async throws {
    let team = try await Team()
    try await team.one.assets.write(["f": .bytes([1, 2, 3])]) { transaction, assets in
      try transaction.save(Record(type: "t", id: "a", ["photo": .asset(assets["f"]!)]))
    }
    try await team.one.sync()
    try await team.one.assets.drop(in: ["a"])
    let visitor = team.visitor
    let address = "/fetch?id=a&path=/photo"
    #expect(
      await visitor.open("/record?id=a").has("Not on this device. <a href=\"\(address.replacing("&", with: "&amp;"))"))
    #expect(await visitor.open(address).has("It is in <strong><bdi>team</bdi></strong>."))
    let form = [("id", "a"), ("path", "/photo")]
    let page = await visitor.follow(await visitor.send("/fetch", form))
    #expect(page.has("Fetched from team.") && page.has("Download") && !page.has("Not on this device"))
    #expect(try await team.one.assets.uses(in: ["a"]).map(\.isHere) == [true])
    #expect(await visitor.open("/fetch?id=a&path=/x").status == 404)
  }

  @Test func syncAndDryRunRunInTheBackground() async throws {
    let team = try await Team()
    try await team.two.save(Record(type: "t", id: "b", ["x": 2]))
    try await team.two.sync()
    let position = try await team.one.position()
    let dry = try await finished(team.visitor, await team.visitor.send("/sync", [("do", "preview")]))
    #expect(dry.has("Nothing was changed") && dry.has("<th scope=row><bdi>team</bdi>"))
    #expect(try await team.one.position() == position)
    #expect(try await team.one.record("b") == nil)
    let done = try await finished(team.visitor, await team.visitor.send("/sync", [("name", "team"), ("do", "sync")]))
    #expect(done.has("Done") && done.has("sea sync team"))
    #expect(try await team.one.record("b") != nil)
    #expect(await team.visitor.send("/sync", [("name", "none"), ("do", "sync")]).status == 404)
    #expect(await team.visitor.send("/sync", [("do", "sync")], token: "wrong").status == 403)
    #expect(await team.visitor.open("/sync?job=none").status == 404)
  }

  @Test func containerIsAttachedAfterACheck() async throws {
    let team = try await Team()
    let (visitor, place) = (team.visitor, team.scratch.path("more"))
    func attach(_ fields: [(String, String)]) async -> Visitor.Page { await visitor.send("/attach", fields) }
    #expect(await attach([("name", "more"), ("location", "more.sea"), ("do", "attach")]).has("Write the whole path"))
    let missing = await attach([("name", "more"), ("location", place), ("do", "check")])
    #expect(missing.status == 422 && missing.has("Create it if it does not exist"))
    #expect(await attach([("name", "<b>"), ("location", place), ("create", "1"), ("do", "attach")]).status == 422)
    #expect(
      await attach([("name", "more"), ("location", place), ("assets", "some"), ("create", "1"), ("do", "attach")])
        .status == 422)
    let check = await attach([("name", "more"), ("location", place), ("create", "1"), ("auto", "1"), ("do", "check")])
    #expect(check.status == 200 && check.has("It would be created") && check.has("sea add-container --create more"))
    #expect(try await team.one.containers().map(\.name) == ["team"])
    #expect(await attach([("name", "more"), ("location", place), ("create", "1"), ("do", "attach")]).status == 303)
    let attached = try #require(try await team.one.containers().first { $0.name == "more" })
    #expect(!attached.isAutomatic && !attached.isReadOnly)
    #expect(await visitor.open("/detach?name=more").has("Its files stay"))
    #expect(await visitor.send("/detach", [("name", "more")]).status == 303)
    #expect(try await team.one.containers().map(\.name) == ["team"])
  }

  @Test func requestIsComparedAndAuthorized() async throws {
    let team = try await Team(hasMembers: true)
    try await team.sync()
    let asking = try #require(try await team.one.members.requests().first)
    let words = try #require(asking.fingerprint)
    let page = await team.visitor.open("/members")
    #expect(page.has("Requests to join") && words.split(separator: " ").allSatisfy { page.has("<bdi>\($0)</bdi>") })
    #expect(await team.visitor.open("/copies").has("asks to join"))
    let form = [("id", asking.id), ("role", "read")]
    let unread = await team.visitor.send("/authorize", form + [("fingerprint", words)])
    #expect(unread.status == 422 && unread.has("Compare the words"))
    let other = words.split(separator: " ").reversed().joined(separator: " ")
    #expect(await team.visitor.send("/authorize", form + [("fingerprint", other), ("compared", "1")]).status == 422)
    #expect(try await team.one.members.requests().count == 1)
    let done = await team.visitor.send("/authorize", form + [("fingerprint", words), ("compared", "1")])
    #expect(done.status == 303)
    let member = try #require(try await team.one.members.all().first { $0.id == asking.id })
    #expect(member.state == .authorized && member.role == .read)
    #expect(await team.visitor.follow(done).has("Authorized two: read"))
  }

  @Test func revocationSaysWhatIsLost() async throws {
    let team = try await Team(hasMembers: true)
    try await team.sync()
    let asking = try #require(try await team.one.members.requests().first)
    try await team.one.members.authorize(asking)
    try await team.sync()
    try await team.two.save(Record(type: "t", id: "b", ["x": 2]))
    try await team.sync()
    let page = await team.visitor.open("/revoke?id=\(asking.id)")
    #expect(page.status == 200 && page.has("It can still read its own copy") && page.has("Sync first"))
    let look = await team.visitor.send("/revoke", [("id", asking.id), ("after", "0"), ("do", "look")])
    #expect(look.has("is undone") && look.has("--after=0"))
    #expect(await team.visitor.send("/revoke", [("id", asking.id), ("after", "x"), ("do", "revoke")]).status == 422)
    #expect(try await team.one.members.all().first { $0.id == asking.id }?.state == .authorized)
    #expect(await team.visitor.send("/revoke", [("id", asking.id), ("after", "0"), ("do", "revoke")]).status == 303)
    #expect(try await team.one.members.all().first { $0.id == asking.id }?.state == .revoked)
    #expect(try await team.one.record("b") == nil)
    // The only admin needs to say its name.
    let own = try await team.one.instance()
    let last = await team.visitor.send("/revoke", [("id", own.id), ("do", "revoke")])
    #expect(last.status == 422 && last.has("Name of this instance"))
  }
}
