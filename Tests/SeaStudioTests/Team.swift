import SeaKit
import SeaStudio
import SeaTestSupport
import Synchronization

/// Two instances of a database that share a container, and a visitor of the pages of the first one.
struct Team {
  let scratch: ScratchFolder
  let one: Database
  let two: Database
  let visitor: Visitor

  init(hasMembers: Bool = false, isReadOnly: Bool = false, _ fill: (Database) async throws -> Void = { _ in })
    async throws
  {
    scratch = try ScratchFolder(inMemory: true)
    var new = Database.NewDatabase(contentType: "org.example.test", name: "one")
    new.hasMembers = hasMembers
    one = try await .create(in: scratch.path("one"), new)
    try await fill(one)
    try await one.addContainer("team", at: scratch.path("team"), creating: true)
    try await one.sync()
    two = try await .clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    visitor = try await Visitor(one, isReadOnly: isReadOnly)
  }

  func sync() async throws { for database in [one, two, one] { try await database.sync() } }
}

/// Opens pages and sends their forms, as a browser without scripts does.
final class Visitor: Sendable {
  struct Page: Sendable {
    let status: Int
    let text: String
    let location: String?

    func has(_ part: String) -> Bool { text.contains(part) }
    /// The values of all fields with a name, in order.
    func values(_ name: String) -> [String] {
      text.split(separator: "<").compactMap { tag in
        guard tag.hasPrefix("input"), tag.contains("name=\"\(name)\"") || tag.contains("name=\(name) ") else {
          return nil
        }
        guard let start = tag.firstRange(of: "value=\"")?.upperBound else { return nil }
        return String(tag[start...].prefix { $0 != "\"" }).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
          .replacing("&#39;", with: "'").replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
      }
    }
  }

  let studio: Studio
  private let cookie: String
  private let host = "127.1.2.3:4567"

  init(_ database: Database, isReadOnly: Bool = false) async throws {
    let gate = Gate(host: host, isReadOnly: isReadOnly)
    studio = Studio(database, gate)
    let target = String(gate.address!.dropFirst("http://\(host)".count))
    let entrance = Request(method: "GET", target: target, headers: [("host", host)])!
    cookie = String(await studio.answer(entrance).header("set-cookie")!.prefix { $0 != ";" })
  }

  func open(_ target: String) async -> Page {
    await page(Request(method: "GET", target: target, headers: [("host", host), ("cookie", cookie)])!)
  }

  func send(_ target: String, _ fields: [(String, String)], token: String? = nil) async -> Page {
    let all = [("token", token ?? studio.gate.formToken)] + fields
    let body = all.map { "\(Percent.encoded($0.0))=\(Percent.encoded($0.1))" }.joined(separator: "&")
    let content = Mutex<[UInt8]?>(Array(body.utf8))
    let box = Box(content)
    let headers = [
      ("host", host), ("cookie", cookie), ("origin", "http://\(host)"),
      ("content-type", "application/x-www-form-urlencoded"),
    ]
    return await page(Request(method: "POST", target: target, headers: headers, body: .init { box.take() })!)
  }

  /// Follows the redirection of a page.
  func follow(_ page: Page) async -> Page { if let target = page.location { await open(target) } else { page } }

  private func page(_ request: Request) async -> Page {
    let answer = await studio.answer(request)
    guard case .bytes(let bytes) = answer.content else { return Page(status: answer.status, text: "", location: nil) }
    return Page(
      status: answer.status, text: String(decoding: bytes, as: UTF8.self), location: answer.header("location"))
  }

  private final class Box: Sendable {
    private let content: Mutex<[UInt8]?>
    init(_ content: consuming Mutex<[UInt8]?>) { self.content = content }
    func take() -> [UInt8]? { content.withLock { $0.take() } }
  }
}
