import SeaCore
import SeaEngine
import SeaSystem

/// The connection to the user or the calling program: streams, progress and prompts. `Renderer.swift` formats the
/// output.
package final class Terminal {
  /// Standard output, which is used only for results.
  package let output: Output
  /// Standard error, which is used for notices, hints and errors.
  package let standardError: Output
  package let input: Input
  let host: Environment
  var options = GlobalOptions()
  var command: (any CommandSyntax.Type)?
  var calledAs: String?
  var wantedDigits: () -> Int? = { nil }
  var setting: (String) -> String? = { _ in nil }
  var outlet: Outlet?
  /// Returns the path of the file with the content of an asset; nil if there is no such file on this device.
  var assetPath: (AssetReference) -> String? = { _ in nil }
  /// The form of values in the JSON that is printed.
  package var jsonStyle: JSONStyle { options.plain ? JSONStyle(plain: assetPath) : .compact }
  private(set) lazy var palette = Palette.of(self)
  /// How many digits of an id people see.
  private(set) lazy var abbrev = min(max(wantedDigits() ?? 8, 4), 64)

  private var progress: Progress?
  /// Receives progress reports from the library; nil if no progress would be shown.
  package private(set) lazy var workReport: WorkReport? = {
    progress = makeProgress()
    return progress.map { progress in
      { [unowned self] work in
        // The pager is using the terminal.
        if outlet != nil { return }
        var work = work
        if let whole = wholeWork { (work.done, work.total) = (work.done + whole.done, whole.total) }
        progress.show(work)
      }
    }
  }()
  var wholeWork: (done: Int64, total: Int64)?

  package var isDryRun = false
  var summary: Item?
  var hasReported = false
  /// Whether standard output receives a file, so that reports must go to standard error.
  var outputIsTaken = false

  init(output: Output, standardError: Output, input: Input, host: Environment) {
    self.output = output
    self.standardError = standardError
    self.input = input
    self.host = host
    if host.isTerminal(1) { output.guardsTerminal = TerminalGuard() }
    if host.isTerminal(2) { standardError.guardsTerminal = TerminalGuard() }
    output.willHand = { [unowned self] in
      if let progress, host.isTerminal(1) { progress.wipe() }
    }
  }

  /// The terminal width for results; nil if standard output is not a terminal.
  package var width: Int? { host.isTerminal(1) ? host.columns(1) ?? 80 : nil }

  private(set) lazy var shortensWritten = !options.porcelain && !options.zero && host.isTerminal(1)

  /// The terminal width for messages; nil if standard error is not a terminal.
  var talkWidth: Int? { host.isTerminal(2) ? host.columns(2) ?? 80 : nil }

  var givesHints: Bool { host.variable("SEA_ADVICE") != "0" }

  // MARK: Progress

  private func makeProgress() -> Progress? {
    let delay = host.variable("SEA_PROGRESS_DELAY").flatMap(Quantity.duration) ?? 1
    guard let style = progressStyle() else { return nil }
    return Progress(
      style, delay: min(delay, 1 << 30) * 1_000_000_000, clock: host.elapsed, guards: host.guardLine
    ) { [unowned self] bytes in
      try? bytes.withUnsafeBytes { try standardError.writeUnguarded($0) }
      try? standardError.flush()
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

  func endProgress() { progress?.end() }

  func clear() throws {
    progress?.wipe()
    try output.flush()
  }

  // MARK: Prompts

  func ask(_ question: String) throws -> [UInt8]? {
    try clear()
    return options.noInput ? nil : try host.askOpenly(question)
  }

  // MARK: Text for people

  package func short(_ revision: RevisionID) -> String { revision.short(abbrev) }

  package func short(_ id: UUID) -> String {
    let start = id.description.prefix(abbrev)
    return String(start.last == "-" ? start.dropLast() : start)
  }

  private var lastTime: (time: Milliseconds, text: String)?

  package var dateStyle: DateStyle? { options.date.flatMap(DateStyle.init) }

  /// On terminals with fewer columns, tables fold and times are short, because a full time would take up half of a
  /// line.
  static let narrow = 60
  var isNarrow: Bool { width ?? .max < Terminal.narrow }

  package func text(_ time: Milliseconds, _ style: DateStyle) -> String {
    style.text(time, now: host.now(), offset: host.offset)
  }

  /// Formats a time as requested by `--date`, or in local time by default. On a narrow terminal, local time is
  /// shortened.
  package func text(_ time: Milliseconds) -> String {
    if let lastTime, lastTime.time == time { return lastTime.text }
    let text = text(time, dateStyle ?? (isNarrow ? .brief : .isoLocal))
    lastTime = (time, text)
    return text
  }
}
