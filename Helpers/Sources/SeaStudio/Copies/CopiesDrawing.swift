import SeaKit

/// A drawing of all copies as SVG: instances at the left, containers at the right, and in each how much of every chain it
/// has. The table of the page says the same in words.
struct CopiesDrawing {
  let rows: [CopyRow]
  let chains: [Copies.Chain]

  private static let most = 24
  /// More chains than letters are drawn as one.
  private static let mostChains = 26
  private static let height = 66
  private static let gap = 14

  private var left: [CopyRow] { Array(rows.filter { $0.kind != .container }.prefix(CopiesDrawing.most)) }
  private var right: [CopyRow] { Array(rows.filter { $0.kind == .container }.prefix(CopiesDrawing.most)) }

  static func letter(_ k: Int) -> String {
    let (first, second) = (k / 26, k % 26)
    let letter = String(UnicodeScalar(UInt8(65 + second)))
    return first == 0 ? letter : letter + String(first)
  }

  var html: HTML {
    """
    <div class=drawing><svg class=wide viewBox="0 0 960 \(wideHeight)" role=img aria-labelledby=drawing-wide>\
    <title id=drawing-wide>\(label: summary)</title>\(edges)\
    \(left.enumerated().map { node($0.element, x: 8, y: top($0.offset, left.count), width: 400) })\
    \(right.enumerated().map { node($0.element, x: 552, y: top($0.offset, right.count), width: 400) })</svg>\
    <svg class=narrow viewBox="0 0 360 \((left.count + right.count) * step + 8)" role=img aria-labelledby=drawing-narrow>\
    <title id=drawing-narrow>\(label: summary)</title>\
    \((left + right).enumerated().map { node($0.element, x: 4, y: 4 + $0.offset * step, width: 352) })</svg></div>
    """
  }

  private var step: Int { CopiesDrawing.height + CopiesDrawing.gap }
  private var wideHeight: Int { max(left.count, right.count, 1) * step + 2 }

  /// The shorter column is centered.
  private func top(_ k: Int, _ count: Int) -> Int { 4 + k * step + (max(left.count, right.count) - count) * step / 2 }

  private var summary: String {
    rows.map { "\($0.name): \($0.about), \($0.lack)." }.joined(separator: " ")
  }

  private func node(_ row: CopyRow, x: Int, y: Int, width: Int) -> HTML {
    let form: HTML =
      row.kind == .container
      ? """
      <path class="node container" d="M\(x) \(y + 8)q0-8 \(width / 2)-8t\(width / 2) 8v\(CopiesDrawing.height - 14)q0 8-\(width / 2) 8t-\(width / 2)-8z"/>
      """
      : """
      <rect class="node\(row.kind == .own ? " own" : row.kind == .asking ? " asking" : nil)" x="\(x)" y="\(y)" width="\(width)" height="\(CopiesDrawing.height)" rx="8"/>
      """
    let lack: HTML =
      "<text class=\"\(row.missing > 0 ? "lack" : "full")\" x=\"\(x + width - 14)\" y=\"\(y + 24)\" text-anchor=end>\(label: row.kind == .asking ? "" : short(row))</text>"
    return """
      \(form)<text class=name x="\(x + 14)" y="\(y + 24)">\(label: row.name.cut(width > 380 ? 26 : 20))</text>\(lack)\
      <text class="\(row.isTroubled ? "lack" : "about")" x="\(x + 14)" y="\(y + 41)">\(label: row.about.cut(48))</text>\(bar(row, x: x + 14, y: y + 48, width: width - 28))
      """
  }

  private func short(_ row: CopyRow) -> String {
    row.kind == .own
      ? "here"
      : row.has == nil ? "unknown" : row.missing == 0 ? "✓ everything" : row.lack
  }

  /// A bar with a part for each chain. The missing share of a part is hollow.
  private func bar(_ row: CopyRow, x: Int, y: Int, width: Int) -> HTML? {
    let total = chains.reduce(0) { $0 + $1.blocks }
    guard let has = row.has, total > 0 else { return nil }
    var shares = zip(chains, has).map { (blocks: $0.blocks, has: min($1, $0.blocks)) }
    if shares.count > CopiesDrawing.mostChains { shares = [(total, shares.reduce(0) { $0 + $1.has })] }
    // Every chain is seen, however short it is.
    let least = min(10, width / shares.count)
    let rest = width - least * shares.count
    var at = x
    var parts: [HTML] = []
    for (k, share) in shares.enumerated() {
      let part = least + rest * share.blocks / total
      let full = share.blocks == 0 ? part : part * share.has / share.blocks
      parts.append(
        """
        <g class="side\(k % 6)"><rect class=hollow x="\(at)" y="\(y)" width="\(max(1, part - 2))" height="10" rx="2"/>\
        <rect class=solid x="\(at)" y="\(y)" width="\(max(0, full - 2))" height="10" rx="2"/></g>
        """)
      at += part
    }
    return "\(parts)"
  }

  /// Lines from this instance to its containers, and from others to the containers that hold their blocks.
  private var edges: HTML {
    var (lines, labels): ([HTML], [HTML]) = ([], [])
    for (k, instance) in left.enumerated() {
      let chain = chains.firstIndex { $0.id == instance.id }
      for (j, container) in right.enumerated() {
        let (from, to) = (top(k, left.count) + CopiesDrawing.height / 2, top(j, right.count) + CopiesDrawing.height / 2)
        let path: HTML = "M\(408) \(from)C480 \(from) 480 \(to) 552 \(to)"
        if instance.kind == .own {
          let isEven = container.toPush == 0 && container.toPull == 0
          lines.append("<path class=\"edge\(isEven ? nil : " uneven")\" d=\"\(path)\"/>")
          var words: [String] = []
          if container.toPush > 0 { words.append("\(Amount.count(container.toPush)) →") }
          if container.toPull > 0 { words.append("← \(Amount.count(container.toPull))") }
          if !words.isEmpty {
            // The label stands in the middle of the line.
            labels.append(
              "<text class=lack x=\"480\" y=\"\((from + to) / 2 + 4)\" text-anchor=middle>\(label: words.joined(separator: " "))</text>"
            )
          }
        } else if let chain, let has = container.has, has[chain] > 0 {
          lines.append("<path class=\"edge holds\" d=\"\(path)\"/>")
        }
      }
    }
    return "\(lines)\(labels)"
  }
}
