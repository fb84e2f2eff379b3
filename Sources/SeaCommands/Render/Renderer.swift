import SeaEngine
import SeaCore

// Commands provide both an item for programs and text for people. Only this file chooses between JSON, a porcelain line
// and text.

extension Terminal {
  // MARK: The result

  package func line(_ text: String) throws {
    try output.write(text)
    try output.byte(0x0A)
  }

  package func item(_ text: String) throws {
    try output.write(text)
    try output.byte(options.zero ? 0 : 0x0A)
  }

  package func fields(_ fields: [String]) throws {
    try item(fields.map(Escape.quoted).joined(separator: "\t"))
  }

  package func object(_ item: Item) throws { try painter.json(.object(item)) }

  /// Prints a result as a JSON object, a porcelain line, or lines of text.
  /// - Parameters:
  ///   - frozen: the fields of the porcelain line; if empty, no porcelain line is printed.
  ///   - wraps: whether to wrap long lines on a terminal.
  ///   - lines: returns the text for people, unescaped.
  package func show(
    _ item: @autoclosure () throws -> Item, frozen: [String] = [], wraps: Bool = false, lines: () throws -> [String]
  ) throws {
    if options.json { return outputIsTaken ? say(try item()) : try object(item()) }
    guard options.porcelain else {
      for text in try lines() { if wraps { try prose.line(text) } else { try line(shown(text)) } }
      return
    }
    if frozen.isEmpty { return }
    let item = try item()
    // An empty field would be lost, because shells treat several tabs as one separator.
    try fields(frozen.map { item[$0].plain }.map { $0.isEmpty ? "-" : $0 })
  }

  package func report(
    _ event: String, _ item: @autoclosure () throws -> Item, frozen: [String] = [], lines: () throws -> [String]
  ) throws {
    hasReported = true
    summarize([:])
    if options.quiet { return }
    try show(done(event, item()), frozen: frozen, wraps: true, lines: lines)
  }

  package func report(
    _ event: String, _ item: @autoclosure () throws -> Item, frozen: [String] = [], text: () throws -> String
  ) throws {
    try report(event, item(), frozen: frozen, lines: { [try text()] })
  }

  private func done(_ event: String, _ item: Item) -> Item {
    var event = Item(event: event, item)
    if isDryRun { event["dry_run"] = .flag(true) }
    return event
  }

  /// Prints a line about an action for people only. Programs read the events instead.
  package func remark(_ text: @autoclosure () throws -> String) throws {
    if options.quiet || options.isForPrograms { return }
    try prose.line(text())
  }

  /// Adds fields to the summary, which is the last event of a command.
  package func summarize(_ item: Item) {
    var all = summary ?? [:]
    for (name, value) in item.fields { all[name] = value }
    summary = all
  }

  package func conclude(_ status: ExitStatus) throws {
    guard let summary, options.json, !options.quiet else { return }
    self.summary = nil
    var last: Item = ["ok": .flag(status == .success)]
    last.add(summary)
    last = done("summary", last)
    last["exit"] = .integer(status.rawValue)
    if outputIsTaken { say(last) } else { try object(last) }
  }

  /// Escapes text for people, so that it cannot control the terminal or add lines.
  package func shown(_ text: String) -> String { Escape.shown(text) }

  /// Returns a value for programs. On a terminal, the value is escaped.
  package func value(_ text: String) -> String { host.isTerminal(1) ? Escape.shown(text) : text }

  // MARK: Messages

  /// Prints a notice on standard error, unless `--quiet` is set.
  /// - Parameters:
  ///   - below: text to read aloud or copy, printed on a separate line.
  ///   - hint: a suggestion for the user's next step.
  package func notice(_ text: String, below: String? = nil, hint: String? = nil) {
    if !options.quiet { speak("notice", code: nil, text, below: below, hint: hint) }
  }

  package func warning(_ code: String, _ text: String, hint: String? = nil) {
    speak("warning", code: code, text, hint: hint)
  }

  private func speak(_ event: String, code: String?, _ text: String, below: String? = nil, hint: String?) {
    let hint = givesHints ? Hint.fitting(hint, command) : nil
    if options.json {
      let message = below.map { "\(text): \($0)" } ?? text
      return say(Item(event: event, ["code": .text(code), "message": .text(message), "hint": .text(hint)]))
    }
    prose.say((code.map { "sea: \(event)[\($0)]: " } ?? "\(event): ") + text + (below == nil ? "" : ":"))
    if let below { prose.say(below: below) }
    if let hint { prose.say(hint: hint) }
  }

  func say(_ item: Item) { say(bytes: item.line) }

  func say(_ text: String) { say(bytes: Array("\(text)\n".utf8)) }

  private func say(bytes: [UInt8]) {
    try? clear()
    try? standardError.write(bytes)
    try? standardError.flush()
  }
}
