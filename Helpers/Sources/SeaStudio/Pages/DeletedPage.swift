import SeaKit

/// Deleted records, to bring them back.
enum DeletedPage {
  private static let (pageSize, mostValues) = (50, 3)

  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let type = visit.query["type"]
    var records = try await visit.database.history.deletedRecords(
      of: type, after: visit.query["after"], limit: pageSize + 1)
    let hasMore = records.count > pageSize
    if hasMore { records.removeLast() }
    var rows: [HTML] = []
    for record in records { rows.append(try await row(record, visit.database)) }
    let shown = rows
    let next: HTML? =
      hasMore
      ? """
      <nav class=pages aria-label="Pages of the list">\
      <a rel=next href="\(Link("/deleted", [("type", type), ("after", records.last?.id)]))">\
      Next page</a></nav>
      """ : nil
    return try await visit.page("Deleted", at: position) {
      """
      <h1>Deleted records</h1>
      <p class=quiet>Their history is kept until it is purged. Bring a record back, or open it to see its history.</p>
      \(shown.isEmpty ? "<p class=empty>No deleted records.</p>" : table(shown))\(next)
      \(Fragments.command(CommandText("query", "--deleted")))
      """
    }
  }

  private static func table(_ rows: [HTML]) -> HTML {
    """
    <div class=scroll role=region aria-label="Deleted records" tabindex=0><table class=records role=table>\
    <caption class=hidden>Deleted records</caption><thead role=rowgroup><tr role=row>\
    <th scope=col role=columnheader>record</th>\
    <th scope=col role=columnheader>type</th><th scope=col role=columnheader>last values</th><th scope=col role=columnheader>deleted</th>\
    <th scope=col role=columnheader>by</th>\
    <th scope=col role=columnheader><span class=hidden>action</span></th></tr></thead><tbody role=rowgroup>\(rows)\
    </tbody></table></div>
    """
  }

  private static func row(_ deleted: DeletedRecord, _ database: Database) async throws -> HTML {
    let last = try await lastState(deleted.id, database)
    let (end, old) = (last?.end, last?.record)
    let back: HTML? = end?.parent.map {
      """
      <a href="\(Link("/revert", [("id", deleted.id), ("rev", $0.description)]))">Bring back\
      <span class=hidden> \(deleted.id)</span></a>
      """
    }
    return """
      <tr role=row><th scope=row role=rowheader>\(Fragments.link(to: deleted.id, title: old.flatMap(Title.of)))</th>\
      <td role=cell data-label=type><bdi>\(deleted.type ?? old?.type ?? "")</bdi></td>\
      <td role=cell class=wrap data-label="last values">\(old.map(values))</td>\
      <td role=cell data-label=deleted>\(end?.time.map { Times.ago($0) })</td>\
      <td role=cell data-label=by>\(Fragments.author(end?.author))</td><td role=cell>\(back)</td></tr>
      """
  }

  /// Some short values, by which people recognize a record.
  private static func values(_ record: Record) -> HTML {
    let items: [HTML] = Title.hints(of: record, most: mostValues).map {
      "<span class=tag><span class=kind><bdi>\($0.title)</bdi></span> <bdi>\($0.value.fieldText)</bdi></span>"
    }
    return "<span class=tags>\(items)</span>"
  }

  /// The deletion of a record, and the record before it; nil if the record is unknown.
  static func lastState(_ id: String, _ database: Database) async throws -> (end: RecordRevision, record: Record?)? {
    guard let end = try? await database.history.revisions(of: id).first else { return nil }
    guard let parent = end.parent else { return (end, nil) }
    return (end, try? await database.history.record(id, at: parent))
  }
}
