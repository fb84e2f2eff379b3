import SeaCore
import SeaEngine
import SeaWords

/// The revisions of one record: a branch to a row, from left to right by depth as far as there is room.
struct RevisionTreeDrawing {
  private let record: PlaceOverview.Record
  private let page: Page
  private static let (step, height, left) = (118, 44, 14)

  init(_ record: PlaceOverview.Record, page: Page) { (self.record, self.page) = (record, page) }

  var svg: String {
    // What was written twice, as by a merge that two made, is one revision.
    var seen: Set<RevisionID> = []
    let changes = record.changes.filter { seen.insert($0.change.revision).inserted }
      .sorted { $0.change.revision < $1.change.revision }
    let places = self.places(changes.map(\.change))
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

  /// A revision stands behind its parent, in its row if it is the first to follow it.
  private func places(_ changes: [InspectedBlock.Change]) -> [RevisionID: (x: Int, y: Int)] {
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
