import SeaCore
import SeaEngine
import SeaSystem

/// Where a run meets who called it, a person or a program: its streams, how far long work has come, and what is asked.
///
/// In which form something is said is in Render/Renderer.swift.
package final class Terminal {
  /// Standard output: the result and nothing else.
  package let output: Output
  /// Standard error: notices, hints, errors.
  package let talk: Output
  package let input: Input
  let host: Surroundings
  /// As the command line wants it.
  var options = GlobalOptions()
  /// The command that runs, once it is known.
  var command: (any CommandSyntax.Type)?
  /// The name by which it was called: it may have a second one.
  var calledAs: String?
  /// What the settings say of `abbrev`.
  var wantedDigits: () -> Int? = { nil }
  /// What a setting says of how things look; nil if it says nothing of use.
  var setting: (String) -> String? = { _ in nil }
  /// The pager, while there is one.
  var outlet: Outlet?
  /// The colours; nil where there are none.
  private(set) lazy var palette = Palette.of(self)
  /// How many digits of an id people see.
  private(set) lazy var abbrev = min(max(wantedDigits() ?? 8, 4), 64)

  /// Shows how far long work has come, once there was some.
  private var progress: Progress?
  /// Whom the library tells of long work; nil if nobody looks.
  package private(set) lazy var workReport: WorkReport? = {
    progress = makeProgress()
    return progress.map { progress in
      { [unowned self] work in
        // The pager has the terminal.
        if outlet != nil { return }
        var work = work
        if let whole = wholeWork { (work.done, work.total) = (work.done + whole.done, whole.total) }
        progress.show(work)
      }
    }
  }()
  /// While work is part of a larger one: what was done of that before, and all of it.
  var wholeWork: (done: Int64, total: Int64)?

  // What the renderer keeps.

  /// Whether nothing is to be written.
  package var isDryRun = false
  /// What the last event will say, of a command that does something.
  var summary: Item?
  /// Whether it was told of something that was done.
  var hasReported = false
  /// Whether standard output carries a file: what there is to tell goes to standard error then.
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

  /// The result's width, if it goes to a terminal.
  package var width: Int? { host.isTerminal(1) ? host.columns(1) ?? 80 : nil }

  /// Whether revisions that were written are for people. It is asked for each record.
  private(set) lazy var shortensWritten = !options.porcelain && !options.zero && host.isTerminal(1)

  /// The width of what is said beside the result, if that goes to a terminal.
  var talkWidth: Int? { host.isTerminal(2) ? host.columns(2) ?? 80 : nil }

  /// Whether hints are wanted.
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

  /// Nil where nobody looks, or nobody wants to know.
  private func progressStyle() -> Progress.Style? {
    let isTerminal = host.isTerminal(2) && host.variable("TERM") != "dumb"
    let changing = Progress.Style.changing(cells: { [host] in host.ownsTerminal() ? host.columns(2) ?? 80 : nil })
    switch options.progress {
    case false?: return nil
    case true?: return options.json ? .events : isTerminal ? changing : .lines
    case nil: return isTerminal && !options.quiet && !options.json ? changing : nil
    }
  }

  /// The work is over.
  func endProgress() { progress?.end() }

  /// Nothing that is not to stay is on the terminal when this returns, and what was printed is out.
  func clear() throws {
    progress?.wipe()
    try output.flush()
  }

  // MARK: Asking

  /// Asks for what may be seen as it is typed; nil if there is nobody to ask.
  func ask(_ question: String) throws -> [UInt8]? {
    try clear()
    return options.noInput ? nil : try host.askOpenly(question)
  }

  // MARK: As people see it

  /// A revision for people.
  package func short(_ revision: RevisionID) -> String { revision.short(abbrev) }

  /// An instance or database id for people.
  package func short(_ id: UUID) -> String {
    let start = id.description.prefix(abbrev)
    return String(start.last == "-" ? start.dropLast() : start)
  }

  /// The moment that was shown last: many things come at one.
  private var lastTime: (time: Milliseconds, text: String)?

  /// The style of `--date`, if given.
  package var dateStyle: DateStyle? { options.date.flatMap(DateStyle.init) }

  /// With fewer columns a whole moment would be half of a line, and tables fold.
  static let narrow = 60
  var isNarrow: Bool { width ?? .max < Terminal.narrow }

  package func text(_ time: Milliseconds, _ style: DateStyle) -> String {
    style.text(time, now: host.now(), offset: host.offset)
  }

  /// A moment for people: as `--date` says, else local time; at a narrow terminal only so much of that as tells apart.
  package func text(_ time: Milliseconds) -> String {
    if let lastTime, lastTime.time == time { return lastTime.text }
    let text = text(time, dateStyle ?? (isNarrow ? .brief : .isoLocal))
    lastTime = (time, text)
    return text
  }
}
