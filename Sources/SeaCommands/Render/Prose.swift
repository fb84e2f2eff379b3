import SeaCore

struct Prose {
  fileprivate let terminal: Terminal

  func line(_ text: String) throws {
    for line in lines(terminal.shown(text), to: terminal.width) { try terminal.line(line) }
  }

  func say(_ text: String) {
    for line in lines(terminal.shown(text), to: terminal.talkWidth) { terminal.say(line) }
  }

  func broken(_ question: [String]) -> String {
    question.flatMap { lines(terminal.shown($0), to: terminal.talkWidth) }.joined(separator: "\n")
  }

  func say(below text: String) {
    let whole = "  \(terminal.shown(text))"
    guard let width = terminal.talkWidth, TextWidth.of(whole) > width else { return terminal.say(whole) }
    let parts = whole.parts(between: "   ")
    for (k, part) in parts.enumerated() {
      let part = Painted((k == 0 ? "" : "    ") + part)
      for line in part.wrapped(to: width, indent: parts.count > 1 ? 4 : 2) { terminal.say(line.text) }
    }
  }

  func say(hint: String) {
    let whole = "hint: \(terminal.shown(hint))"
    guard let width = terminal.talkWidth, TextWidth.of(whole) > width else { return terminal.say(whole) }
    let parts = whole.parts(between: "; ").map(String.init)
    for (k, part) in parts.enumerated() {
      let text = (k == 0 ? "" : Prose.margin) + part + (k == parts.count - 1 ? "" : ";")
      for line in lines(text, to: width, margin: Prose.margin) { terminal.say(line) }
    }
  }

  private static let margin = "      "

  /// Wraps text but never breaks a command, because people copy commands. A command that does not fit gets a line to
  /// itself.
  private func lines(_ text: String, to width: Int?, margin: String = "  ") -> [String] {
    guard let width, TextWidth.of(text) > width else { return [text] }
    func wrapped(_ text: String) -> [String] { Painted(text).wrapped(to: width, indent: margin.utf8.count).map(\.text) }
    guard let place = Prose.command(in: text) else { return wrapped(text) }
    var lines = wrapped(String(text[..<place.lowerBound].dropLast()))
    // Keep the command on the line of its sentence if there is room.
    if let last = lines.last, TextWidth.of(last) + 1 + TextWidth.of(String(text[place])) <= width {
      lines[lines.count - 1] += " " + text[place]
    } else {
      lines.append(margin + text[place])
    }
    let rest = text[place.upperBound...].drop { $0 == " " }
    return lines + (rest.isEmpty ? [] : self.lines(margin + rest, to: width, margin: margin))
  }

  /// The programs whose commands messages suggest, after a colon.
  private static let programs = ["sea", "echo", "mkdir", "sqlite3", "chmod"]

  private static func command(in text: String) -> Range<String.Index>? {
    let starts = programs.compactMap { text.firstPlace(of: ": \($0) ") }
    guard let start = starts.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
    let begin = text.index(start.lowerBound, offsetBy: 2)
    return begin..<(end(ofCommandIn: text[begin...]) ?? text.endIndex)
  }

  /// Returns the index after the comma or semicolon that ends the command. Commas and semicolons within quotes are
  /// ignored.
  private static func end(ofCommandIn text: Substring) -> String.Index? {
    var isQuoted = false
    for place in text.indices {
      if text[place] == "'" { isQuoted.toggle() }
      let rest = text[place...]
      if !isQuoted, [", or ", ", and ", "; "].contains(where: rest.hasPrefix) { return text.index(after: place) }
    }
    return nil
  }
}

extension Terminal {
  var prose: Prose { Prose(terminal: self) }
}
