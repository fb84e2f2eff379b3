import SeaKit
import SeaStudio
import Testing

/// Who may ask for pages, and who may change something.
@Suite struct GateTests {
  private let host = "127.83.4.211:40123"

  private func request(
    _ method: String = "GET", _ target: String = "/", host: String? = nil, cookie: String? = nil, origin: String? = nil,
    more: [(name: String, value: String)] = [], body: String = ""
  ) -> Request {
    var headers = more
    headers.append(("host", host ?? self.host))
    if let cookie { headers.append(("cookie", cookie)) }
    if let origin { headers.append(("origin", origin)) }
    let content = Once(Array(body.utf8))
    return Request(method: method, target: target, headers: headers, body: .init { content.take() })!
  }

  private func entered(_ gate: Gate) throws -> String {
    let address = try #require(gate.address)
    let answer = try #require(try gate.check(request("GET", String(address.dropFirst("http://\(host)".count)))))
    let cookie = try #require(answer.header("set-cookie"))
    #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
    #expect(answer.status == 303 && answer.header("location") == "/")
    return String(cookie.prefix { $0 != ";" })
  }

  @Test func tokenBecomesACookieOnce() throws {
    let gate = Gate(host: host, isReadOnly: false)
    let target = String(try #require(gate.address).dropFirst("http://\(host)".count))
    let cookie = try entered(gate)
    #expect(gate.address == nil)
    #expect(throws: Refusal.self) { try gate.check(request("GET", target)) }
    // The browser that has the cookie may reload the address.
    #expect(try gate.check(request("GET", target, cookie: cookie))?.status == 303)
    #expect(try gate.check(request(cookie: cookie)) == nil)
  }

  @Test(arguments: ["/enter", "/enter?token=", "/enter?token=0000", "/enter?token=%00"]) func wrongTokensAreRefused(
    target: String
  ) {
    let gate = Gate(host: host, isReadOnly: false)
    #expect(throws: Refusal.self) { try gate.check(request("GET", target)) }
    #expect(gate.address != nil)
  }

  @Test(arguments: [
    "localhost:40123", "127.0.0.1:40123", "127.83.4.211", "127.83.4.211:80", "evil.example:40123",
    "127.83.4.211:40123.evil.example", "127.83.4.211:40123 ", "",
  ]) func otherHostsAreRefused(other: String) throws {
    let gate = Gate(host: host, isReadOnly: false)
    let cookie = try entered(gate)
    #expect(throws: Refusal.self) { try gate.check(request(host: other, cookie: cookie)) }
  }

  @Test func repeatedHeadersAreRefused() throws {
    let gate = Gate(host: host, isReadOnly: false)
    let cookie = try entered(gate)
    #expect(throws: Refusal.self) { try gate.check(request(cookie: cookie, more: [("host", host)])) }
    #expect(throws: Refusal.self) { try gate.check(request(cookie: cookie, more: [("cookie", cookie)])) }
    #expect(throws: Refusal.self) { try gate.check(request(cookie: "\(cookie); \(cookie)")) }
  }

  @Test(arguments: ["", "sea-studio=", "sea-studio=0", "other=1"]) func wrongCookiesAreRefused(cookie: String) {
    let gate = Gate(host: host, isReadOnly: false)
    #expect(throws: Refusal.self) { try gate.check(request(cookie: cookie)) }
  }

  @Test(arguments: [
    nil, "null", "http://evil.example", "https://127.83.4.211:40123", "http://127.83.4.211", "http://localhost:40123",
    "http://127.83.4.211:40123/",
  ]) func changesNeedTheOrigin(origin: String?) throws {
    let gate = Gate(host: host, isReadOnly: false)
    let cookie = try entered(gate)
    #expect(throws: Refusal.self) { try gate.check(request("POST", "/edit", cookie: cookie, origin: origin)) }
    #expect(try gate.check(request("POST", "/edit", cookie: cookie, origin: "http://\(host)")) == nil)
  }

  @Test func otherSitesAreRefused() throws {
    let gate = Gate(host: host, isReadOnly: false)
    let cookie = try entered(gate)
    for site in ["cross-site", "same-site"] {
      #expect(throws: Refusal.self) { try gate.check(request(cookie: cookie, more: [("sec-fetch-site", site)])) }
    }
  }

  @Test func readOnlyRefusesEveryChange() throws {
    let gate = Gate(host: host, isReadOnly: true)
    let cookie = try entered(gate)
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
      #expect(throws: Refusal.self) {
        try gate.check(request(method, "/edit", cookie: cookie, origin: "http://\(host)"))
      }
    }
    #expect(try gate.check(request(cookie: cookie)) == nil)
  }

  @Test func addressesAreRandomAndLocal() {
    let all = Set((0..<20).map { _ in Gate.randomAddress() })
    #expect(all.count > 15 && all.allSatisfy { $0.hasPrefix("127.") && $0.split(separator: ".").count == 4 })
  }

  // MARK: Forms and pages

  @Test func formsNeedTheToken() async throws {
    let database = try await Database.inMemory()
    try await database.write { try $0.save(Record(type: "bird", id: "wren", ["name": "Wren"])) }
    let gate = Gate(host: host, isReadOnly: false)
    let studio = Studio(database, gate)
    let cookie = try entered(gate)
    let revision = try #require(try await database.record("wren")?.revision).description
    func post(_ fields: String, type: String = "application/x-www-form-urlencoded") async -> Answer {
      await studio.answer(
        request(
          "POST", "/delete", cookie: cookie, origin: "http://\(host)", more: [("content-type", type)], body: fields))
    }
    #expect(await post("id=wren&rev=\(revision)").status == 403)
    #expect(await post("token=wrong&id=wren&rev=\(revision)").status == 403)
    #expect(await post("token=\(gate.formToken)&id=wren", type: "text/plain").status == 415)
    #expect(try await database.record("wren") != nil)
    #expect(await post("token=\(gate.formToken)&id=wren&rev=\(revision)").status == 303)
    #expect(try await database.record("wren") == nil)
  }

  @Test func everyAnswerHasTheHeaders() async throws {
    let gate = Gate(host: host, isReadOnly: false)
    let studio = Studio(try await Database.inMemory(), gate)
    let cookie = try entered(gate)
    for (target, status) in [
      ("/", 200), ("/nothing", 404), ("/record?id=x", 404), ("/studio.css", 200), ("/record", 400),
    ] {
      let answer = await studio.answer(request("GET", target, cookie: cookie))
      #expect(answer.status == status, "\(target)")
      let policy = answer.header("content-security-policy") ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(answer.header("x-content-type-options") == "nosniff" && answer.header("cache-control") == "no-store")
    }
    #expect(await studio.answer(request()).status == 403)
  }

  /// Ids, names, values and types of a record from anyone.
  @Test func hostileRecordsAreShownAsText() async throws {
    let database = try await Database.inMemory()
    let evil = #""><script>alert(1)</script><img src=x onerror=alert(2)>'"#
    // Ids contain no blanks.
    let evilID = #"e"><script>alert(1)</script>'"#
    try await database.write { transaction in
      try transaction.save(
        Record(
          type: "evil", id: evilID,
          [
            "name": .string(evil), evil: .string(evil), "set": .set([.string(evil)]), "list": .array([.string(evil)]),
            "inner": .dictionary([evil: .string(evil)]),
            "labeled": .labeled(.string(evil), label: "x"), "data": .data([60, 62]),
          ]))
    }
    let gate = Gate(host: host, isReadOnly: false)
    let studio = Studio(database, gate)
    let cookie = try entered(gate)
    let id = Percent.encoded(evilID)
    for target in [
      "/", "/?type=evil", "/?q=\(Percent.encoded(evil))", "/?where=\(Percent.encoded(evil))", "/record?id=\(id)",
      "/edit?id=\(id)", "/delete?id=\(id)", "/operations", "/undo", "/deleted", "/?type=\(Percent.encoded(evil))",
      "/?sort=\(Percent.encoded(evil))", "/new?type=evil", "/record?id=\(Percent.encoded(evil))",
    ] {
      let answer = await studio.answer(request("GET", target, cookie: cookie))
      guard case .bytes(let bytes) = answer.content else {
        Issue.record("\(target) is not a page")
        continue
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("<script>") && !text.contains("<img src=x"), "\(target)")
      #expect(text.contains("</html>"), "\(target)")
    }
  }
}

/// Bytes that can be taken once.
final class Once: @unchecked Sendable {
  private var bytes: [UInt8]?

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func take() -> [UInt8]? {
    defer { bytes = nil }
    return bytes
  }
}
