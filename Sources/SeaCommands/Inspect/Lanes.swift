import SeaCore
import SeaEngine
import SeaWords

/// The chains as lanes, each block in its place in the order of Lamport time, with a line to each block that it had seen.
struct Lanes {
  let page: Page
  private static let (step, height, top, left) = (24, 36, 40, 20)

  var section: String {
    var html = HTMLText()
    let blocks = page.overview.blocks
    html.raw("<h2 id=\"lanes\">Lanes</h2>")
    html.raw(
      """
      <p class="soft key">Who wrote when, and which blocks of others it had seen. <span style="background:var(--blue)"></span>changes
      <span style="background:var(--green)"></span>entries about the chain <span style="background:var(--grey)"></span>not readable here
      <span style="background:var(--red)"></span>removed</p>
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
      for head in (block.heads ?? []).prefix(16) {
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

  /// A time now and then, no two upon each other.
  private func times(_ blocks: [InspectedBlock], _ html: inout HTMLText) {
    for k in stride(from: 0, to: blocks.count, by: 7) {
      guard blocks[k].time != nil else { continue }
      html.raw("<text x=\"\(Lanes.x(k) - 6)\" y=\"16\">\(page.time(blocks[k].time))</text>")
      html.raw("<line class=\"lane\" x1=\"\(Lanes.x(k))\" x2=\"\(Lanes.x(k))\" y1=\"22\" y2=\"30\"/>")
    }
  }

  private static func x(_ place: Int) -> Int { left + place * step }
  private static func y(_ row: Int) -> Int { top + row * height + height / 2 }

  /// Grows with the size, slowly.
  private static func radius(_ size: Int) -> Int {
    min(11, 4 + max(0, (Int.bitWidth - max(1, size).leadingZeroBitCount - 9) / 2))
  }

  private static func kind(_ block: InspectedBlock) -> String {
    if block.header.mode.contains(.removed) { return "removed" }
    guard let changes = block.changeCount else { return "locked" }
    return changes > 0 ? "change" : "control"
  }
}
