import SeaKit
import SeaStudio
import Testing

/// The pages that show the inside of a database.
@Suite struct BlocksTests {
  private struct Visitor {
    let studio: Studio
    private let (cookie, host): (String, String)

    init(_ database: Database, isReadOnly: Bool = false) throws {
      host = "127.1.2.3:4"
      let gate = Gate(host: host, isReadOnly: isReadOnly)
      let target = String(try #require(gate.address).dropFirst("http://\(host)".count))
      let answer = try #require(try gate.check(Request(method: "GET", target: target, headers: [("host", host)])!))
      cookie = String(try #require(answer.header("set-cookie")).prefix { $0 != ";" })
      studio = Studio(database, gate)
    }

    func get(_ link: Link) async -> (answer: Answer, text: String) {
      let headers = [(name: "host", value: host), (name: "cookie", value: cookie)]
      let answer = await studio.answer(Request(method: "GET", target: link.text, headers: headers)!)
      guard case .bytes(let bytes) = answer.content else { return (answer, "") }
      return (answer, String(decoding: bytes, as: UTF8.self))
    }
  }

  private static let hostile = "</script><img/src=x/onerror=alert(1)>\"'&"

  /// A database whose ids, types and messages try to become markup.
  private func hostileDatabase() async throws -> Database {
    let database = try await Database.inMemory()
    let evil = BlocksTests.hostile
    try await database.write("\(evil)\u{202E}gnp.exe") { transaction in
      try transaction.save(Record(type: "<b>", id: "r\(evil)", ["a": .string(evil + "\u{7}")]))
    }
    try await database.write { try $0.save(Record(type: "<b>", id: "r\(evil)", ["a": 2])) }
    return database
  }

  private func expectHarmless(_ text: String) {
    #expect(!text.contains("<img/src") && !text.contains("onerror=alert(1)>") && !text.contains("\u{202E}"))
    #expect(!text.contains("\u{7}") && !text.contains(" style=") && !text.contains("<b>"))
  }

  @Test func blocksAreListedAndOpened() async throws {
    let database = try await hostileDatabase()
    let visitor = try Visitor(database)
    let own = try await database.instance()
    let (list, text) = await visitor.get(Link("/blocks"))
    #expect(list.status == 200 && text.contains("1 control entry") && text.contains("<svg"))
    expectHarmless(text)
    #expect(await visitor.get(Link("/blocks", [("chain", own.id)])).answer.status == 200)
    let (block, content) = await visitor.get(Link("/block", [("id", "\(own.id)/1")]))
    #expect(block.status == 200 && content.contains("payload size") && content.contains("/tree?id="))
    expectHarmless(content)
    #expect(await visitor.get(Link("/block", [("id", "\(own.id)/0")])).text.contains("exchange"))
  }

  @Test(arguments: ["", "x", "/1", "../../etc/passwd/1", BlocksTests.hostile, "\(BlocksTests.hostile)/1"])
  func otherAddressesAreRefused(id: String) async throws {
    let visitor = try Visitor(try await hostileDatabase())
    for link in [
      Link("/block", [("id", id)]), Link("/tree", [("id", "no\(id)")]), Link("/blocks", [("in", "no\(id)")]),
      Link("/blocks", [("chain", "no\(id)")]), Link("/health", [("start", "no\(id)")]),
    ] {
      let (answer, text) = await visitor.get(link)
      #expect((400..<500).contains(answer.status), "\(link.text)")
      expectHarmless(text)
    }
  }

  /// An address must not reach containers that are not attached, since a location can start a program.
  @Test(arguments: ["/tmp", "ssh://host/x", "s3://bucket/x", "sea+http://127.0.0.1:1/x"])
  func onlyAttachedContainersAreReached(location: String) async throws {
    let visitor = try Visitor(try await hostileDatabase())
    #expect(await visitor.get(Link("/blocks", [("in", location)])).answer.status == 404)
    #expect(await visitor.get(Link("/block", [("id", "x/1"), ("in", location)])).answer.status == 404)
    #expect(await visitor.get(Link("/health", [("start", "verify:\(location)")])).answer.status == 404)
  }

  @Test func treeTellsWinnerSidesAndEndsApart() async throws {
    let database = try await hostileDatabase()
    let visitor = try Visitor(database)
    let (answer, text) = await visitor.get(Link("/tree", [("id", "r\(BlocksTests.hostile)")]))
    #expect(answer.status == 200 && text.contains("class=\"tag winner\"") && text.contains("2 revisions"))
    #expect(!text.contains("class=\"tag side\""))
    expectHarmless(text)
  }

  @Test func healthRunsChecksAndVerification() async throws {
    let database = try await hostileDatabase()
    // What changes nothing is possible with --read-only as well.
    let visitor = try Visitor(database, isReadOnly: true)
    #expect(await visitor.get(Link("/health")).text.contains("database file"))
    for (start, sign) in [("doctor", "<strong>copied</strong>"), ("verify", "Everything that was checked is valid")] {
      #expect(await visitor.get(Link("/health", [("start", start)])).answer.status == 303)
      var (answer, text) = await visitor.get(Link("/health"))
      while answer.header("refresh") != nil {
        try await Task.sleep(for: .milliseconds(20))
        (answer, text) = await visitor.get(Link("/health"))
      }
      #expect(text.contains(sign))
      expectHarmless(text)
    }
  }
}
