/// Parts of drawings. Attributes carry positions and sizes; the style sheet has the colours, because pages have no
/// inline styles.
enum SVG {
  /// A bar whose length is a share of its place.
  static func bar(_ share: Double) -> HTML {
    let tenths = Int((min(1, max(0, share)) * 1000).rounded())
    return """
      <svg class=bar height=10 aria-hidden=true><rect class=track width="100%" height=10 rx=2></rect>\
      <rect width="\(tenths / 10).\(tenths % 10)%" height=10 rx=2></rect></svg>
      """
  }

  static func line(_ kind: String, _ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int) -> HTML {
    "<line class=\"\(value: kind)\" x1=\(x1) y1=\(y1) x2=\(x2) y2=\(y2)></line>"
  }

  /// A line from a place to the end of a drawing of unknown height, and a little further, so that the next one joins.
  static func fall(_ kind: String, _ x: Int, from y: Int) -> HTML {
    "<line class=\"\(value: kind)\" x1=\(x) y1=\(y) x2=\(x) y2=\"102%\"></line>"
  }

  /// A curve that begins and ends to the right, or downwards.
  static func curve(_ kind: String, _ x1: Int, _ y1: Int, _ x2: Int, _ y2: Int, isUpright: Bool = false) -> HTML {
    let (x, y) = ((x1 + x2) / 2, (y1 + y2) / 2)
    let bend: HTML = isUpright ? "\(x1) \(y) \(x2) \(y)" : "\(x) \(y1) \(x) \(y2)"
    return "<path class=\"\(value: kind)\" d=\"M\(x1) \(y1)C\(bend) \(x2) \(y2)\"></path>"
  }

  /// The marks of blocks and revisions. Each mark has its own shape, so no meaning depends on a colour.
  enum Mark {
    case disc, ring, square, diamond, cross, dashed, target
  }

  static func mark(_ mark: Mark, _ kind: String, _ x: Int, _ y: Int, _ size: Int) -> HTML {
    func circle(_ look: String, _ radius: Int) -> HTML {
      "<circle class=\"\(value: look) \(value: kind)\" cx=\(x) cy=\(y) r=\(radius)></circle>"
    }
    func square(_ look: String) -> HTML {
      """
      <rect class="\(value: look) \(value: kind)" x=\(x - size) y=\(y - size) width=\(2 * size) height=\(2 * size) rx=1></rect>
      """
    }
    switch mark {
    case .disc: return circle("full", size)
    case .ring: return circle("open", size)
    case .dashed: return circle("open dashed", size)
    case .target: return circle("open", size) + circle("full", max(2, size - 4))
    case .square: return square("full")
    case .diamond:
      let end = size + 1
      return """
        <path class="full \(value: kind)" d="M\(x) \(y - end)L\(x + end) \(y)L\(x) \(y + end)L\(x - end) \(y)Z"></path>
        """
    case .cross:
      let (left, right, top, end) = (x - size, x + size, y - size, y + size)
      return square("open")
        + """
        <path class="open \(value: kind)" d="M\(left) \(top)L\(right) \(end)M\(right) \(top)L\(left) \(end)"></path>
        """
    }
  }

  /// The key to a drawing: marks and their meanings.
  static func legend(_ all: [(mark: Mark, kind: String, text: String)], more: HTML? = nil) -> HTML {
    let items: [HTML] = all.map {
      "<li><svg width=18 height=18 aria-hidden=true>\(mark($0.mark, $0.kind, 9, 9, 5))</svg> \($0.text)</li>"
    }
    return "<ul class=legend aria-label=\"Legend\">\(items)\(more)</ul>"
  }
}
