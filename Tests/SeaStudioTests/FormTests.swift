import SeaKit
import SeaStudio
import Testing

/// Forms as browsers send them, and what they change.
@Suite struct FormTests {
  private let host = "127.1.2.3:4"

  /// A studio whose browser has entered.
  private struct Visitor {
    let studio: Studio
    let cookie: String
    let host: String

    init(_ database: Database, host: String) throws {
      let gate = Gate(host: host, isReadOnly: false)
      let target = String(try #require(gate.address).dropFirst("http://\(host)".count))
      let request = Request(method: "GET", target: target, headers: [("host", host)])!
      let answer = try #require(try gate.check(request))
      cookie = String(try #require(answer.header("set-cookie")).prefix { $0 != ";" })
      (studio, self.host) = (Studio(database, gate), host)
    }

    func get(_ target: String) async -> Answer {
      await studio.answer(Request(method: "GET", target: target, headers: [("host", host), ("cookie", cookie)])!)
    }

    /// Sends a form with files, in pieces of a few bytes.
    func post(_ path: String, _ fields: [(String, String)], files: [(String, [UInt8])] = [], pieces: Int = 7) async
      -> Answer
    {
      var body: [UInt8] = []
      for (name, value) in [("token", studio.gate.formToken)] + fields {
        body += Array("--b\r\ncontent-disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
      }
      for (name, content) in files {
        body += Array("--b\r\ncontent-disposition: form-data; name=\"\(name)\"; filename=\"x.png\"\r\n\r\n".utf8)
        body += content + Array("\r\n".utf8)
      }
      return await send(path, body + Array("--b--\r\n".utf8), pieces: pieces)
    }

    func send(_ path: String, _ body: [UInt8], pieces: Int = 7) async -> Answer {
      let source = Pieces(body, pieces)
      let headers = [
        ("host", host), ("cookie", cookie), ("origin", "http://\(host)"),
        ("content-type", "multipart/form-data; boundary=b"),
      ].map { (name: $0.0, value: $0.1) }
      return await studio.answer(
        Request(method: "POST", target: path, headers: headers, body: .init { source.next() })!)
    }
  }

  private func bird() async throws -> (database: Database, visitor: Visitor, revision: String) {
    let database = try await Database.inMemory()
    try await database.write { transaction in
      try transaction.save(
        Record(
          type: "bird", id: "wren",
          [
            "name": "Wren", "seen": 3, "tags": .set(["small", "brown"]), "visits": .counter(5),
            "ring": .dictionary(["year": 2020]), "born": .day(Day("2020-05-01")!), "weight": .decimal("9.50"),
          ]))
    }
    let revision = try #require(try await database.record("wren")?.revision).description
    return (database, try Visitor(database, host: host), revision)
  }

  private func row(_ number: Int, _ path: String, _ kind: String, _ old: String, _ new: String) -> [(String, String)] {
    [("p\(number)", path), ("k\(number)", kind), ("o\(number)", old), ("v\(number)", new)]
  }

  @Test(arguments: [1, 2, 7, 64, 100_000]) func changesAreSavedByKind(pieces: Int) async throws {
    let (database, visitor, revision) = try await bird()
    let fields =
      [("id", "wren"), ("rev", revision)] + row(0, "/name", "text", "Wren", "Zaunkönig\r\nsings")
      + row(1, "/seen", "number", "3", "4.5") + row(2, "/born", "day", "2020-05-01", "2020-05-02")
      + row(3, "/weight", "decimal", "9.50", "9.75") + row(4, "/ring/year", "number", "2020", "2020")
      + [("p5", "/tags"), ("k5", "set"), ("d5", "text:small"), ("a5", "shy\r\nloud"), ("e5", "text")]
      + [("p6", "/visits"), ("k6", "counter"), ("c6", "-2")] + [
        ("n7", "at"), ("k7", "date"), ("v7", "2026-03-01T12:30"),
      ]
    let photo = [UInt8]([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x0D, 0x0A, 0x2D, 0x2D, 0x63])
    let answer = await visitor.post(
      "/edit", fields + [("n8", "photo"), ("k8", "file")], files: [("f8", photo)], pieces: pieces)
    #expect(answer.status == 303)
    let saved = try #require(try await database.record("wren"))
    #expect(saved["name"] == "Zaunkönig\nsings" && saved["seen"] == 4.5 && saved["weight"] == .decimal("9.75"))
    #expect(saved["born"] == .day(Day("2020-05-02")!) && saved["visits"] == .counter(3))
    #expect(saved["at"] == .date(Timestamp("2026-03-01T12:30:00Z")!) && saved[path: "/ring/year"] == 2020)
    guard case .set(let tags)? = saved["tags"], case .asset(let asset)? = saved["photo"] else {
      Issue.record("tags or photo missing")
      return
    }
    #expect(Set(tags) == ["brown", "shy", "loud"])
    #expect(try await database.assets.bytes(of: asset) == photo)
  }

  @Test func wrongValuesAreAskedForAgain() async throws {
    let (database, visitor, revision) = try await bird()
    let answer = await visitor.post(
      "/edit",
      [("id", "wren"), ("rev", revision)] + row(0, "/name", "text", "Wren", "X")
        + row(1, "/seen", "number", "3", "many"))
    guard case .bytes(let bytes) = answer.content else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(answer.status == 422 && text.contains("&#39;many&#39; is not a number") && text.contains("value=\"X\""))
    #expect(try await database.record("wren")?["name"] == "Wren")
  }

  @Test func newerRevisionIsShownAndAsked() async throws {
    let (database, visitor, revision) = try await bird()
    try await database.write { transaction in
      var record = try #require(try transaction.record("wren"))
      record["name"] = "Jenny"
      record["seen"] = 10
      try transaction.save(&record)
    }
    let fields = row(0, "/name", "text", "Wren", "Zaunkönig") + row(1, "/born", "day", "2020-05-01", "2021-05-01")
    let answer = await visitor.post("/edit", [("id", "wren"), ("rev", revision)] + fields)
    guard case .bytes(let bytes) = answer.content else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      answer.status == 409 && text.contains("Jenny") && text.contains("Zaunkönig") && text.contains("name=\"choice0\""))
    #expect(try await database.record("wren")?["name"] == "Jenny")
    let now = try #require(try await database.record("wren")?.revision).description
    let again = await visitor.post("/edit", [("id", "wren"), ("rev", now), ("choice0", "theirs")] + fields)
    #expect(again.status == 303)
    let saved = try #require(try await database.record("wren"))
    #expect(saved["name"] == "Jenny" && saved["seen"] == 10 && saved["born"] == .day(Day("2021-05-01")!))
  }

  @Test func recordsAreCreatedDeletedAndBroughtBack() async throws {
    let (database, visitor, _) = try await bird()
    let fields = [("type", "bird"), ("id", "owl"), ("p0", "/name"), ("new0", "1"), ("k0", "text"), ("v0", "Owl")]
    #expect(await visitor.post("/new", fields).status == 303)
    #expect(try await database.record("owl")?["name"] == "Owl")
    #expect(await visitor.post("/new", fields).status == 422)
    let revision = try #require(try await database.record("owl")?.revision).description
    #expect(await visitor.post("/delete", [("id", "owl"), ("rev", revision)]).status == 303)
    #expect(try await database.record("owl") == nil)
    guard case .bytes(let bytes) = await visitor.get("/deleted").content else { return }
    #expect(String(decoding: bytes, as: UTF8.self).contains("/revert?id=owl"))
    #expect(await visitor.post("/revert", [("id", "owl"), ("rev", revision)]).status == 303)
    #expect(try await database.record("owl")?["name"] == "Owl")
    #expect(await visitor.post("/undo", []).status == 303)
    #expect(try await database.record("owl") == nil)
  }

  private func text(_ answer: Answer) -> String {
    guard case .bytes(let bytes) = answer.content else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func newRecordHasTypeAndItsKinds() async throws {
    let (database, visitor, _) = try await bird()
    let types = text(await visitor.get("/new"))
    #expect(types.contains("href=\"/new?type=bird\"") && types.contains("<input name=type required"))
    #expect(!types.contains("method=post") && !types.contains("name=\"k0\""))
    #expect(await visitor.post("/new", [("id", "x"), ("n0", "name"), ("k0", "text"), ("v0", "X")]).status == 400)
    let form = text(await visitor.get("/new?type=bird"))
    #expect(form.contains("value=\"/weight\"") && form.contains("<input type=hidden name=type value=\"bird\">"))
    // A text gets the kind that the property has elsewhere.
    let fields = [
      ("type", "bird"), ("id", "owl"), ("n0", "weight"), ("k0", "text"), ("v0", "12.5"), ("n1", "born"),
      ("k1", "text"), ("v1", "2021-05-01"), ("n2", "song"), ("k2", "text"), ("v2", "12"), ("n3", "seen"),
      ("k3", "decimal"), ("v3", "4"),
    ]
    #expect(await visitor.post("/new", fields).status == 303)
    let owl = try #require(try await database.record("owl"))
    #expect(owl["weight"] == .decimal("12.5") && owl["born"] == .day(Day("2021-05-01")!))
    #expect(owl["song"] == "12" && owl["seen"] == .decimal("4"))
    let wrong = await visitor.post(
      "/new", [("type", "bird"), ("id", "jay"), ("n0", "weight"), ("k0", "text"), ("v0", "light")])
    #expect(wrong.status == 422 && text(wrong).contains("&#39;light&#39; is not a decimal number"))
    #expect(text(wrong).contains("name=\"n0\" value=\"weight\""))
  }

  @Test func nameOfRecordBecomesReference() async throws {
    let (database, visitor, _) = try await bird()
    try await database.write { transaction in
      for (id, name, region) in [("p/1", "Bakery", "north"), ("p/2", "Harbor", "north"), ("p/3", "Harbor", "south")] {
        try transaction.save(Record(type: "place", id: id, ["name": .string(name), "region": .string(region)]))
      }
      try transaction.save(Record(type: "street", id: "s/1", ["name": "Mill"]))
      try transaction.save(
        Record(
          type: "find", id: "f/1",
          [
            "place": .reference(RecordReference("p/2")), "old": .reference(RecordReference("gone")),
            "all": .set([.reference(RecordReference("p/2"))]),
          ]))
    }
    func new(_ id: String, _ place: String) async -> Answer {
      await visitor.post(
        "/new",
        [("type", "find"), ("id", id), ("new0", "1"), ("n1", "note"), ("k1", "text"), ("v1", "Kept text")]
          + row(0, "/place", "reference", "", place))
    }
    #expect(await new("f/2", "bakery").status == 303)
    #expect(try await database.record("f/2")?["place"] == .reference(RecordReference("p/1")))
    #expect(await new("f/3", "p/3").status == 303)
    for (name, problem) in [
      ("Bakary", "No record has the name or id &#39;Bakary&#39;"), ("Mill", "No record has the name"),
      ("Harbor", "Several records have the name &#39;Harbor&#39;; choose one."),
    ] {
      let answer = await new("f/4", name)
      #expect(answer.status == 422 && text(answer).contains(problem), "\(name)")
      #expect(text(answer).contains("Nothing was created; correct: place."))
      #expect(text(answer).contains("Kept text") && text(answer).contains(name))
      // They are told apart by their other values.
      #expect(text(answer).contains("<select id=\"v0\" name=\"v0\" required") == (name == "Harbor"), "\(name)")
      for choice in ["p/2\">Harbor, region north</option>", "p/3\">Harbor, region south</option>"] {
        #expect(text(answer).contains(choice))
      }
    }
    let named = await visitor.post(
      "/new",
      [("type", "find"), ("id", "f/5"), ("new0", "1"), ("n1", ""), ("k1", "text"), ("v1", "x")]
        + row(0, "/place", "reference", "", "p/3"))
    #expect(named.status == 422 && text(named).contains("<bdi>Harbor</bdi></a>"))
    #expect(try await database.record("f/4") == nil)
    // What is missing already, and unchanged, stays.
    let revision = try #require(try await database.record("f/1")?.revision).description
    func edit(_ fields: [(String, String)]) async -> Answer {
      await visitor.post("/edit", [("id", "f/1"), ("rev", revision)] + fields)
    }
    #expect(await edit(row(0, "/old", "reference", "gone", "lost")).status == 422)
    let set = [("p1", "/all"), ("k1", "set"), ("e1", "reference")]
    #expect(await edit(set + [("a1", "Bakery\r\nTavern")]).status == 422)
    let saved = await edit(
      row(0, "/old", "reference", "gone", "gone") + set + [("a1", "Bakery"), ("n2", "n"), ("v2", "1")])
    #expect(saved.status == 303)
    let record = try #require(try await database.record("f/1"))
    #expect(record["old"] == .reference(RecordReference("gone")) && record["n"] == "1")
    guard case .set(let all)? = record["all"] else { return }
    #expect(Set(all) == [.reference(RecordReference("p/1")), .reference(RecordReference("p/2"))])
  }

  @Test func chosenFileIsNeverLost() async throws {
    let (database, visitor, revision) = try await bird()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
    let start = [("id", "wren"), ("rev", revision)]
    let wrong = row(0, "/seen", "number", "3", "many")
    // A file that has been sent is kept while the rest is corrected.
    let again = await visitor.post("/edit", start + wrong + [("n1", "front"), ("k1", "text")], files: [("f1", png)])
    let page = text(again)
    let key = try #require(page.firstRange(of: "name=\"kept1\" value=\"")).upperBound
    let kept = String(page[key...].prefix { $0 != "\"" })
    #expect(again.status == 422 && page.contains("name=\"n1\" value=\"front\""))
    let lost = await visitor.post("/edit", start + [("n1", "front"), ("k1", "file"), ("kept1", "gone")])
    #expect(lost.status == 422 && text(lost).contains("Choose the file again"))
    let missing = await visitor.post("/edit", start + [("n1", "front"), ("k1", "file")])
    #expect(missing.status == 422 && text(missing).contains("Choose a file"))
    #expect(text(missing).contains("name=\"n1\" value=\"front\""))
    // Files without names get names.
    let saved = await visitor.post(
      "/edit", start + [("n1", "front"), ("k1", "file"), ("kept1", kept), ("n2", ""), ("n3", ""), ("n4", "")],
      files: [("f2", png), ("f3", png), ("f4", [1, 2])])
    #expect(saved.status == 303)
    let record = try #require(try await database.record("wren"))
    for (name, bytes) in [("front", png), ("photo", png), ("photo2", png), ("file", [1, 2])] {
      guard case .asset(let asset)? = record[name] else {
        Issue.record("\(name) is missing")
        continue
      }
      #expect(try await database.assets.bytes(of: asset) == bytes)
    }
    let revised = try #require(record.revision).description
    let nothing = await visitor.post("/edit", [("id", "wren"), ("rev", revised), ("n1", ""), ("k1", "text")])
    let shown = text(await visitor.get(try #require(nothing.header("location"))))
    #expect(shown.contains("<div class=\"said\" role=status><p>Nothing was changed.</p>"))
  }

  @Test func kindOfPropertyIsChanged() async throws {
    let (database, visitor, revision) = try await bird()
    let fields =
      [("id", "wren"), ("rev", revision), ("r0", "1")] + row(0, "/weight", "decimal", "9.50", "9.50")
      + [("n1", "weight"), ("k1", "number"), ("v1", "9.5")]
    #expect(await visitor.post("/edit", fields).status == 303)
    #expect(try await database.record("wren")?["weight"] == 9.5)
  }

  @Test func undoNamesRecordsAndLeadsToThem() async throws {
    let (database, visitor, revision) = try await bird()
    let start = [("id", "wren"), ("rev", revision)]
    try await database.write { try $0.save(Record(type: "place", id: "p/1", ["name": "Bakery"])) }
    #expect(await visitor.post("/edit", start + [("n0", "at"), ("k0", "reference"), ("v0", "Bakery")]).status == 303)
    let change = text(await visitor.get("/undo"))
    #expect(change.contains("<bdi>Wren</bdi></a> gets back:") && change.contains("<bdi>Bakery</bdi>"))
    #expect(await visitor.post("/new", [("type", "bird"), ("id", "owl"), ("n0", "name"), ("v0", "Owl")]).status == 303)
    #expect(text(await visitor.get("/undo")).contains("<bdi>Owl</bdi></a> will be deleted."))
    let undone = await visitor.post("/undo", [])
    let place = try #require(undone.header("location"))
    #expect(place.hasPrefix("/?type=bird&done="))
    #expect(text(await visitor.get(place)).contains("Undone: new record (studio) of Owl."))
    let again = text(await visitor.get("/undo?operation=\(try await database.history.operations(limit: 1)[0].id)"))
    #expect(again.contains("<bdi>Owl</bdi></a> will be restored."))
  }

  @Test func theTokenOfAFormIsAField() async throws {
    let (database, visitor, _) = try await bird()
    let start = "--b\r\ncontent-disposition: form-data; name=\"token\"; filename=\"x\"\r\n\r\n"
    let rest = "\r\n--b\r\ncontent-disposition: form-data; name=\"id\"\r\n\r\nwren\r\n--b--\r\n"
    for token in ["", "x", visitor.studio.gate.formToken] {
      #expect(await visitor.send("/delete", Array((start + token + rest).utf8)).status == 403)
    }
    #expect(try await database.record("wren") != nil)
  }

  @Test func contentsAreNeverPages() async throws {
    let database = try await Database.inMemory()
    let page = Array("<script>alert(1)</script>".utf8)
    let png = Array("\u{89}PNG\r\n\u{1A}\n\0\0\0\rIHDR\0\0\0\u{1}\0\0\0\u{1}".unicodeScalars.map { UInt8($0.value) })
    try await database.assets.save(
      Record(type: "x", id: "x"),
      adding: [
        "html": .bytes(page, mimeType: "text/html"), "fake": .bytes(page, mimeType: "image/png"),
        "real": .bytes(png, mimeType: "image/png"), "other": .bytes(png, mimeType: "image/jpeg"),
        "svg": .bytes(Array("<svg/>".utf8), mimeType: "image/svg+xml"),
        "bomb": .bytes(png[..<16] + [0, 1, 0, 0, 0, 1, 0, 0], mimeType: "image/png"),
      ])
    let visitor = try Visitor(database, host: host)
    for (name, type) in [
      ("html", "application/octet-stream"), ("fake", "application/octet-stream"), ("real", "image/png"),
      ("other", "application/octet-stream"), ("svg", "application/octet-stream"), ("bomb", "application/octet-stream"),
    ] {
      let answer = await visitor.get("/asset?id=x&path=/\(name)")
      #expect(answer.status == 200 && answer.header("content-type") == type, "\(name)")
      #expect(answer.header("content-security-policy")?.contains("sandbox") == true)
      #expect((answer.header("content-disposition") ?? "").hasPrefix(type == "image/png" ? "inline" : "attachment"))
    }
    // Only pictures are in the page of their record. A browser shows something in a table for all others.
    guard case .bytes(let bytes) = await visitor.get("/record?id=x").content else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text.split(separator: "<img class=photo").count == 2
        && text.contains("<img class=photo src=\"/asset?id=x&amp;path=/real"))
    #expect(await visitor.get("/asset?id=x&path=/bomb&small=1").header("content-type") == "image/svg+xml")
    #expect(await visitor.get("/asset?id=x&path=/none").status == 404)
    #expect(await visitor.get("/asset?id=x&path=/real&download=1").header("content-type") == "application/octet-stream")
  }

  @Test func searchAndConditionFindRecords() async throws {
    let (database, visitor, _) = try await bird()
    try await database.write { try $0.save(Record(type: "bird", id: "owl", ["name": "ÜBER owl", "seen": 9])) }
    func page(_ target: String) async -> String {
      guard case .bytes(let bytes) = await visitor.get(target).content else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
    let found = await page("/?q=%C3%BCber")
    #expect(found.contains("owl") && !found.contains("Wren"))
    #expect(await page("/?type=bird&where=seen+%3E+5").contains("ÜBER owl"))
    #expect(await !page("/?type=bird&where=seen+%3E+5").contains(">Wren<"))
    #expect(await page("/?type=bird&where=sene+%3E+5").contains("Did you mean"))
    #expect(await visitor.get("/?type=bird&where=)").status == 422)
    let sorted = await page("/?type=bird&sort=-seen")
    #expect(sorted.firstRange(of: "ÜBER")!.lowerBound < sorted.firstRange(of: ">Wren<")!.lowerBound)
  }
}

/// Bytes in pieces of one size.
final class Pieces: @unchecked Sendable {
  private var rest: ArraySlice<UInt8>
  private let size: Int

  init(_ bytes: [UInt8], _ size: Int) { (rest, self.size) = (bytes[...], size) }

  func next() -> [UInt8]? {
    if rest.isEmpty { return nil }
    defer { rest = rest.dropFirst(size) }
    return Array(rest.prefix(size))
  }
}
