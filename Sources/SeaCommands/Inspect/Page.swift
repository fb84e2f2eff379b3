import SeaCore
import SeaEngine
import SeaWords

/// A page that shows a place: sizes, chains as lanes over time, who had seen what, trees of revisions, conflicts side by
/// side. It has all in itself, and runs nothing.
struct Page {
  let terminal: Terminal
  let place: any InspectedPlace
  let name: String
  let overview: PlaceOverview
  /// The first conflicts, and how many there are; of a database alone.
  let conflicts: Conflicts?
  let names: [UUID: String]
  struct Conflicts {
    /// The ids.
    let first: [String]
    let all: Int
    /// Each is had when it is shown: its values may be large.
    let find: (String) throws -> Conflict?
  }
  /// Which of the blocks stand where on the page.
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

  // MARK: - What all parts use

  func anchor(of block: BlockRef) -> Int? { anchors[block] }

  func author(_ branch: BranchID) -> String {
    let name = names[branch.instance] ?? ""
    return (name.isEmpty ? terminal.short(branch.instance) : name) + branch.tail
  }

  /// A block as a link to what is said of it; as text where it is not on the page.
  func link(_ block: BlockRef) -> String {
    let text = HTMLText.escape("\(author(block.branch))/\(block.index)", most: 80)
    return anchor(of: block).map { "<a href=\"#b\($0)\">\(text)</a>" } ?? text
  }

  func time(_ time: Int64?) -> String { time.map { HTMLText.escape(terminal.text($0)) } ?? "–" }

  private static func unbroken(_ markup: String) -> String { "<span class=\"nw\">\(markup)</span>" }

  /// What is left out.
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
    let sealed = facts.isSealed ? (place.keys == nil ? ", sealed, and no key is here" : ", sealed") : ""
    html.element(
      "p",
      "Database \(facts.database), \(facts.contentType)\(sealed). "
        + "\(Count(overview.layout.total.files, "file")), \(SizeText.of(overview.layout.total.bytes)).")
    html.element(
      "p",
      "What this page shows was not verified: sea verify does that. Times are what the clocks of authors said; the order is that of Lamport time.",
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
      let heads = block.heads ?? []
      let seen = heads.prefix(16).map(link).joined(separator: ", ")
      let name = HTMLText.escape("\(author(block.ref.branch))/\(block.ref.index)", most: 80)
      html.row(
        [
          "<span title=\"\(block.ref.digest)\">\(name)</span>", Page.unbroken(time(block.time)),
          Page.unbroken(SizeText.of(Int64(block.size))),
          what(block) + (block.isReached ? "" : "; not reached, as something before it is missing or damaged"),
          seen + (heads.count > 16 ? " and \(heads.count - 16) more" : ""),
        ], "id=\"b\(k)\"")
    }
    html.raw("</table></div>")
  }

  private func what(_ block: InspectedBlock) -> String {
    if block.header.mode.contains(.removed) { return "removed: only its hash is here" }
    guard let changes = block.changeCount, let controls = block.controlCount else { return "cannot be read here" }
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
    html.raw("<h2 id=\"records\">Records that were changed last</h2>")
    html.element(
      "p", "Each tree has the revisions that are in the blocks above; a dashed line leads to what a merge took in.",
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
      let words = "Which records are in conflict a database knows: sea inspect --html without an argument."
      return html.element("p", words)
    }
    if conflicts.all == 0 { html.element("p", "No record is in conflict.") }
    for id in conflicts.first {
      if let conflict = try conflicts.find(id) { html.raw(ConflictPanel(conflict, page: self).text) }
    }
    html.raw(Page.more(conflicts.all - conflicts.first.count, "conflict"))
  }
}
