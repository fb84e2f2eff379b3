import SeaKit

extension Context {
  /// Shows how far work has come; nil where nobody looks, or nobody wants to know.
  func makeProgress() -> Progress? {
    let delay = host.variable("SEA_PROGRESS_DELAY").flatMap(Quantity.duration) ?? 1
    guard let style = progressStyle() else { return nil }
    return Progress(
      style, delay: min(delay, 1 << 30) * 1_000_000_000, clock: host.elapsed, guards: host.guardLine
    ) { [unowned self] bytes in
      try? talk.write(bytes)
      try? talk.flush()
    }
  }

  private func progressStyle() -> Progress.Style? {
    let isTerminal = host.isTerminal(2) && host.variable("TERM") != "dumb"
    let changing = Progress.Style.changing(cells: { [host] in host.ownsTerminal() ? host.columns(2) ?? 80 : nil })
    switch options.progress {
    case false?: return nil
    case true?: return options.json ? .events : isTerminal ? changing : .lines
    case nil: return isTerminal && !options.quiet && !options.json ? changing : nil
    }
  }

  /// Nothing that is not to stay is on the terminal when this returns, and what was printed is out.
  func settle() throws {
    progress?.wipe()
    try output.flush()
  }
}
