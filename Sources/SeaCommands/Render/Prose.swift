import SeaCore

/// Sentences for people: made safe here, and broken between words where a terminal has too little room for them.
struct Prose {
  fileprivate let terminal: Terminal

  /// A line of the result.
  func line(_ text: String) throws {
    for line in lines(text, to: terminal.width) { try terminal.line(line) }
  }

  /// A line on standard error.
  func say(_ text: String) {
    for line in lines(text, to: terminal.talkWidth) { terminal.say(line) }
  }

  /// What to do. Its parts come each on a line where one has no room for all. A command is never broken, as it may be copied
  /// from there: what does not fit beside its words stands below them.
  func say(hint: String) {
    let whole = "hint: \(terminal.shown(hint))"
    guard let width = terminal.talkWidth, TextWidth.of(whole) > width else { return terminal.say(whole) }
    let parts = whole.parts(between: "; ").map(String.init)
    for (k, part) in parts.enumerated() {
      let text = (k == 0 ? "" : Prose.margin) + part + (k == parts.count - 1 ? "" : ";")
      if TextWidth.of(text) <= width {
        terminal.say(text)
      } else if Hint.commands(in: part[...]).isEmpty {
        wrap(text, width)
      } else if let colon = text.firstPlace(of: ": sea ") {
        wrap(String(text[...colon.lowerBound]), width)
        terminal.say(Prose.margin + text[colon.lowerBound...].dropFirst(2))
      } else {
        terminal.say(text)
      }
    }
  }

  private func wrap(_ text: String, _ width: Int) {
    for line in Painted(text).wrapped(to: width, indent: Prose.margin.utf8.count) { terminal.say(line.text) }
  }

  private static let margin = "      "

  private func lines(_ text: String, to width: Int?) -> [String] {
    let text = terminal.shown(text)
    return width.map { Painted(text).wrapped(to: $0, indent: 2).map(\.text) } ?? [text]
  }
}

extension Terminal {
  var prose: Prose { Prose(terminal: self) }
}
