/// Prints the parts of a line as they arrive. On a narrow terminal, the line is broken between two parts.
struct Flow {
  static let gap = "  "
  private static let margin = "    "

  private let output: Output
  private let width: Int
  private var used = 0

  init(_ terminal: Terminal) { (output, width) = (terminal.output, terminal.width ?? .max) }

  /// - Parameters:
  ///   - part: text that is safe to print on a terminal.
  ///   - gap: the separator before the part. At a line break, its spaces are omitted.
  mutating func add(_ part: String, after gap: String = Flow.gap) throws {
    let size = width == .max ? 0 : TextWidth.of(part)
    if used > 0 {
      // Leave room for a comma.
      let breaks = size > 0 && used + gap.utf8.count + size + 1 > width
      try output.write(breaks ? gap.prefix { $0 != " " } + "\n" + Flow.margin : gap)
      used = breaks ? Flow.margin.utf8.count : used + gap.utf8.count
    }
    try output.write(part)
    used += max(size, 1)
  }

  func end() throws { try output.byte(0x0A) }
}
