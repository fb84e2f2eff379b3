/// A line of unbroken parts, printed as they arrive. Where a terminal is too narrow, it continues on the next line.
struct Flow {
  static let gap = "  "
  private static let margin = "    "

  private let output: Output
  private let width: Int
  private var used = 0

  init(_ terminal: Terminal) { (output, width) = (terminal.output, terminal.width ?? .max) }

  /// - Parameters:
  ///   - part: text that is safe to show.
  ///   - gap: the separator before the part; at the end of a line, its spaces are left out.
  mutating func add(_ part: String, after gap: String = Flow.gap) throws {
    let size = width == .max ? 0 : TextWidth.of(part)
    if used > 0 {
      // Leave a cell for a comma.
      let breaks = size > 0 && used + gap.utf8.count + size + 1 > width
      try output.write(breaks ? gap.prefix { $0 != " " } + "\n" + Flow.margin : gap)
      used = breaks ? Flow.margin.utf8.count : used + gap.utf8.count
    }
    try output.write(part)
    used += max(size, 1)
  }

  func end() throws { try output.byte(0x0A) }
}
