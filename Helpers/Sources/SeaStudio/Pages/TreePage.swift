import SeaKit

/// The tree of the revisions of a record: the winner, the sides in conflict, and the ends that are resolved.
enum TreePage {
  private static let (most, mostMerged) = (500, 8)

  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let position = try await visit.database.position()
    let all = try await visit.database.history.revisions(of: id)
    let record = try await visit.database.record(id)
    let graph = RevisionGraph(Array(all.prefix(most)))
    let title = record.flatMap(Title.of) ?? id
    let rows: [HTML] = graph.rows.map { row($0, graph, id) }
    return try await visit.page("Revisions of \(title.cut(60))", at: position) {
      """
      <nav class=crumbs aria-label=Path><a href="/">Records</a> <span aria-hidden=true>›</span> \
      <a href="\(Fragments.record(id))"><bdi>\(title.cut(60))</bdi></a></nav>
      <h1>Revisions of <bdi>\(title)</bdi></h1>
      <p class=meta><span class=id><bdi>\(id)</bdi></span> \(summary(all))</p>
      \(RevisionGraph.legend)
      <div class=scroll tabindex=0 role=region aria-label="Tree of revisions"><ol class="plain tree">\(rows)</ol></div>
      \(all.count > most ? "<p class=quiet>Only \(most) of \(Amount.count(all.count, "revision")) are shown.</p>" as HTML? : nil)
      \(Fragments.command(CommandText("inspect", id)))
      """
    }
  }

  private static func summary(_ all: [RecordRevision]) -> HTML {
    let sides = all.count { $0.state == .loser }
    let ends = all.count { $0.state == .tombstone && !$0.isOnWinningBranch }
    var parts: [HTML] = ["\(Amount.count(all.count, "revision"))"]
    if sides > 0 { parts.append("<strong class=warn>in conflict with \(Amount.count(sides, "side"))</strong>") }
    if ends > 0 { parts.append("\(Amount.count(ends, "resolved end"))") }
    return parts.joined(by: ", ")
  }

  private static func row(_ row: RevisionGraph.Row, _ graph: RevisionGraph, _ id: String) -> HTML {
    let revision = row.revision
    let isContent = !revision.isDeletion && !revision.isPurged
    let name = Fragments.short(revision.revision)
    let old = revision.state == .winner ? nil : revision.revision.description
    let show: HTML? =
      isContent
      ? "<a href=\"\(Link("/record", [("id", id), ("rev", old)]))\">Show<span class=hidden> \(name)</span></a>" : nil
    let block: HTML? = revision.block.map {
      "<a href=\"\(Link("/block", [("id", $0)]))\">Block<span class=hidden> of \(name)</span></a>"
    }
    let names = revision.merged.prefix(mostMerged).map(Fragments.revision).joined(by: " ")
    let left = revision.merged.count - mostMerged
    let merged: HTML? =
      revision.merged.isEmpty
      ? nil : "<p class=quiet>merged \(names)\(left > 0 ? " and \(left) more" as HTML : nil)</p>"
    return """
      <li class="\(revision.state.rawValue)"><div class=rails><svg width=\(graph.width) height="100%" aria-hidden=true>\(graph.drawing(of: row))</svg>\
      <svg width=\(graph.width) height=1 aria-hidden=true></svg></div>\
      <div class=about><p class=event>\(Fragments.revision(revision.revision)) \(state(revision)) by \(Fragments.author(revision.author)) \
      \(revision.time.map { Times.ago($0) })</p>\
      \(revision.label.map { "<p class=quiet><bdi>\($0.cut(200))</bdi></p>" as HTML })\(merged)</div><p class=links>\(show) \(block)</p></li>
      """
  }

  private static func state(_ revision: RecordRevision) -> HTML {
    var words: HTML =
      switch revision.state {
      case .winner: "<strong class=\"tag winner\">winner</strong>"
      case .loser: "<strong class=\"tag side\">side</strong>"
      case .tombstone:
        "<span class=tag>\(revision.isOnWinningBranch ? "deleted" : "resolved end")</span>"
      case .waiting: "<span class=tag>waiting</span>"
      case .inner: HTML()
      }
    if revision.isDeletion, revision.state != .tombstone { words += " <span class=tag>deleted</span>" }
    if revision.isPurged { words += " <span class=tag>purged</span>" }
    return words
  }
}
