import SeaKit

/// The chains of the database or of a container as lanes, and their newest blocks.
enum BlocksPage {
  typealias Block = Database.Inspection.Block
  private static let (first, most) = (80, 1280)
  private static let mostRows = 60

  static func show(_ visit: Visit) async throws -> Answer {
    let places = try await Places(visit)
    let limit = min(most, max(1, visit.query["show"].flatMap { Int($0) } ?? first))
    let chain = visit.query["chain"]
    let position = try await visit.database.position()
    let list = try await visit.database.inspection.blocks(in: places.shown, of: chain, limit: limit)
    let all = try await visit.database.inspection.chains(in: places.shown)
    let files = chain == nil ? try await visit.database.inspection.sizes(in: places.shown) : []
    func link(_ block: Block) -> Link { Link("/block", [("id", block.id), ("in", places.shown)]) }
    let title: HTML =
      chain == nil
      ? "Blocks" : "Blocks of <bdi>\(list.chains.first.map(Lanes.name) ?? chain ?? "")</bdi>"
    return try await visit.page("Blocks", at: places.shown == nil ? position : nil) {
      """
      \(chain == nil ? nil : "<nav class=crumbs aria-label=Path><a href=\"\(Link("/blocks", [("in", places.shown)]))\">Blocks</a></nav>" as HTML?)
      <h1>\(title)</h1>
      <p class=quiet>A block is a signed transaction. Each instance appends its blocks to its own chain, and instances \
      exchange them through containers. Times are those of the authors' clocks.</p>
      \(chain == nil ? places.tabs("/blocks") : nil)
      \(findings(list.findings))
      <section aria-labelledby=lanes><h2 id=lanes>\(chain == nil ? "Chains as lanes" : "Chain")</h2>
      \(Lanes(list: list, link: link).html)\(more(list, limit, chain, places.shown))</section>
      \(chain == nil ? chains(all, places.shown) : nil)
      \(chain == nil ? Sizes.chart(files, in: places.shown) : nil)
      <section aria-labelledby=newest><h2 id=newest>Newest blocks</h2>\(table(list.blocks.reversed(), link))</section>
      \(Fragments.command(command(places.shown, chain)))
      """
    }
  }

  private static func command(_ container: String?, _ chain: String?) -> CommandText {
    if let chain, container == nil, !chain.contains("~") { return CommandText("inspect", chain) }
    return CommandText(words: ["inspect", "--blocks"] + (container.map { [$0] } ?? []))
  }

  private static func findings(_ findings: [Finding]) -> HTML? {
    if findings.isEmpty { return nil }
    let items: [HTML] = findings.prefix(20).map { "<li>\($0.message.sentence) <code>\($0.code)</code></li>" }
    return "<div class=problem><p>Some blocks cannot be read:</p><ul>\(items)</ul></div>"
  }

  private static func more(
    _ list: Database.Inspection.BlockList, _ limit: Int, _ chain: String?, _ container: String?
  ) -> HTML? {
    let others: HTML? =
      list.moreChains > 0 ? " \(Amount.count(list.moreChains, "older chain")) not shown." : nil
    if list.moreBlocks == 0 { return others.map { "<p class=quiet>\($0)</p>" } }
    let wanted = String(min(most, limit * 4))
    let next: HTML? =
      limit < most
      ? " <a href=\"\(Link("/blocks", [("in", container), ("chain", chain), ("show", wanted)]))\">Show more</a>" : nil
    return "<p class=quiet>\(Amount.count(list.moreBlocks, "older block")) not shown.\(others)\(next)</p>"
  }

  // MARK: - Chains

  private static func chains(_ chains: [Database.Inspection.Chain], _ container: String?) -> HTML? {
    if chains.isEmpty { return nil }
    let largest = max(1, chains.map(\.bytes).max() ?? 1)
    let newest = chains.sorted { ($0.lastTime?.milliseconds ?? 0) > ($1.lastTime?.milliseconds ?? 0) }
    let rows: [HTML] = newest.map { chain in
      let missing: HTML? =
        chain.missingBlocks > 0
        ? " <span class=warn>\(Amount.count(chain.missingBlocks, "block")) missing</span>" : nil
      return """
        <tr role=row><th scope=row role=rowheader><a href="\(Link("/blocks", [("in", container), ("chain", chain.id)]))"><bdi>\(Lanes.name(chain).cut(60))</bdi></a>\
        \(chain.instance.isOwn ? " <span class=quiet>(here)</span>" : nil)</th>\
        <td role=cell data-label=chain><code title="\(label: chain.id)">\(chain.id.prefix(8))\(Lanes.tail(chain.id))</code></td>\
        <td class=number role=cell data-label=blocks>\(Amount.count(chain.blocks))\(missing)</td>\
        <td class=number role=cell data-label=size>\(Amount.size(chain.bytes))</td>\
        <td class=wide role=cell>\(SVG.bar(Double(chain.bytes) / Double(largest)))</td>\
        <td role=cell data-label=first>\(chain.firstTime.map { Times.html($0) })</td>\
        <td role=cell data-label=last>\(chain.lastTime.map { Times.ago($0) })</td></tr>
        """
    }
    return """
      <section aria-labelledby=chains><h2 id=chains>Chains</h2>\
      \(Fragments.table("Chains", ["instance", "chain", "blocks", "size", "", "first block", "last block"], numbers: [2, 3], rows))</section>
      """
  }

  // MARK: - Blocks

  static func table(_ blocks: [Block], _ link: (Block) -> Link) -> HTML {
    let rows: [HTML] = blocks.prefix(mostRows).map { block in
      let (mark, kind) = Lanes.mark(block)
      return """
        <tr role=row><th scope=row role=rowheader><svg width=22 height=18 aria-hidden=true>\(SVG.mark(mark, kind, 11, 9, 5))</svg> \
        <a href="\(link(block))"><bdi>\(Lanes.name(block))</bdi></a></th>\
        <td role=cell data-label=time>\(block.time.map { Times.html($0) })</td>\
        <td role=cell data-label=message\(block.label == nil ? " class=none" : "")><bdi>\(block.label?.cut(80) ?? "")</bdi></td>\
        <td role=cell data-label=content>\(content(block))</td>\
        <td class=number role=cell data-label=size>\(Amount.size(Int64(block.bytes)))</td>\
        <td role=cell data-label="had seen"\(block.seen.isEmpty ? " class=none" : "")>\(seen(block))</td></tr>
        """
    }
    let left = blocks.count - rows.count
    let more: HTML? = left > 0 ? "<p class=quiet>\(Amount.count(left, "older block")) only in the drawing.</p>" : nil
    let columns = ["block", "time", "message", "content", "size", "had seen"]
    return "\(Fragments.table("Blocks, newest first", columns, numbers: [4], rows))\(more)"
  }

  static func content(_ block: Block) -> HTML {
    if block.isPurged { return "<span class=quiet>purged</span>" }
    guard let changes = block.changes, let entries = block.entries else {
      return "<span class=quiet>cannot be read</span>"
    }
    var parts: [HTML] = []
    if changes > 0 { parts.append("\(Amount.count(changes, "change"))") }
    if entries > 0 { parts.append("\(Amount.count(entries, "control entry", "control entries"))") }
    if !block.isReached { parts.append("<span class=warn>not reached, because an earlier block is missing</span>") }
    return parts.joined(by: ", ")
  }

  private static func seen(_ block: Block) -> HTML {
    let names: [HTML] = block.seen.prefix(3).map { "<bdi>\(Lanes.name($0.instance))/\($0.index)</bdi>" }
    let left = block.seen.count - names.count
    let more: HTML = left > 0 ? " <span class=quiet>and \(left) more</span>" : ""
    return names.joined(by: ", ") + more
  }
}
