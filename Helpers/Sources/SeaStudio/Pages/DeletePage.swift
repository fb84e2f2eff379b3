import SeaKit

/// Deletes a record, after a confirmation.
enum DeletePage {
  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let record = try await visit.database.record(id) else { throw Refusal(404, "no record has the id '\(id)'") }
    let title = Title.of(record) ?? id
    let referring = try await visit.database.fetch(Query<Record>.records().referring(to: id).limit(11))
    return try await visit.page("Delete \(title.cut(50))") {
      """
      <h1>Delete <bdi>\(title)</bdi>?</h1>
      <p>The record disappears here at once, and from other instances after a sync. Its history is kept, so you can \
      bring it \
      back.</p>
      \(referring.isEmpty ? nil : warning(referring))
      \(Fragments.confirm(
        visit, action: "/delete", fields: [("id", id), ("rev", record.revision?.description ?? "")], button: "Delete",
        isDangerous: true, back: Fragments.record(id)))
      \(Fragments.command(CommandText("delete", id)))
      """
    }
  }

  private static func warning(_ records: [Record]) -> HTML {
    """
    <div class=notice><p>\(records.count > 10 ? "More than 10" : Amount.count(records.count)) \
    \(records.count == 1 ? "record refers" : "records refer") to it, and will refer to a missing record:</p>\
    <ul class=plain>\(records.prefix(10).map { "<li>\(Fragments.link(to: $0.id, title: Title.of($0)))</li>" as HTML })\
    </ul></div>
    """
  }

  static func delete(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let revision = visit.form.fields["rev"].flatMap { Revision($0) }
    let record = try await visit.database.record(id)
    try await visit.database.write("delete (studio)") { try $0.delete(id, revision: revision) }
    return visit.done(
      Fragments.records(record?.type),
      Note(
        text: "Deleted \(record.flatMap(Title.of) ?? id).", command: CommandText("delete", id),
        link: ("Undo", Link("/undo"))))
  }
}
