import SeaKit
import SeaSystem

/// All that a command may touch: its streams, the options of `sea` itself, and the host.
package final class Context {
  /// Standard output: the result and nothing else.
  package let output: Output
  /// Standard error: notices, hints, errors.
  package let talk: Output
  package let input: Input
  package let host: Surroundings
  package var options = GlobalOptions()
  /// What completion offers for a record, a type, a container and so on that begins with the given text. It may read
  /// the database, and neither locks nor visits containers.
  package var candidates: (ValueKind, String) throws -> [(word: String, meaning: String)] = { _, _ in [] }
  package var loadedConfig: Config?
  /// The database of this run, while a command uses it.
  weak var database: Database?
  var passwords = PasswordMemory()
  /// Shows how far long work has come, once there was some.
  private(set) var progress: Progress?
  /// Whom the library tells of long work; nil if nobody looks.
  package private(set) lazy var workReport: WorkReport? = {
    progress = makeProgress()
    return progress.map { progress in
      { [unowned self] work in
        var work = work
        if let whole = wholeWork { (work.done, work.total) = (work.done + whole.done, whole.total) }
        progress.show(work)
      }
    }
  }()
  /// While work is part of a larger one: what was done of that before, and all of it.
  var wholeWork: (done: Int64, total: Int64)?
  /// How often a merge program that nobody asked for in person has failed.
  var programFailures = 0
  /// Whether nothing is to be written.
  package var isDryRun = false
  /// What the last event will say, of a command that does something.
  var summary: Item?
  /// Whether it was told of something that was done.
  var hasReported = false
  /// Whether standard output carries a file: what there is to tell goes to standard error then.
  var outputIsTaken = false

  package init(output: Output, talk: Output, input: Input, host: Surroundings) {
    self.output = output
    self.talk = talk
    self.input = input
    self.host = host
    input.first = { [unowned self] in try readFirstLine() }
    output.willHand = { [unowned self] in
      if let progress, host.isTerminal(1) { progress.wipe() }
    }
  }

  // MARK: Facts

  /// The result's width, if it goes to a terminal.
  package var width: Int? { host.isTerminal(1) ? host.columns(1) ?? 80 : nil }

  /// Whether to colour the result.
  package var colors: Bool {
    switch options.color {
    case .always: return true
    case .never: return false
    case .auto:
      if host.variable("NO_COLOR").map({ !$0.isEmpty }) ?? false { return false }
      if host.variable("FORCE_COLOR").map({ !$0.isEmpty }) ?? false { return true }
      return host.isTerminal(1) && host.variable("TERM") != "dumb"
    }
  }

  /// How many digits of an id people see.
  package private(set) lazy var abbrev = configuredAbbrev()

  /// The style of `--date`, if given.
  package var dateStyle: DateStyle? { options.date.flatMap(DateStyle.init) }

  package func text(_ time: Milliseconds, _ style: DateStyle) -> String {
    style.text(time, now: host.now(), offset: host.offset)
  }

  /// A moment for people: as `--date` says, else local time.
  package func text(_ time: Milliseconds) -> String { text(time, dateStyle ?? .isoLocal) }

  /// A moment from the command line.
  package func time(_ text: String) throws(UsageFault) -> Milliseconds {
    guard let time = TimeText.parse(text, now: host.now()) else { throw .badTime(text) }
    return time
  }

  /// A path from the command line, `-C` taken into account. Every path a user names goes through here.
  package func path(_ text: String) -> String {
    var result = text
    for directory in options.directories.reversed() { result = Path.join(directory, result) }
    return result
  }

  /// The bytes behind a FILE operand; `-` is standard input.
  package func reader(_ name: String) throws -> Input {
    if name == "-" { return input }
    let file = try File(path(name))
    guard let report = workReport, let status = try? file.status(), status.kind == .file else {
      return Input { buffer throws(SystemError) in try file.readSome(into: buffer) }
    }
    var work = Work(.reading, name, done: 0, of: status.size)
    return Input { buffer throws(SystemError) in
      let count = try file.readSome(into: buffer)
      work.done += Int64(count)
      report(work)
      return count
    }
  }
}
