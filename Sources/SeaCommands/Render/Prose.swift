import SeaCore

/// Sentences for people: made safe here, and broken between words where a terminal has too little room for them.
struct Prose {
  fileprivate let terminal: Terminal

  /// A line of the result.
  func line(_ text: String) throws {
    for line in lines(terminal.shown(text), to: terminal.width) { try terminal.line(line) }
  }

  /// A line on standard error.
  func say(_ text: String) {
    for line in lines(terminal.shown(text), to: terminal.talkWidth) { terminal.say(line) }
  }

  /// The lines of a question, each with no word of it broken.
  func broken(_ question: [String]) -> String {
    question.flatMap { lines(terminal.shown($0), to: terminal.talkWidth) }.joined(separator: "\n")
  }

  /// A further line of what is wrong, which stands below that. The parts of a row, with three spaces between, come each on a line
  /// where one has no room for all.
  func say(below text: String) {
    let whole = "  \(terminal.shown(text))"
    guard let width = terminal.talkWidth, TextWidth.of(whole) > width else { return terminal.say(whole) }
    let parts = whole.parts(between: "   ")
    for (k, part) in parts.enumerated() {
      let part = Painted((k == 0 ? "" : "    ") + part)
      for line in part.wrapped(to: width, indent: parts.count > 1 ? 4 : 2) { terminal.say(line.text) }
    }
  }

  /// What to do. Its parts come each on a line where one has no room for all.
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

  /// A command is never broken, as it may be copied from there: what does not fit beside its words stands below them.
  private func lines(_ text: String, to width: Int?, margin: String = "  ") -> [String] {
    guard let width, TextWidth.of(text) > width else { return [text] }
    func wrapped(_ text: String) -> [String] { Painted(text).wrapped(to: width, indent: margin.utf8.count).map(\.text) }
    guard let place = Prose.command(in: text) else { return wrapped(text) }
    var lines = wrapped(String(text[..<place.lowerBound].dropLast()))
    // Beside its words if there is room.
    if let last = lines.last, TextWidth.of(last) + 1 + TextWidth.of(String(text[place])) <= width {
      lines[lines.count - 1] += " " + text[place]
    } else {
      lines.append(margin + text[place])
    }
    let rest = text[place.upperBound...].drop { $0 == " " }
    return lines + (rest.isEmpty ? [] : self.lines(margin + rest, to: width, margin: margin))
  }

  /// What texts name to be typed, behind a colon; up to the end, or to where the sentence goes on.
  private static let programs = ["sea", "echo", "iconv", "mkdir", "sqlite3", "chmod"]

  private static func command(in text: String) -> Range<String.Index>? {
    let starts = programs.compactMap { text.firstPlace(of: ": \($0) ") }
    guard let start = starts.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
    let begin = text.index(start.lowerBound, offsetBy: 2)
    return begin..<(end(ofCommandIn: text[begin...]) ?? text.endIndex)
  }

  /// Behind the comma or the semicolon with which the sentence goes on; what stands in quotes is the command's.
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
