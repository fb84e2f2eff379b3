import SeaKit
import Synchronization

/// The pages of one database. It answers requests; how these arrive is not its concern.
package final class Studio: Sendable {
  package let database: Database
  package let gate: Gate
  /// The name of the database, for the title of pages.
  let name: String
  let notes = Notes()
  let kept = Kept()
  let jobs = Jobs()
  let checkups = Checkups()
  let turns = Turns(2)
  let watcher: Watcher
  private let knownTypes = Mutex<(position: Position, types: [RecordTypeInfo])?>(nil)

  package init(_ database: Database, _ gate: Gate) {
    (self.database, self.gate) = (database, gate)
    let parts = database.path.split(separator: "/")
    name = parts.last == ".sea" ? parts.dropLast().last.map(String.init) ?? "/" : parts.last.map(String.init) ?? "sea"
    watcher = Watcher(database)
  }

  /// The number of browser tabs that are connected, and the time of the last request.
  package var presence: Watcher.Presence { watcher.presence }

  /// Returns the types, which are read again only after a change.
  /// - Parameter position: the position before the types are read.
  func types(at position: Position) async throws -> [RecordTypeInfo] {
    if let known = knownTypes.withLock({ $0 }), known.position == position { return known.types }
    let types = try await database.types()
    knownTypes.withLock { $0 = (position, types) }
    return types
  }

  /// Ends the connections that wait for changes.
  package func end() {
    watcher.end()
    jobs.stop()
    checkups.stop()
  }

  package func answer(_ request: Request) async -> Answer {
    var answer: Answer
    do {
      answer = try await find(request)
    } catch {
      answer = failure(error)
    }
    if request.method == "HEAD" { answer.content = .bytes([]) }
    return answer.secured()
  }

  private func find(_ request: Request) async throws -> Answer {
    if let answer = try gate.check(request) { return answer }
    watcher.note()
    guard let route = Routes.all.first(where: { $0.path == request.path }) else {
      throw Refusal(404, "there is no such page")
    }
    if request.method != "POST" {
      guard let show = route.show else { throw Refusal(405, "this page cannot be opened") }
      return try await inFrame(Visit(self, request), show)
    }
    guard let change = route.change else { throw Refusal(405, "this page changes nothing") }
    var visit = Visit(self, request)
    visit.form = try await Form.read(request, gate, folder: database.path)
    return try await inFrame(visit, change)
  }

  /// An error of the database becomes a page with its message, in the frame of all pages.
  private func inFrame(_ visit: Visit, _ body: Routes.Body) async throws -> Answer {
    do { return try await body(visit) } catch {
      guard let told = Told(error) else { throw error }
      return try await visit.page("Error", status: told.status) { told.html }
    }
  }

  private func failure(_ error: any Error) -> Answer {
    guard let refusal = error as? Refusal else { return .text(500, "internal error: \(error)") }
    return .page(
      Layout.bare("sea studio", "<h1>Not possible</h1><p>\(refusal.text.sentence)</p>"), status: refusal.status)
  }
}

/// An error as a page tells it.
struct Told {
  let status: Int
  let html: HTML

  init?(_ error: any Error) {
    switch error {
    case let refusal as Refusal:
      (status, html) = (refusal.status, "<h1>Not possible</h1><p class=problem>\(refusal.text.sentence)</p>")
    case let error as SeaError:
      status = error.code == .notFound ? 404 : error.code == .stale || error.code == .conflict ? 409 : 422
      html =
        "<h1>Not possible</h1><p class=problem>\(error.message.sentence) <code>\(error.code.description)</code></p>"
    default: return nil
    }
  }
}

extension String {
  /// The text with a capital and a full stop.
  var sentence: String {
    guard let first, !isEmpty else { return self }
    let ends = last.map { ".!?".contains($0) } ?? false
    return first.uppercased() + dropFirst() + (ends ? "" : ".")
  }
}

/// A request for a page, and what its page needs.
struct Visit: Sendable {
  let studio: Studio
  let request: Request
  var form = Form()

  init(_ studio: Studio, _ request: Request) { (self.studio, self.request) = (studio, request) }

  var database: Database { studio.database }
  var query: Parameters { request.query }
  var isReadOnly: Bool { studio.gate.isReadOnly }

  /// - Throws: `Refusal` if the parameter is missing.
  func needed(_ name: String) throws(Refusal) -> String {
    guard let value = form.fields[name] ?? query[name] else { throw Refusal(400, "the parameter '\(name)' is missing") }
    return value
  }

  /// A field that every form must begin with.
  var token: HTML { "<input type=hidden name=token value=\"\(value: studio.gate.formToken)\">" }

  /// Leads to another page, which shows a note once.
  func done(_ link: Link, _ note: Note) -> Answer {
    let key = studio.notes.keep(note)
    return .redirect(Link(path: link.text + (link.text.contains("?") ? "&" : "?") + "done=" + key))
  }

  /// A page in the frame of all pages.
  func page(
    _ title: String, status: Int = 200, at position: Position? = nil, _ body: () async throws -> HTML
  ) async throws -> Answer {
    let content = try await body()
    let note = query["done"].flatMap(studio.notes.take)
    let conflicts = try await database.conflicts.count()
    let layout = Layout(visit: self, title: title, position: position, conflicts: conflicts, note: note)
    return .page(layout.html(content), status: status)
  }
}
