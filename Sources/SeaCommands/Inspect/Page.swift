import SeaCore
import SeaEngine

/// An HTML page about a database, container or bundle: sizes, chains over time, revision trees and conflicts. The page
/// is self-contained and has no scripts.
struct Page {
  let terminal: Terminal
  let place: any InspectedPlace
  let name: String
  let overview: PlaceOverview
  /// The first conflicts and the total number of conflicts; nil unless the page shows a database.
  let conflicts: Conflicts?
  let names: [UUID: String]
  struct Conflicts {
    let first: [String]
    let all: Int
    /// Loads a conflict only when it is shown, because its values may be large.
    let find: (String) throws -> Conflict?
  }
  private let anchors: [BlockRef: Int]
  private(set) var html = HTMLText()

  init(
    _ terminal: Terminal, _ place: any InspectedPlace, named name: String, _ overview: PlaceOverview,
    _ names: [UUID: String], _ conflicts: Conflicts?
  ) {
    (self.terminal, self.place, self.name, self.overview) = (terminal, place, name, overview)
    var known = names
    for chain in overview.chains where !chain.name.isEmpty { known[chain.branch.instance] = chain.name }
    (self.names, self.conflicts) = (known, conflicts)
    anchors = Dictionary(
      overview.blocks.enumerated().map { ($1.ref, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func make() throws -> String {
    head()
    sizes()
    chains()
    html.raw(Lanes(page: self).section)
    blocks()
    records()
    try sideBySide()
    html.raw("</main></body></html>")
    return html.text
  }

  // MARK: - Helpers

  func anchor(of block: BlockRef) -> Int? { anchors[block] }

  func author(_ branch: BranchID) -> String {
    let name = names[branch.instance] ?? ""
    return (name.isEmpty ? terminal.short(branch.instance) : name) + branch.tail
  }

  func link(_ block: BlockRef) -> String {
    let text = HTMLText.escape("\(author(block.branch))/\(block.index)", most: 80)
    return anchor(of: block).map { "<a href=\"#b\($0)\">\(text)</a>" } ?? text
  }

  func time(_ time: Int64?) -> String { time.map { HTMLText.escape(terminal.text($0)) } ?? "–" }

  private static func unbroken(_ markup: String) -> String { "<span class=\"nw\">\(markup)</span>" }

  static func more(_ count: Int, _ noun: String) -> String {
    count > 0 ? "<p class=\"soft\">\(Count(count, noun)) more \(count == 1 ? "is" : "are") not shown.</p>" : ""
  }

  // MARK: - Parts

  private mutating func head() {
    let facts = place.facts
    html.raw(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/>
      <meta name="referrer" content="no-referrer"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <title>\(HTMLText.escape(name, most: 200)) – sea inspect</title>
      <style>\(PageStyle.text)</style></head>
      <body><a class="skip" href="#main">Skip to the content</a>
      <header>
      """)
    html.element("h1", "\(place.form) \(name)")
    let sealed = facts.isSealed ? (place.keys == nil ? ", encrypted (no key available)" : ", encrypted") : ""
    html.element(
      "p",
      "Database \(facts.database), \(facts.contentType)\(sealed). "
        + "\(Count(overview.layout.total.files, "file")), \(SizeText.of(overview.layout.total.bytes)).")
    html.element(
      "p",
      "This page was not verified; to verify the data, run: sea verify. Times are from the authors' clocks; blocks are in order of Lamport time.",
      "class=\"soft\"")
    html.raw(
      """
      <nav aria-label="Parts of this page"><a href="#sizes">Sizes</a><a href="#chains">Chains</a><a href="#lanes">Lanes</a>
      <a href="#blocks">Blocks</a><a href="#records">Records</a><a href="#conflicts">Conflicts</a></nav>
      </header><main id="main">
      """)
  }

  private mutating func sizes() {
    html.raw("<h2 id=\"sizes\">Sizes</h2>")
    html.region("Sizes")
    html.raw("<table>")
    html.row(["What", "Files", "Size", "Share"], header: true)
    let all = max(1, overview.layout.total.bytes)
    for kind in FileMeaning.Kind.allCases {
      guard let sum = overview.layout.kinds[kind] else { continue }
      let share = min(100, max(0, Int(Double(sum.bytes) / Double(all) * 100)))
      html.row([
        HTMLText.escape(kind.words(sum.files)), "\(sum.files)", Page.unbroken(SizeText.of(sum.bytes)),
        "<div class=\"bar\" style=\"width:\(share)%\"></div>",
      ])
    }
    html.raw("</table></div>")
  }

  private mutating func chains() {
    html.raw("<h2 id=\"chains\">Chains</h2>")
    html.region("Chains")
    html.raw("<table>")
    html.row(["Author", "Instance", "Blocks", "Size", "First", "Last"], header: true)
    for chain in overview.chains {
      html.row([
        HTMLText.escape(author(chain.branch), most: 80), Page.unbroken("<code>\(chain.branch)</code>"),
        "\(chain.count)", Page.unbroken(SizeText.of(chain.bytes)), Page.unbroken(time(chain.began)),
        Page.unbroken(time(chain.ended)),
      ])
    }
    html.raw("</table></div>" + Page.more(overview.moreChains, "chain"))
    for problem in overview.problems.prefix(20) {
      html.element("p", "\(problem.code.rawValue): \(Failure.words(problem, in: terminal))")
    }
  }

  private mutating func blocks() {
    html.raw("<h2 id=\"blocks\">Blocks</h2>" + Page.more(overview.moreBlocks, "older block"))
    html.region("Blocks")
    html.raw("<table class=\"blocks\">")
    html.row(["Block", "Time", "Size", "What", "Had seen"], header: true)
    for (k, block) in overview.blocks.enumerated().reversed() {
      let heads = block.heads
      let seen = heads.prefix(16).map(link).joined(separator: ", ")
      let name = HTMLText.escape("\(author(block.ref.branch))/\(block.ref.index)", most: 80)
      html.row(
        [
          "<span title=\"\(block.ref.digest)\">\(name)</span>", Page.unbroken(time(block.time)),
          Page.unbroken(SizeText.of(Int64(block.size))),
          what(block) + (block.isReached ? "" : "; not reached, because an earlier block is missing or damaged"),
          seen + (heads.count > 16 ? " and \(heads.count - 16) more" : ""),
        ], "id=\"b\(k)\"")
    }
    html.raw("</table></div>")
  }

  private func what(_ block: InspectedBlock) -> String {
    if block.header.mode.contains(.removed) { return "purged" }
    guard let changes = block.changeCount, let controls = block.controlCount else { return "not readable" }
    var parts: [String] = []
    if let label = block.label { parts.append("“\(HTMLText.escape(label, most: 120))”") }
    if changes > 0 {
      let ids = block.changes.prefix(3).map { HTMLText.escape($0.id, most: 60) }.joined(separator: ", ")
      parts.append("\(Count(changes, "change")): \(ids)\(changes > 3 ? ", …" : "")")
    }
    if controls > 0 { parts.append("\(controls) control \(controls == 1 ? "entry" : "entries")") }
    return parts.joined(separator: "; ")
  }

  private mutating func records() {
    html.raw("<h2 id=\"records\">Recently changed records</h2>")
    html.element(
      "p", "Each tree shows the revisions in the blocks above; a dashed line leads to a merged revision.",
      "class=\"soft\"")
    for (k, record) in overview.records.enumerated() {
      let type = record.type.map { " (\(HTMLText.escape($0, most: 60)))" } ?? ""
      let head = "\(HTMLText.escape(record.id, most: 255))\(type): \(Count(record.changes.count, "revision"))"
      html.raw("<details id=\"r\(k)\"\(k < 5 ? " open=\"open\"" : "")><summary>\(head)</summary>")
      html.raw(RevisionTreeDrawing(record, page: self).svg + Page.more(record.more, "older revision") + "</details>")
    }
    html.raw(Page.more(overview.moreRecords, "older change"))
  }

  private mutating func sideBySide() throws {
    html.raw("<h2 id=\"conflicts\">Conflicts</h2>")
    guard let conflicts else {
      let words = "To list records in conflict, run sea inspect --html in a database."
      return html.element("p", words)
    }
    if conflicts.all == 0 { html.element("p", "No record is in conflict.") }
    for id in conflicts.first {
      if let conflict = try conflicts.find(id) { html.raw(ConflictPanel(conflict, page: self).text) }
    }
    html.raw(Page.more(conflicts.all - conflicts.first.count, "conflict"))
  }
}

/// The style sheet of the page, with light and dark color schemes and visible keyboard focus.
package enum PageStyle {
  package static let text = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1c2330; --soft: #5a6475; --line: #d4d9e2; --band: #f4f6f9;
      --blue: #1f5fae; --green: #23753f; --amber: #8a5a00; --red: #a8262c; --grey: #7b8494; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e4e8ef; --soft: #a3adbd; --line: #343c49;
      --band: #1c222c; --blue: #7db4ff; --green: #6fcf8e; --amber: #e8b45a; --red: #ff8a8a; --grey: #939daf; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.5rem; margin: .5rem 0; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
    p { margin: .4rem 0; max-width: 46rem; } .soft { color: var(--soft); }
    a { color: var(--blue); } a:focus-visible, summary:focus-visible, .scroll:focus-visible
      { outline: 3px solid var(--amber); outline-offset: 2px; }
    .skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--paper); }
    nav a { margin-right: 1rem; display: inline-block; }
    code, .mono { font-family: ui-monospace, monospace; font-size: .9em; }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--band); }
    /* What is newest is in sight first. */
    .end { direction: rtl; } .end svg { direction: ltr; margin-right: auto; }
    table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--soft); font-weight: 600; }
    th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
    td { overflow-wrap: break-word; min-width: 4rem; } td.n, th.n { text-align: right; white-space: nowrap; }
    .blocks td { overflow-wrap: normal; } .nw { white-space: nowrap; }
    tr:target, details:target { background: color-mix(in srgb, var(--amber) 22%, transparent); }
    .bar { background: var(--blue); height: .6rem; border-radius: 3px; min-width: 2px; }
    .lanes { display: flex; } .names { flex: none; width: 9rem; padding-top: 40px; }
    .names div { height: 36px; line-height: 36px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
      padding-right: .5rem; } .lanes .scroll { flex: 1; }
    @media (max-width: 40rem) { .names { width: 5rem; font-size: .85rem; } body { padding: .5rem .6rem 3rem; } }
    svg { display: block; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
    .lane { stroke: var(--line); stroke-width: 2; } .seen { stroke: var(--grey); fill: none; opacity: .55; }
    .merge { stroke: var(--amber); stroke-dasharray: 4 3; fill: none; } .parent { stroke: var(--grey); fill: none; }
    .change { fill: var(--blue); } .control { fill: var(--green); } .locked { fill: var(--grey); }
    .removed { fill: var(--red); } .leaf { fill: var(--green); } svg a:focus { outline: none; }
    svg a:focus-visible circle { stroke: var(--amber); stroke-width: 4; }
    .key span { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; margin: 0 .3rem 0 .9rem;
      vertical-align: -1px; }
    .clash td:first-child { border-left: 3px solid var(--red); } details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
    summary { cursor: pointer; overflow-wrap: anywhere; }
    """
}

struct ConflictPanel {
  private let conflict: Conflict
  private let page: Page
  private static let mostPaths = 100

  init(_ conflict: Conflict, page: Page) { (self.conflict, self.page) = (conflict, page) }

  var text: String {
    var html = HTMLText()
    let type = conflict.row.type.map { " (\($0))" } ?? ""
    html.element("h3", "\(conflict.id)\(type), \(conflict.kind.rawValue)")
    html.region("Sides of a conflict")
    html.raw("<table>")
    let base = conflict.base.map { "Base \($0.leaf.revision.short(8))" } ?? "No base"
    let titles = conflict.sides.prefix(8).enumerated().map { k, side in
      let who = side.author.map { page.author($0.branch) } ?? "–"
      let end = side.leaf.kind == .put ? "" : ", deleted"
      let head = "\(k == 0 ? "Winner" : "Side") \(side.leaf.revision.short(8)) by \(who)\(end)"
      return HTMLText.escape(head, most: 120) + "<br/>" + page.time(side.author?.time)
    }
    html.row(["Property", HTMLText.escape(base)] + titles + ["Merged"], header: true)
    for path in conflict.paths.prefix(ConflictPanel.mostPaths) {
      let isClash = path.state == .clash
      let values = path.values.prefix(8).map(ConflictPanel.value)
      html.row(
        ["<code>\(HTMLText.escape(path.pointer, most: 200))</code>", ConflictPanel.value(path.base)] + values
          + [isClash ? "conflict: needs a choice" : ConflictPanel.value(path.merged)], isClash ? "class=\"clash\"" : "")
    }
    html.raw("</table></div>")
    html.raw(Page.more(conflict.paths.count - ConflictPanel.mostPaths, "property"))
    html.raw(Page.more(conflict.sides.count - 8 + conflict.waiting, "side"))
    return html.text
  }

  private static func value(_ value: Value?) -> String {
    guard let value else { return "<span class=\"soft\">nothing</span>" }
    return "<code>\(HTMLText.escape(value.summary ?? (try? value.json()) ?? "?", most: 300))</code>"
  }
}

/// Draws the revisions of one record from left to right by depth, with one row per branch.
struct RevisionTreeDrawing {
  private let record: PlaceOverview.Record
  private let page: Page
  private static let (step, height, left) = (118, 44, 14)

  init(_ record: PlaceOverview.Record, page: Page) { (self.record, self.page) = (record, page) }

  var svg: String {
    // Two instances may have written the same revision, for example by making the same merge.
    var seen: Set<RevisionID> = []
    let changes = record.changes.filter { seen.insert($0.change.revision).inserted }
      .sorted { $0.change.revision < $1.change.revision }
    let places = self.positions(of: changes.map(\.change))
    let (columns, rows) = places.values.reduce((1, 1)) { (max($0.0, $1.x + 1), max($0.1, $1.y + 1)) }
    let (width, height) = (columns * Self.step + 2 * Self.left + 60, rows * Self.height + 8)
    let parents = Set(changes.compactMap(\.change.parent)).union(changes.flatMap(\.change.merged))
    var html = HTMLText()
    html.region("Revisions", fromEnd: true)
    html.raw("<svg width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">")
    for (change, _) in changes {
      guard let here = places[change.revision] else { continue }
      for (origin, kind) in [(change.parent, "parent")] + change.merged.map({ ($0, "merge") }) {
        guard let there = origin.flatMap({ places[$0] }) else { continue }
        html.raw(
          "<path class=\"\(kind)\" d=\"M\(Self.x(there.x)) \(Self.y(there.y)) L\(Self.x(here.x)) \(Self.y(here.y))\"/>")
      }
    }
    for (change, block) in changes {
      guard let here = places[change.revision] else { continue }
      let kind = change.kind != .put ? "removed" : parents.contains(change.revision) ? "change" : "leaf"
      let title = "\(change.revision), \(change.kind.rawValue), \(SizeText.of(Int64(change.size)))"
      let mark =
        "<circle class=\"\(kind)\" cx=\"\(Self.x(here.x))\" cy=\"\(Self.y(here.y))\" r=\"6\"/>"
        + "<text x=\"\(Self.x(here.x) + 9)\" y=\"\(Self.y(here.y) - 6)\">\(change.revision.short(8))</text>"
        + "<text x=\"\(Self.x(here.x) + 9)\" y=\"\(Self.y(here.y) + 14)\">\(HTMLText.escape(page.author(block.branch), most: 12))</text>"
      let anchor = page.anchor(of: block).map { "#b\($0)" } ?? "#records"
      html.raw("<a href=\"\(anchor)\"><title>\(HTMLText.escape(title))</title>\(mark)</a>")
    }
    html.raw("</svg></div>")
    return html.text
  }

  private func positions(of changes: [InspectedBlock.Change]) -> [RevisionID: (x: Int, y: Int)] {
    var places: [RevisionID: (x: Int, y: Int)] = [:]
    var followed: Set<RevisionID> = []
    var rows = 0
    for change in changes {
      let before = change.parent.flatMap { places[$0] }
      let x = ([change.parent].compactMap { $0 } + change.merged).compactMap { places[$0]?.x }.max().map { $0 + 1 } ?? 0
      if let parent = change.parent, let before, followed.insert(parent).inserted {
        places[change.revision] = (x, before.y)
      } else {
        places[change.revision] = (x, rows)
        rows += 1
      }
    }
    return places
  }

  private static func x(_ column: Int) -> Int { left + column * step }
  private static func y(_ row: Int) -> Int { 4 + row * height + height / 2 }
}

/// Draws chains as lanes, with blocks in Lamport order and a line from each block to the blocks that it references.
struct Lanes {
  let page: Page
  private static let (step, height, top, left) = (24, 36, 40, 20)

  var section: String {
    var html = HTMLText()
    let blocks = page.overview.blocks
    html.raw("<h2 id=\"lanes\">Lanes</h2>")
    html.raw(
      """
      <p class="soft key">The blocks of each instance, and the blocks of others that it had seen. <span style="background:var(--blue)"></span>changes
      <span style="background:var(--green)"></span>control entries <span style="background:var(--grey)"></span>not readable
      <span style="background:var(--red)"></span>purged</p>
      """)
    html.raw(Page.more(page.overview.moreBlocks, "older block"))
    let chains = page.overview.chains
    let rows = Dictionary(chains.enumerated().map { ($1.branch, $0) }, uniquingKeysWith: { first, _ in first })
    html.raw("<div class=\"lanes\"><div class=\"names\">")
    for chain in chains {
      html.element("div", page.author(chain.branch), "title=\"\(chain.branch)\"")
    }
    let width = blocks.count * Lanes.step + 2 * Lanes.left + 60
    let height = chains.count * Lanes.height + Lanes.top + 8
    html.raw("</div>")
    html.region("Lanes of the chains, oldest left", fromEnd: true)
    html.raw("<svg width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">")
    for (row, _) in chains.enumerated() {
      html.raw("<line class=\"lane\" x1=\"0\" x2=\"\(width)\" y1=\"\(Lanes.y(row))\" y2=\"\(Lanes.y(row))\"/>")
    }
    times(blocks, &html)
    for (k, block) in blocks.enumerated() {
      guard let row = rows[block.ref.branch] else { continue }
      for head in block.heads.prefix(16) {
        guard let other = page.anchor(of: head), let there = rows[blocks[other].ref.branch] else { continue }
        let (x1, y1, x2, y2) = (Lanes.x(other), Lanes.y(there), Lanes.x(k), Lanes.y(row))
        html.raw("<path class=\"seen\" d=\"M\(x1) \(y1) C\((x1 + x2) / 2) \(y1) \((x1 + x2) / 2) \(y2) \(x2) \(y2)\"/>")
      }
    }
    for (k, block) in blocks.enumerated() {
      guard let row = rows[block.ref.branch] else { continue }
      let title = HTMLText.escape("\(page.author(block.ref.branch))/\(block.ref.index)", most: 80)
      html.raw(
        "<a href=\"#b\(k)\"><title>\(title), \(page.time(block.time)), \(SizeText.of(Int64(block.size)))</title>"
          + "<circle class=\"\(Lanes.kind(block))\" cx=\"\(Lanes.x(k))\" cy=\"\(Lanes.y(row))\" r=\"\(Lanes.radius(block.size))\"/></a>"
      )
    }
    html.raw("</svg></div></div>")
    return html.text
  }

  private func times(_ blocks: [InspectedBlock], _ html: inout HTMLText) {
    for k in stride(from: 0, to: blocks.count, by: 7) {
      guard blocks[k].time != nil else { continue }
      html.raw("<text x=\"\(Lanes.x(k) - 6)\" y=\"16\">\(page.time(blocks[k].time))</text>")
      html.raw("<line class=\"lane\" x1=\"\(Lanes.x(k))\" x2=\"\(Lanes.x(k))\" y1=\"22\" y2=\"30\"/>")
    }
  }

  private static func x(_ place: Int) -> Int { left + place * step }
  private static func y(_ row: Int) -> Int { top + row * height + height / 2 }

  /// Returns the radius of a block's circle, which grows with the logarithm of the block size.
  private static func radius(_ size: Int) -> Int {
    min(11, 4 + max(0, (Int.bitWidth - max(1, size).leadingZeroBitCount - 9) / 2))
  }

  private static func kind(_ block: InspectedBlock) -> String {
    if block.header.mode.contains(.removed) { return "removed" }
    guard let changes = block.changeCount else { return "locked" }
    return changes > 0 ? "change" : "control"
  }
}

/// Builds HTML. All text except for literals in the source code must be passed through `escape`.
package struct HTMLText {
  private(set) var text = ""

  mutating func raw(_ markup: String) { text += markup + "\n" }

  /// Begins a scrollable region that can receive the focus.
  /// - Parameter fromEnd: whether the region initially shows its end.
  mutating func region(_ label: String, fromEnd: Bool = false) {
    let kind = fromEnd ? "scroll end" : "scroll"
    raw("<div class=\"\(kind)\" tabindex=\"0\" role=\"region\" aria-label=\"\(HTMLText.escape(label))\">")
  }

  mutating func element(_ tag: String, _ content: String, _ attributes: String = "") {
    raw("<\(tag)\(attributes.isEmpty ? "" : " " + attributes)>\(HTMLText.escape(content))</\(tag)>")
  }

  /// Appends a table row. The cells are markup.
  mutating func row(_ cells: [String], header: Bool = false, _ attributes: String = "") {
    let tag = header ? "th scope=\"col\"" : "td"
    let end = header ? "th" : "td"
    let inside = cells.map { "<\(tag)>\($0)</\(end)>" }.joined()
    raw("<tr\(attributes.isEmpty ? "" : " " + attributes)>\(inside)</tr>")
  }

  /// Escapes markup, control characters and noncharacters in untrusted text, and truncates long text.
  package static func escape(_ text: String, most: Int = 2000) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > most { return result + "…" }
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value): result += "\u{FFFD}"
      case _ where (0x7F..<0xA0).contains(scalar.value): result += Escape.shown("\\x" + Escape.hex(scalar.value, 2))
      default:
        if let escaped = Escape.escaped(scalar) { result += escaped } else { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }
}
