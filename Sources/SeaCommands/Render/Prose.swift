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

  /// What to do. Its parts come each on a line where one has no room for all; a part stays whole, as it may be a command that
  /// is copied from there.
  func say(hint: String) {
    let whole = "hint: \(terminal.shown(hint))"
    guard let width = terminal.talkWidth, TextWidth.of(whole) > width else { return terminal.say(whole) }
    terminal.say(whole.split(separator: "; ").joined(separator: ";\n      "))
  }

  private func lines(_ text: String, to width: Int?) -> [String] {
    let text = terminal.shown(text)
    return width.map { Painted(text).wrapped(to: $0, indent: 2).map(\.text) } ?? [text]
  }
}

extension Terminal {
  var prose: Prose { Prose(terminal: self) }
}
