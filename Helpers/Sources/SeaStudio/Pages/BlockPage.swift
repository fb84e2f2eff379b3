import SeaKit

/// One block: its header, what its author had seen, and its changes.
enum BlockPage {
  private static let mostBytes = 1024
  private static let mostSeen = 200

  static func show(_ visit: Visit) async throws -> Answer {
    let places = try await Places(visit)
    let id = try visit.needed("id")
    guard let content = try await visit.database.inspection.block(id, in: places.shown) else {
      throw Refusal(404, "there is no block '\(id)' here")
    }
    let block = content.block
    func link(_ id: String) -> Link { Link("/block", [("id", id), ("in", places.shown)]) }
    let (before, after) = ("\(block.chain)/\(block.index - 1)", "\(block.chain)/\(block.index + 1)")
    let hasNext = try await visit.database.inspection.block(after, in: places.shown) != nil
    let next: HTML? = hasNext ? "<a class=button rel=next href=\"\(link(after))\">Next</a>" : nil
    let previous: HTML? = block.index > 0 ? "<a class=button rel=prev href=\"\(link(before))\">Previous</a> " : nil
    let words = places.shown.map { ["inspect", "--blocks", $0] } ?? ["inspect", block.id]
    let name = Lanes.name(block)
    return try await visit.page("Block \(name)") {
      """
      <nav class=crumbs aria-label=Path><a href="\(Link("/blocks", [("in", places.shown)]))">Blocks</a> \
      \(places.shown.map { "<span aria-hidden=true>›</span> <bdi>\($0)</bdi> " as HTML })\
      <span aria-hidden=true>›</span> <a href="\(Link("/blocks", [("in", places.shown), ("chain", block.chain)]))"><bdi>\(Lanes.name(block.instance))\(Lanes.tail(block.chain))</bdi></a></nav>
      <div class=head><h1>Block <bdi>\(name)</bdi></h1><div class=actions>\(previous)\(next)</div></div>
      <p class=meta>by \(Fragments.author(block.instance)) \(block.time.map { Times.ago($0) })\
      \(block.label.map { ", <bdi>\($0.cut(200))</bdi>" as HTML })</p>
      \(content.problem.map { "<p class=notice>The content is not shown: \($0).</p>" as HTML })
      <div class=two><div>
      \(changes(content, isHere: places.shown == nil))
      \(entries(content.entries))
      </div><div>
      \(header(content))
      \(seen(block, link))
      </div></div>
      \(bytes(content))
      \(Fragments.command(CommandText(words: words)))
      """
    }
  }

  private static func header(_ content: Database.Inspection.BlockContent) -> HTML {
    let block = content.block
    let rows: [HTML] = content.header.map { field in
      let hex = field.hex.count > 16 ? "\(field.hex.prefix(12))…" : field.hex
      return """
        <tr><th scope=row>\(field.name)</th><td class=number>\(field.offset)</td>\
        <td><code title="\(label: field.hex)">\(hex)</code></td><td class=long>\(field.value)</td></tr>
        """
    }
    return """
      <section aria-labelledby=header><h2 id=header>Header</h2>
      <div class=scroll tabindex=0 role=region aria-label="Table: header"><table class=fields><caption class=hidden>Fields of the header</caption>\
      <thead><tr><th scope=col>field</th><th scope=col class=number>offset</th><th scope=col>bytes</th><th scope=col>value</th></tr></thead>\
      <tbody>\(rows)</tbody></table></div>
      <dl class=plain><dt>digest</dt><dd><code>\(block.digest)</code></dd><dt>chain</dt><dd><code>\(block.chain)</code></dd>\
      <dt>size</dt><dd>\(Amount.size(Int64(block.bytes)))</dd></dl></section>
      """
  }

  private static func seen(_ block: Database.Inspection.Block, _ link: (String) -> Link) -> HTML {
    if block.seen.isEmpty {
      return """
        <section aria-labelledby=seen><h2 id=seen>Had seen</h2><p class=quiet>No new blocks of other instances since the \
        block before it.</p></section>
        """
    }
    let items: [HTML] = block.seen.prefix(mostSeen).map {
      """
      <li><a href="\(link($0.id))"><bdi>\(Lanes.name($0.instance))/\($0.index)</bdi></a> \
      <code class=quiet>\($0.digest.prefix(12))</code></li>
      """
    }
    let left = block.seen.count - items.count
    return """
      <section aria-labelledby=seen><h2 id=seen>Had seen</h2><p class=quiet>The newest blocks of other instances that its \
      author had then.</p><ul class=plain>\(items)</ul>\(left > 0 ? "<p class=quiet>and \(left) more</p>" as HTML? : nil)</section>
      """
  }

  private static func changes(_ content: Database.Inspection.BlockContent, isHere: Bool) -> HTML? {
    guard let count = content.block.changes else { return nil }
    let rows: [HTML] = content.changes.map { change in
      let id = change.id.cut(80)
      let record: HTML =
        isHere ? "<a href=\"\(Fragments.record(change.id))\"><bdi>\(id)</bdi></a>" : "<bdi>\(id)</bdi>"
      let what = change.parent == nil ? "created" : change.merged.isEmpty ? "changed" : "merged"
      let link = Link("/tree", [("id", change.id)])
      let tree: HTML? = isHere ? "<a href=\"\(link)\">Tree<span class=hidden> of \(id)</span></a>" : nil
      return """
        <tr role=row><th scope=row role=rowheader>\(record)</th><td role=cell data-label=type><bdi>\(change.type?.cut(40) ?? "")</bdi></td>\
        <td class=nw role=cell data-label=change>\(change.isDeletion ? "deleted" : what)</td><td role=cell data-label=revision>\(Fragments.revision(change.revision))</td>\
        <td role=cell data-label=from>\(origins(change))</td>\
        <td class=number role=cell data-label=size>\(change.isDeletion ? "" : Amount.size(Int64(change.bytes)))</td><td class=nw role=cell>\(tree)</td></tr>
        """
    }
    let left = count - rows.count
    let table: HTML =
      rows.isEmpty
      ? "<p class=empty>It changes no records.</p>"
      : Fragments.table(
        "Changes of the block", ["record", "type", "change", "revision", "from", "size", ""], numbers: [5], rows)
    return """
      <section aria-labelledby=changes><h2 id=changes>Changes</h2>\(table)\
      \(left > 0 ? "<p class=quiet>and \(Amount.count(left, "more change"))</p>" as HTML? : nil)</section>
      """
  }

  private static func origins(_ change: Database.Inspection.BlockContent.Change) -> HTML {
    let all = [change.parent].compactMap { $0 } + change.merged
    let left = all.count - 3
    let more: HTML = left > 0 ? " <span class=quiet>and \(left) more</span>" : ""
    return all.prefix(3).map(Fragments.revision).joined(by: " ") + more
  }

  private static func entries(_ entries: [Database.Inspection.BlockContent.Entry]) -> HTML? {
    if entries.isEmpty { return nil }
    let items: [HTML] = entries.map { entry in
      let values: [HTML] = entry.values.map { "<dt>\($0.name)</dt><dd><bdi>\($0.text.cut(300))</bdi></dd>" }
      return "<li><strong><bdi>\(entry.kind)</bdi></strong><dl class=plain>\(values)</dl></li>"
    }
    return "<section aria-labelledby=entries><h2 id=entries>Control entries</h2><ul class=plain>\(items)</ul></section>"
  }

  private static func bytes(_ content: Database.Inspection.BlockContent) -> HTML {
    var text = ""
    let shown = content.bytes.prefix(mostBytes)
    for start in stride(from: 0, to: shown.count, by: 16) {
      let row = shown[start..<min(start + 16, shown.count)]
      let offset = String(start)
      text += String(repeating: " ", count: max(0, 6 - offset.count)) + offset + "  "
      text += row.map { Hex.byte($0).lowercased() }.joined(separator: " ")
      text += String(repeating: " ", count: (16 - row.count) * 3 + 2)
      text += String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self) + "\n"
    }
    let more: HTML? =
      content.bytes.count > mostBytes
      ? "<p class=quiet>The first \(mostBytes) of \(Amount.count(content.bytes.count)) bytes.</p>" : nil
    return """
      <details class=bytes><summary>Bytes</summary><pre class=scroll tabindex=0 role=region aria-label="Bytes">\(text)</pre>\(more)\
      \(Fragments.command(CommandText("inspect", "--hex", content.block.id)))</details>
      """
  }
}
