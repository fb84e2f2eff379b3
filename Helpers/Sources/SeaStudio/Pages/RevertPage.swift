import SeaKit

/// Brings back an earlier state of a record, or of one of its properties, after a confirmation that shows what changes.
enum RevertPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let revision = Revision(try visit.needed("rev")) else { throw Refusal(400, "the revision is not valid") }
    let path = visit.query["path"]
    let history = visit.database.history
    let old = try await history.record(id, at: revision)
    let now = try await visit.database.record(id)
    guard let old else { throw Refusal(409, "the record is deleted in that state; to delete it, open the record") }
    let title = Title.of(old) ?? id
    let changes = difference(from: now, to: old, path)
    let titles = try await visit.database.read { try References.titles(of: [now, old].compactMap { $0 }, $0) }
    let name = path.map { Field.title(Field.names(of: $0)) }
    let fields = [("id", id), ("rev", revision.description)] + (path.map { [("path", $0)] } ?? [])
    return try await visit.page("Bring back") {
      """
      <h1>Bring back \(name.map { "<bdi>\($0)</bdi> of " as HTML })<bdi>\(title)</bdi>?</h1>
      <p>\(name == nil ? "The record gets" : "The property gets") the content of revision \
      \(Fragments.revision(revision)) in a new \
      revision. The history keeps everything, so you can undo this.</p>
      \(changes.isEmpty ? "<p class=empty>This is already the current content.</p>" : table(changes, ValueView(id: id, titles: titles)))
      \(Fragments.confirm(visit, action: "/revert", fields: fields, button: "Bring back", back: Fragments.record(id)))
      \(Fragments.command(command(id, revision, path)))
      """
    }
  }

  private static func command(_ id: String, _ revision: Revision, _ path: String?) -> CommandText {
    CommandText(
      words: ["revert", "\(id)@\(Fragments.short(revision))"] + (path.map { [Field.title(Field.names(of: $0))] } ?? []))
  }

  private static func difference(
    from now: Record?, to old: Record, _ path: String?
  ) -> [(name: String, from: Value?, to: Value?)] {
    var names = Set(old.properties.keys).union(now?.properties.keys.map { $0 } ?? [])
    if let path { names = Set(Field.names(of: path).prefix(1)) }
    return names.sorted(by: Field.order).compactMap { name in
      let (from, to) = (now?.properties[name], old.properties[name])
      return from == to ? nil : (name, from, to)
    }
  }

  private static func table(_ changes: [(name: String, from: Value?, to: Value?)], _ view: ValueView) -> HTML {
    let rows: [HTML] = changes.map {
      "<tr><th scope=row><bdi>\($0.name)</bdi></th><td>\(view.old($0.from))</td><td>\(view.new($0.to))</td></tr>"
    }
    return """
      <div class=scroll role=region aria-label="What changes" tabindex=0><table class=sides><caption>What changes\
      </caption>\
      <thead><tr><th scope=col>property</th><th scope=col>now</th><th scope=col>after that</th></tr></thead>\
      <tbody>\(rows)</tbody></table></div>
      """
  }

  static func revert(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let revision = Revision(try visit.needed("rev")) else { throw Refusal(400, "the revision is not valid") }
    let path = visit.form.fields["path"]
    try await visit.database.history.revert(id, to: revision, properties: path.map { [$0] } ?? [])
    return visit.done(
      Fragments.record(id),
      Note(text: "Brought back.", command: command(id, revision, path), link: ("Undo", Link("/undo"))))
  }
}
