import SeaKit

/// Draws chains as lanes. Blocks are sorted from left to right. Each block follows the blocks that its author had seen,
/// and lines connect it to them.
struct Lanes {
  let list: Database.Inspection.BlockList
  /// The address of the page of a block.
  let link: (Database.Inspection.Block) -> Link
  private static let (height, top, left) = (42, 40, 18)
  private static let mostSeen = 16
  /// The distance of two blocks. Few blocks are further apart.
  private var step: Int { min(44, max(26, 1100 / max(1, list.blocks.count))) }

  var html: HTML {
    let (blocks, chains) = (list.blocks, list.chains)
    if blocks.isEmpty { return "<p class=empty>There are no blocks.</p>" }
    let rows = Dictionary(chains.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let columns = Dictionary(
      blocks.enumerated().map { ($1.digest, $0) }, uniquingKeysWith: { first, _ in first })
    let width = (blocks.count - 1) * step + 2 * Lanes.left + 12
    let height = chains.count * Lanes.height + Lanes.top
    var drawing = HTML()
    for row in chains.indices { drawing += SVG.line("lane", 0, Lanes.y(row), width, Lanes.y(row)) }
    drawing += times(blocks, height)
    for (column, block) in blocks.enumerated() {
      guard let row = rows[block.chain] else { continue }
      for seen in block.seen.prefix(Lanes.mostSeen) {
        guard let other = columns[seen.digest], let there = rows[blocks[other].chain] else { continue }
        drawing += SVG.curve("seen", x(other), Lanes.y(there), x(column), Lanes.y(row))
      }
    }
    for (column, block) in blocks.enumerated() {
      guard let row = rows[block.chain] else { continue }
      let (mark, kind) = Lanes.mark(block)
      // The list below has the same links, so the Tab key skips these.
      drawing += """
        <a href="\(link(block))" tabindex=-1><title>\(label: Lanes.title(block))</title>\
        <rect class=touch x=\(x(column) - step / 2) y=\(Lanes.y(row) - Lanes.height / 2) width=\(step) height=\(Lanes.height)></rect>\
        \(SVG.mark(mark, kind, x(column), Lanes.y(row), Lanes.radius(block.bytes)))</a>
        """
    }
    let names: [HTML] = chains.map { chain in
      "<li title=\"\(label: chain.id)\"><bdi>\(Lanes.name(chain).cut(40))</bdi></li>"
    }
    return """
      <div class=lanes><ul class=plain>\(names)</ul>\
      <div class="scroll end" tabindex=0 role=region aria-label="Chains as lanes, oldest block left">\
      <svg width=\(width) height=\(height) viewBox="0 0 \(width) \(height)" aria-hidden=true>\(drawing)</svg></div></div>
      \(Lanes.legend)
      """
  }

  static let legend = SVG.legend(
    [
      (.disc, "change", "changes records"), (.square, "control", "only control entries"),
      (.dashed, "quiet", "cannot be read here"), (.cross, "gone", "purged"),
    ],
    more: """
      <li><svg width=26 height=18 aria-hidden=true>\(SVG.curve("seen", 2, 4, 24, 14))</svg> a block that the author had seen</li>\
      <li class=quiet>larger mark: larger block</li>
      """)

  static func mark(_ block: Database.Inspection.Block) -> (SVG.Mark, String) {
    if block.isPurged { return (.cross, "gone") }
    guard let changes = block.changes, block.isReached else { return (.dashed, "quiet") }
    return changes > 0 ? (.disc, "change") : (.square, "control")
  }

  static func name(_ chain: Database.Inspection.Chain) -> String {
    name(chain.instance) + tail(chain.id)
  }

  static func name(_ instance: Instance) -> String { instance.name ?? String(instance.id.prefix(8)) }

  /// In the id of a chain, what makes it a branch that is not the main branch.
  static func tail(_ chain: String) -> String {
    chain.firstIndex(of: "~").map { String(chain[$0...].prefix(9)) } ?? ""
  }

  /// The short name of a block, as in `ann/12`.
  static func name(_ block: Database.Inspection.Block) -> String {
    "\(name(block.instance))\(tail(block.chain))/\(block.index)"
  }

  static func title(_ block: Database.Inspection.Block) -> String {
    var parts = [name(block)]
    if let time = block.time { parts.append("\(Times.minutes(time)) UTC") }
    if let label = block.label { parts.append(label.cut(80)) }
    if let changes = block.changes { parts.append(Amount.count(changes, "change")) }
    parts.append(Amount.size(Int64(block.bytes)))
    return parts.joined(separator: ", ")
  }

  /// The day where it changes, and the time of day as often as there is space.
  private func times(_ blocks: [Database.Inspection.Block], _ height: Int) -> HTML {
    var html = HTML()
    var (day, minute, lastDay, lastTime) = ("", "", -1000, -1000)
    for (column, block) in blocks.enumerated() {
      guard let time = block.time else { continue }
      let words = Times.minutes(time)
      let x = self.x(column)
      if String(words.prefix(10)) != day, x - lastDay > 84 {
        (day, lastDay) = (String(words.prefix(10)), x)
        html += SVG.line("day", x, 4, x, height)
        html += "<text x=\(x + 4) y=13>\(day)</text>"
      }
      if String(words.suffix(5)) != minute, x - lastTime > 46 {
        (minute, lastTime) = (String(words.suffix(5)), x)
        html += "<text class=minor x=\(x - 14) y=28>\(String(words.suffix(5)))</text>"
      }
    }
    return html
  }

  private func x(_ column: Int) -> Int { Lanes.left + column * step }
  private static func y(_ row: Int) -> Int { top + row * height + height / 2 }

  /// The radius grows with the logarithm of the size.
  static func radius(_ bytes: Int) -> Int {
    min(10, 4 + max(0, (Int.bitWidth - max(1, bytes).leadingZeroBitCount - 9) / 2))
  }
}
