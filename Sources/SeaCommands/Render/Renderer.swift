import SeaEngine
import SeaCore

// The one place that knows in which form a command speaks. A command hands over what it says as one value, an item with
// the words for people; whether that becomes JSON, a line of a frozen form or text is decided here.

extension Terminal {
  // MARK: The result

  /// A line of the result.
  package func line(_ text: String) throws {
    try output.write(text)
    try output.byte(0x0A)
  }

  /// An item of a list that other programs read: ends with LF, or NUL under `-z`.
  package func item(_ text: String) throws {
    try output.write(text)
    try output.byte(options.zero ? 0 : 0x0A)
  }

  /// A line of TAB-separated fields, quoted where needed.
  package func fields(_ fields: [String]) throws {
    try item(fields.map(Escape.quoted).joined(separator: "\t"))
  }

  /// A JSON object on a line of its own.
  package func object(_ item: Item) throws { try painter.json(.object(item)) }

  /// What was asked for: an object, a line of the frozen form, or lines of text.
  ///
  /// - Parameters:
  ///   - frozen: the names of the fields in that line. What has none is not told of there.
  ///   - wraps: whether a line is broken between words where a terminal has too little room for it.
  ///   - lines: for people; made safe here.
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
    // No field is empty: a shell takes several TABs for one.
    try fields(frozen.map { item[$0].plain }.map { $0.isEmpty ? "-" : $0 })
  }

  /// What a command has done, or with `--dry-run` would do. `--quiet` drops it, and a summary will follow.
  package func report(
    _ event: String, _ item: @autoclosure () throws -> Item, frozen: [String] = [], lines: () throws -> [String]
  ) throws {
    hasReported = true
    summarise([:])
    if options.quiet { return }
    try show(done(event, item()), frozen: frozen, wraps: true, lines: lines)
  }

  /// The same in a single line.
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

  /// A line of what a command has done that programs know from its events.
  package func remark(_ text: @autoclosure () throws -> String) throws {
    if options.quiet || options.isForPrograms { return }
    try prose.line(text())
  }

  /// Says what the summary is to hold, the last event of a command that does something.
  package func summarise(_ item: Item) {
    var all = summary ?? [:]
    for (name, value) in item.fields { all[name] = value }
    summary = all
  }

  /// Ends the result of a command. `--quiet` drops the summary with what it sums up.
  package func conclude(_ status: ExitStatus) throws {
    guard let summary, options.json, !options.quiet else { return }
    self.summary = nil
    var last: Item = ["ok": .flag(status == .success)]
    last.add(summary)
    last = done("summary", last)
    last["exit"] = .integer(status.rawValue)
    if outputIsTaken { say(last) } else { try object(last) }
  }

  /// A line for people: no name in it steers a terminal or makes a second line, wherever it goes.
  package func shown(_ text: String) -> String { Escape.shown(text) }

  /// A value for programs, made safe if it goes to a terminal.
  package func value(_ text: String) -> String { host.isTerminal(1) ? Escape.shown(text) : text }

  // MARK: The talk

  /// A remark on standard error that `--quiet` drops.
  ///
  /// - Parameters:
  ///   - below: what people find on a line of its own, as they read it aloud or copy it.
  ///   - hint: what to do.
  package func notice(_ text: String, below: String? = nil, hint: String? = nil) {
    if !options.quiet { speak("notice", code: nil, text, below: below, hint: hint) }
  }

  /// Something that is wrong and does not stop the command.
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

  /// An object on standard error.
  func say(_ item: Item) { say(bytes: item.line) }

  /// A line on standard error.
  func say(_ text: String) { say(bytes: Array("\(text)\n".utf8)) }

  /// At once. That it cannot be written changes nothing.
  private func say(bytes: [UInt8]) {
    try? clear()
    try? talk.write(bytes)
    try? talk.flush()
  }
}
