/// A line of the result whose parts are printed as they come: where a terminal has no room for the next one it goes on in another line,
/// a little further in. A part stays whole.
struct Flow {
  static let gap = "  "
  private static let margin = "    "

  private let output: Output
  private let width: Int
  private var used = 0

  init(_ terminal: Terminal) { (output, width) = (terminal.output, terminal.width ?? .max) }

  /// - Parameters:
  ///   - part: safe to show.
  ///   - gap: what stands between it and the one before; its spaces are left out where a line ends.
  mutating func add(_ part: String, after gap: String = Flow.gap) throws {
    let size = width == .max ? 0 : TextWidth.of(part)
    if used > 0 {
      // A comma may follow.
      let breaks = size > 0 && used + gap.utf8.count + size + 1 > width
      try output.write(breaks ? gap.prefix { $0 != " " } + "\n" + Flow.margin : gap)
      used = breaks ? Flow.margin.utf8.count : used + gap.utf8.count
    }
    try output.write(part)
    used += max(size, 1)
  }

  func end() throws { try output.byte(0x0A) }
}
