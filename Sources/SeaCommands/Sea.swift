import SeaCore
import SeaEngine
import SeaSystem
import enum SeaContainer.ContainerError

package enum Sea {
  /// Runs one command line. Errors are printed on standard error and determine the exit status. `program` is the name
  /// by which the program was called; `sea-put` means `sea put`. `notUTF8` is the index of the first argument that is
  /// not valid UTF-8; the first argument has index 1.
  package static func run(
    program: String, _ arguments: [String], notUTF8: Int? = nil, _ session: Session
  ) -> ExitStatus {
    var words = arguments
    // Ignore any other name. Otherwise, the program would run itself as an external command forever.
    if let name = program.split(separator: "/").last, name.hasPrefix("sea-"),
      Commands.find(String(name.dropFirst(4))) != nil
    {
      words.insert(String(name.dropFirst(4)), at: 0)
    }
    session.options.json = Parser.asksForJSON(words)
    var status = ExitStatus.success
    let start = Trace.start()
    reportTraceFaults(session)
    defer {
      session.terminal.endProgress()
      Pager.end(session.terminal)
      Trace.record("end", since: start, [("status", .number(Int(status.rawValue)))])
      reportTraceFaults(session)
    }
    do {
      if let notUTF8 { throw UsageFault.notUTF8(notUTF8) }
      status = try perform(words, session)
      session.terminal.endProgress()
      try session.terminal.output.flush()
    } catch let failure as OutputFailure where failure.isBrokenPipe {
      // This is not an error if the user has closed the pager.
      status = session.terminal.outlet?.isLeft == true ? .success : .brokenPipe
    } catch {
      status = report(error, session)
      // Summarize the work completed before the error.
      if session.terminal.hasReported {
        try? session.terminal.conclude(status)
        try? session.terminal.output.flush()
      }
    }
    return status
  }

  private static func perform(_ words: [String], _ session: Session) throws -> ExitStatus {
    if words.first == "--complete" { return try Completion.answer(words, session) }
    var parser = Parser(words)
    let name = try parser.commandName()
    session.options = parser.globals
    guard let name else {
      if parser.help == .page { return try Manual.open("sea", session) }
      if parser.help == .usage { return try Usage.overview(session) }
      if parser.globals.version { return try VersionCommand.run(session, Arguments()) }
      if !session.options.json { session.terminal.say(Usage.commandList(session.terminal)) }
      throw UsageFault.noCommand
    }
    Trace.record("command", [("name", .text(name))])
    guard let command = Commands.find(name) else { return try External.run(name, parser, session) }
    (session.terminal.command, session.terminal.calledAs) = (command, name)
    var arguments = try parser.arguments(of: command)
    if let option = Commands.synonyms.first(where: { $0.name == name })?.implies { arguments.add(option) }
    session.options = parser.globals
    switch arguments.help {
    case .usage: return try Usage.page(command, as: name, session)
    case .page: return try Manual.open(name, session)
    case nil: break
    }
    try arguments.checkForm(parser.globals, of: command)
    UnknownSettings.warn(session.terminal)
    session.terminal.isDryRun = arguments.has(.dryRun)
    if command.isPaged(arguments), !arguments.has(.exitCode) {
      Pager.begin(session.terminal) { [unowned session] in (try? session.ownSetting("core.pager")) ?? nil }
    }
    if command.stopsWell { session.host.stopWell(session.options) }
    let status = try run(command, session, arguments)
    try session.terminal.conclude(status)
    return status
  }

  private static func run(_ command: any Command.Type, _ session: Session, _ arguments: Arguments) throws -> ExitStatus
  {
    // Closing the database moves a long write-ahead log into the database file.
    defer {
      if session.endsProcess { session.database?.closeAtExit() } else { session.database = nil }
      Containers.close(session.helpers)
    }
    do {
      let status = try command.run(session, arguments)
      try RecordHooks.run(session, command)
      try explainEmptyResult(command, session, found: status != .no)
      // If an interrupt stopped the work, report the interrupt and not a partial success.
      return status != .success && session.allowance?.reached == .interrupt ? .interrupted : status
    } catch {
      // Run the hooks for changes that were made before the failure.
      try? RecordHooks.run(session, command)
      if Failure.describing(error).status == .notFound { try? explainEmptyResult(command, session, found: false) }
      throw suggesting(error, session)
    }
  }

  private static func suggesting(_ error: any Error, _ session: Session) -> any Error {
    if let hint = folderHint(for: error, session) ?? PlaceHint.of(error, session) {
      return Failure.describing(error).hinting(hint)
    }
    guard let database = session.database, database.isOpen,
      let hint = hint(for: error, database, session.terminal.command)
    else { return error }
    return Failure.describing(error).hinting(hint)
  }

  private static func folderHint(for error: any Error, _ session: Session) -> String? {
    let found =
      switch error {
      case CommandError.noDocument(let fault, _): fault
      default: error as? SystemError
      }
    guard let found, found.isMissing, !session.options.directories.isEmpty else { return nil }
    let path = found.path
    let start = session.path("")
    guard path.hasPrefix(start), (try? Path.exists(String(path.dropFirst(start.count)))) == true else { return nil }
    return NameHints.folder(String(start.dropLast(start.hasSuffix("/") ? 1 : 0)))
  }

  private static func hint(
    for error: any Error, _ database: Database, _ command: (any CommandSyntax.Type)?
  ) -> String? {
    var makes: String?
    switch error {
    case KitError.recordNotFound(let name):
      // If the record exists now, it was missing only at the requested time.
      if let row = try? database.records.find(name) {
        return row.isDeleted ? gone(row, database) : NameHints.hereNow(row.id)
      }
      if let at = name.lastIndex(of: "@"), let row = try? database.records.find(String(name[..<at])) {
        return NameHints.recordOf(row.id)
      }
      // If the name looks like a revision, the user probably meant a revision.
      if NameHints.isRevision(name) { return NameHints.revision(name) }
      if let slash = name.lastIndex(of: "/"), let row = try? database.records.find(String(name[..<slash])) {
        return NameHints.property(String(name[name.index(after: slash)...]), of: row.id)
      }
      if (try? database.queries.hasRecords(of: name)) == true { return NameHints.type(name) }
      if command?.name == "diff", TimeText.parse(name, now: 0) != nil { return NameHints.moment(name) }
      if command?.name == "set" { makes = NameHints.notYet }
    case KitError.nothingNamed("HEAD"): return NameHints.newest
    case KitError.propertyNotFound(let id, let path):
      if NameHints.isRevision(path) { return NameHints.revision(path, of: id) }
      if let row = try? database.records.find(id), row.isDeleted { return gone(row, database) }
    default: break
    }
    let meant = similar(to: error, database).map { "did you mean '\($0)'?" }
    return meant.flatMap { meant in makes.map { "\(meant); \($0)" } } ?? meant ?? makes
  }

  private static func gone(_ row: RecordRow, _ database: Database) -> String {
    let isPurged = (try? database.records.previous(row))?.leaf.isPurged == true
    return isPurged ? NameHints.purged(row.id) : NameHints.deleted(row.id)
  }

  private static func similar(to error: any Error, _ database: Database) -> String? {
    switch error {
    case KitError.recordNotFound(let name): try? SimilarRecord(database.records).find(name)
    case KitError.nothingNamed(let name): try? SimilarRecord(database.records).find(name)
    case KitError.propertyNotFound(let id, let path): try? SimilarRecord(database.records).property(path, of: id)
    case KitError.containerNotFound(let name):
      Similarity.nearest(to: name, among: ((try? database.containers.settings()) ?? []).map(\.name))
    case KitError.instanceNotFound(let name):
      Similarity.nearest(to: name, among: ((try? database.members.names()) ?? [:]).values.sorted())
    default: nil
    }
  }

  /// Commands outside of these groups that also tell a pending instance why their result is incomplete.
  private static let searchingCommands: Set<String> = ["sync", "pull", "push", "containers", "verify", "heads"]

  /// If this instance has no keys yet, prints a notice that explains why a command finds nothing. Commands that search
  /// records always print the notice; other commands print it only if they found nothing.
  private static func explainEmptyResult(_ command: any Command.Type, _ session: Session, found: Bool) throws {
    let looks: [Group] = [.records, .history, .conflicts, .assets, .transfer]
    let isLooking = looks.contains(command.title.group) || searchingCommands.contains(command.name)
    guard isLooking || !found, let database = session.database, database.isOpen else { return }
    try WaitingNotice(session, database).noticeIfKeyless()
  }

  private static func reportTraceFaults(_ session: Session) {
    for fault in Trace.drainFaults() { session.terminal.warning("trace", fault, hint: "this run is not traced") }
  }

  private static func report(_ error: any Error, _ session: Session) -> ExitStatus {
    let failure = Failure.describing(error)
    var status = failure.status
    do {
      try session.terminal.output.flush()
    } catch let output as OutputFailure {
      if output.isBrokenPipe { return session.terminal.outlet?.isLeft == true ? .success : .brokenPipe }
      status = status.and(.system)
    } catch {
      status = status.and(.system)
    }
    failure.report(to: session.terminal)
    return status
  }
}

extension External {
  static func run(_ name: String, _ parser: Parser, _ session: Session) throws -> ExitStatus {
    guard let path = find(name, session) else {
      let similar = Habits.names[name] ?? Similarity.nearest(to: name, among: Commands.names)
      throw UsageFault.unknownCommand(name, similar: similar)
    }
    var program = Program(path: path, arguments: [path] + parser.rest)
    program.variables = variables(session)
    if !session.options.directories.isEmpty { program.directory = session.path(".") }
    try become(program, "sea-\(name)", session)
    return .success
  }
}

extension Sea {
  /// Runs the program as a process. `notUTF8` is the index of the first argument that is not valid UTF-8; the program
  /// name has index 0.
  package static func main(_ arguments: [String], notUTF8: Int?) -> Int32 {
    ThisProcess.guardStandardStreams()
    ThisProcess.failsAtLargestFile()
    Trace.begin("sea")
    let session = Session(
      output: writer(.standardOutput()), talk: writer(.standardError()), input: reader(.standardInput()),
      host: .process())
    session.endsProcess = true
    session.candidates = { [unowned session] kind, start, context in
      try Candidates(session, context).find(kind, start)
    }
    let status = run(
      program: arguments.first ?? "sea", Array(arguments.dropFirst()), notUTF8: notUTF8.flatMap { $0 > 0 ? $0 : nil },
      session)
    // This process must die from the signal, so that a shell that runs a script stops the script.
    let key = ExitStatus.interrupted.rawValue - 128
    if let signal = Interruption.signal, status == .interrupted || signal != key { Interruption.die(of: signal) }
    return status.rawValue
  }

  private static func writer(_ file: File) -> Output {
    Output { bytes throws(SystemError) in try file.write(bytes) }
  }

  private static func reader(_ file: File) -> Input {
    Input { buffer throws(SystemError) in try file.readAwaited(into: buffer) }
  }
}

/// Suggests corrections for a folder that is neither a container nor a folder of bundles.
enum PlaceHint {
  static func of(_ error: any Error, _ session: Session) -> String? {
    switch error {
    case ContainerError.notAContainer(let path): return of(path, session)
    case TransferError.noBundles(let path): return (try? Path.absolute(session.path(path))).flatMap { of($0, session) }
    case let error as SystemError where error.isMissing && error.path.hasPrefix("{"):
      return "JSON comes from a file, or from standard input"
    case CommandError.noBackup(let path):
      return Containers.isRemoteLocation(path) ? nil : (try? Path.absolute(session.path(path))).flatMap(below)
    default: return nil
    }
  }

  private static func of(_ path: String, _ session: Session) -> String? {
    let above = Path.name(path) == Location.folderName ? Path.parent(path) : path
    if let command = session.terminal.command, Location.isDatabase(Path.join(above, Location.folderName)) {
      return "it is a database: sea -C \(Escape.shellWord(above)) \(session.terminal.calledAs ?? command.name)"
    }
    return below(path)
  }

  private static let most = 100

  private static func below(_ path: String) -> String? {
    guard let entries = try? Directory(path).list(most: 10 * most).entries else { return nil }
    let found = entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map(\.name).sorted().prefix(most)
      .map { Path.join(path, $0) }
      .filter { (try? Path.exists(Path.join($0, "info.json")) || !BundleDirectory($0).bundles().isEmpty) ?? false }
    guard let first = found.first else { return nil }
    return found.count == 1
      ? "did you mean \(Escape.shellWord(first))?"
      : "did you mean one of \(found.prefix(3).map { Escape.shellWord($0) }.joined(separator: ", "))"
        + (found.count > 3 ? " and \(found.count - 3) more?" : "?")
  }
}
