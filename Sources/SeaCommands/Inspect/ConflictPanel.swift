import SeaCore
import SeaEngine

/// What the sides of a conflict say, property by property, side by side.
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
          + [isClash ? "clash: a person decides" : ConflictPanel.value(path.merged)], isClash ? "class=\"clash\"" : "")
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
