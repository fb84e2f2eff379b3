import SeaCore
import SeaEngine
import SeaSystem

/// The connection to the caller, a person or a program: streams, progress and prompts; see also `Renderer.swift`.
package final class Terminal {
  /// Standard output, only for results.
  package let output: Output
  /// Standard error, for notices, hints and errors.
  package let talk: Output
  package let input: Input
  let host: Surroundings
  var options = GlobalOptions()
  var command: (any CommandSyntax.Type)?
  /// The name by which the command was called, which may be an alias.
  var calledAs: String?
  /// Returns the setting `abbrev`.
  var wantedDigits: () -> Int? = { nil }
  /// Returns a setting of the display; nil if it is missing or invalid.
  var setting: (String) -> String? = { _ in nil }
  /// The pager, while it runs.
  var outlet: Outlet?
  /// The colors; nil if the output is not colored.
  private(set) lazy var palette = Palette.of(self)
  /// The number of digits of an id shown to people.
  private(set) lazy var abbrev = min(max(wantedDigits() ?? 8, 4), 64)

  /// The progress output, once there is some.
  private var progress: Progress?
  /// Receives progress from the library; nil if no one would see it.
  package private(set) lazy var workReport: WorkReport? = {
    progress = makeProgress()
    return progress.map { progress in
      { [unowned self] work in
        // The pager occupies the terminal.
        if outlet != nil { return }
        var work = work
        if let whole = wholeWork { (work.done, work.total) = (work.done + whole.done, whole.total) }
        progress.show(work)
      }
    }
  }()
  /// The part that is already done, and the total, if the current work is part of larger work.
  var wholeWork: (done: Int64, total: Int64)?

  // The state of the renderer.

  /// Whether nothing should be written.
  package var isDryRun = false
  /// The last event of a command.
  var summary: Item?
  /// Whether an action was reported.
  var hasReported = false
  /// Whether standard output carries a file, so that reports go to standard error.
  var outputIsTaken = false

  init(output: Output, talk: Output, input: Input, host: Surroundings) {
    self.output = output
    self.talk = talk
    self.input = input
    self.host = host
    if host.isTerminal(1) { output.guardsTerminal = TerminalGuard() }
    if host.isTerminal(2) { talk.guardsTerminal = TerminalGuard() }
    output.willHand = { [unowned self] in
      if let progress, host.isTerminal(1) { progress.wipe() }
    }
  }

  /// The width for results; nil if standard output is not a terminal.
  package var width: Int? { host.isTerminal(1) ? host.columns(1) ?? 80 : nil }

  /// Whether written revisions are shortened for people. It is cached, because it is needed for each record.
  private(set) lazy var shortensWritten = !options.porcelain && !options.zero && host.isTerminal(1)

  /// The width for messages; nil if standard error is not a terminal.
  var talkWidth: Int? { host.isTerminal(2) ? host.columns(2) ?? 80 : nil }

  /// Whether hints are enabled.
  var givesHints: Bool { host.variable("SEA_ADVICE") != "0" }

  // MARK: Progress

  private func makeProgress() -> Progress? {
    let delay = host.variable("SEA_PROGRESS_DELAY").flatMap(Quantity.duration) ?? 1
    guard let style = progressStyle() else { return nil }
    return Progress(
      style, delay: min(delay, 1 << 30) * 1_000_000_000, clock: host.elapsed, guards: host.guardLine
    ) { [unowned self] bytes in
      try? bytes.withUnsafeBytes { try talk.writeUnguarded($0) }
      try? talk.flush()
    }
  }

  /// Returns nil if no one would see the progress, or it is disabled.
  private func progressStyle() -> Progress.Style? {
    let isTerminal = host.isTerminal(2) && host.variable("TERM") != "dumb"
    let changing = Progress.Style.changing(cells: { [host] in host.ownsTerminal() ? host.columns(2) ?? 80 : nil })
    switch options.progress {
    case false?: return nil
    case true?: return options.json ? .events : isTerminal ? changing : .lines
    case nil: return isTerminal && !options.quiet && !options.json ? changing : nil
    }
  }

  func endProgress() { progress?.end() }

  /// Erases the progress line and writes out all output.
  func clear() throws {
    progress?.wipe()
    try output.flush()
  }

  // MARK: Prompts

  /// Prompts for a line with echo; returns nil if input is disabled or there is no terminal.
  func ask(_ question: String) throws -> [UInt8]? {
    try clear()
    return options.noInput ? nil : try host.askOpenly(question)
  }

  // MARK: Texts for people

  /// Returns a revision, shortened for people.
  package func short(_ revision: RevisionID) -> String { revision.short(abbrev) }

  /// Returns the id of an instance or database, shortened for people.
  package func short(_ id: UUID) -> String {
    let start = id.description.prefix(abbrev)
    return String(start.last == "-" ? start.dropLast() : start)
  }

  /// The last formatted time, because many items have the same one.
  private var lastTime: (time: Milliseconds, text: String)?

  /// The style of `--date`, if given.
  package var dateStyle: DateStyle? { options.date.flatMap(DateStyle.init) }

  /// At fewer columns, tables fold and times are short, because a whole time would fill half of a line.
  static let narrow = 60
  var isNarrow: Bool { width ?? .max < Terminal.narrow }

  package func text(_ time: Milliseconds, _ style: DateStyle) -> String {
    style.text(time, now: host.now(), offset: host.offset)
  }

  /// Returns a time as `--date` says, otherwise in local time; at a narrow terminal it is short.
  package func text(_ time: Milliseconds) -> String {
    if let lastTime, lastTime.time == time { return lastTime.text }
    let text = text(time, dateStyle ?? (isNarrow ? .brief : .isoLocal))
    lastTime = (time, text)
    return text
  }
}
