import SeaEngine
import SeaSystem
import SeaWords

/// The table of all commands.
package enum Commands {
  /// The release.
  package static let version = "0.1.0"

  /// In the order of the command list.
  package static let all: [any Command.Type] = [
    InitCommand.self,
    CloneCommand.self,
    StatusCommand.self,
    ConfigCommand.self,
    PutCommand.self,
    GetCommand.self,
    SetCommand.self,
    DeleteCommand.self,
    QueryCommand.self,
    SqlCommand.self,
    LogCommand.self,
    ShowCommand.self,
    DiffCommand.self,
    OpsCommand.self,
    UndoCommand.self,
    RevertCommand.self,
    StatsCommand.self,
    ChangesCommand.self,
    ConflictsCommand.self,
    ResolveCommand.self,
    AssetsCommand.self,
    FetchAssetsCommand.self,
    DropAssetsCommand.self,
    AddContainerCommand.self,
    RemoveContainerCommand.self,
    ContainersCommand.self,
    SyncCommand.self,
    PullCommand.self,
    PushCommand.self,
    WatchCommand.self,
    MirrorCommand.self,
    ServeCommand.self,
    ExportCommand.self,
    ImportCommand.self,
    DumpCommand.self,
    LoadCommand.self,
    PasswdCommand.self,
    InstancesCommand.self,
    AuthorizeCommand.self,
    RevokeCommand.self,
    VerifyCommand.self,
    DoctorCommand.self,
    InspectCommand.self,
    GcCommand.self,
    PurgeCommand.self,
    ReindexCommand.self,
    RevParseCommand.self,
    CatBlockCommand.self,
    HeadsCommand.self,
    BatchCommand.self,
    HashRecordCommand.self,
    PickWinnerCommand.self,
    MergeRecordCommand.self,
    TestHelperCommand.self,
    TutorialCommand.self,
    HelpCommand.self,
    VersionCommand.self,
  ]

  /// Second names, each with a man page of its own; some stand for a command with an option.
  package static let synonyms: [(name: String, command: String, implies: Option?, about: String)] = [
    ("list", "query", nil, "the same as query"), ("fsck", "verify", nil, "the same as verify"),
    ("backup", "export", ExportCommand.backup, "write a bundle with everything, settings and hooks too"),
    ("restore", "clone", CloneCommand.restore, "make a new instance from a backup, settings too"),
  ]

  /// What a list shows of a group: each command, and behind it its second names.
  package static func listed(in group: Group) -> [(name: String, about: String)] {
    all.filter { $0.group == group }.flatMap { command in
      [(command.name, command.summary)] + synonyms.filter { $0.command == command.name }.map { ($0.name, $0.about) }
    }
  }

  /// What `sea help` opens beside the pages of commands.
  package static let guides: [(name: String, about: String)] = [
    ("tutorial", "a tour, from nothing"), ("workflows", "recipes"), ("cli", "options, names, times, exit statuses"),
    ("query", "SQL over records"), ("json", "what --json prints"), ("conflicts", "conflicts, and how they end"),
    ("encryption", "what is sealed, and who can read it"), ("glossary", "the words"), ("config", "settings"),
    ("hooks", "programs that run at changes"), ("helpers", "programs that reach containers"), ("record", "records"),
    ("merge", "how sides are merged"), ("members", "who may write"), ("format", "the bytes of a container"),
    ("server", "settings of a sea-server"), ("bundle", "the bytes of a bundle"),
    ("datastore", "Datastore's interchange"),
  ]

  /// Every word that is a command.
  package static var names: [String] { all.map { $0.name } + synonyms.map { $0.name } }

  package static func find(_ name: String) -> (any Command.Type)? {
    if let command = all.first(where: { $0.name == name }) { return command }
    guard let synonym = synonyms.first(where: { $0.name == name }) else { return nil }
    return all.first { $0.name == synonym.command }
  }
}

/// `sea help`: the list of commands, or a page of the manual.
enum HelpCommand: Command {
  static var title: Title {
    Title("help", .help, .porcelain, "show the list of commands, or open a page of the manual")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] { ["[COMMAND | GUIDE]"] }
  static var operands: [Operand] { [.optional("COMMAND", .command)] }
  static var exits: [Exit] { [Exit(.notFound, "there is no such page")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    guard let topic = arguments.operand(0) else { return try Usage.overview(session) }
    return try Manual.open(topic, session)
  }
}

/// `sea tutorial`: plays a tour in a folder that is thrown away.
enum TutorialCommand: Command {
  static var title: Title { Title("tutorial", .help, .porcelain, "play a tour in a folder that is thrown away") }
  static var synopsis: [String] { ["[--list] [CHAPTER]"] }
  static let list = Option("list", help: "list the chapters")
  static var options: [Option] { [list] }
  static var operands: [Operand] {
    [.optional("CHAPTER", .choice(TutorialSteps.chapters.indices.map { String($0 + 1) }))]
  }
  static var exits: [Exit] {
    [
      Exit(.success, "the tour came to its end, or was ended with q"),
      Exit(.refused, "a command of the tour failed, or could not be started"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chapters = TutorialSteps.chapters
    if arguments.has(list) {
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      for (number, chapter) in chapters.enumerated() {
        try session.terminal.show(["chapter": .integer(number + 1), "title": .text(chapter.title)]) {
          ["\(number + 1)  \(chapter.title)"]
        }
      }
      return .success
    }
    return try TutorialRun(session, from: arguments.operand(0).flatMap { Int($0) } ?? 1).play(chapters)
  }
}

/// One play of the tour: real commands, run by this program in a folder of their own.
final class TutorialRun {
  private let session: Session
  /// The first chapter that is shown; those before are played unseen, since it goes on from them.
  private let first: Int
  private let folder: TemporaryFolder
  private let program: String
  private var count = 0

  private enum Stop: Error { case quit, interrupted, closed }

  init(_ session: Session, from first: Int) throws {
    self.session = session
    self.first = first
    program = session.host.executable() ?? "sea"
    // What stops us has to leave nothing behind.
    session.host.catchStops("")
    folder = try TemporaryFolder(aloneIn: try Path.absolute(session.temporaryFolder), prefix: "sea-tutorial-")
  }

  func play(_ chapters: [TutorialSteps.Chapter]) throws -> ExitStatus {
    // Before the status is given: whoever ends by a signal comes to no other end.
    defer { folder.remove() }
    do {
      try say("A tour of sea, in \(folder.path), which is thrown away behind it.")
      if asks { try say("Return goes on, q ends it.") }
      for (number, chapter) in chapters.enumerated() {
        if number + 1 >= first { try begin(chapter, "\(number + 1)/\(chapters.count)") }
        for step in chapter.steps { try play(step, in: chapter, isShown: number + 1 >= first) }
      }
      folder.remove()
      try say("", "That was the tour, and its folder is gone.", "")
      try say("A database of your own:   sea init ~/birds", "Recipes for whole tasks:  sea help workflows")
      try say("What a command does:      sea COMMAND -h")
    } catch Stop.quit {
    } catch Stop.interrupted {
      return .interrupted
    } catch Stop.closed {
      return .brokenPipe
    }
    if session.options.json { session.terminal.summarise(["steps": .integer(count)]) }
    return .success
  }

  /// Whether somebody reads this page by page.
  private var asks: Bool {
    let (options, host) = (session.options, session.host)
    return !options.noInput && !options.json && host.isTerminal(0) && host.isTerminal(1)
  }

  private func say(_ lines: String...) throws {
    if session.options.json { return }
    for line in lines { try session.terminal.painter.wrapped(Painted(line)) }
  }

  private func begin(_ chapter: TutorialSteps.Chapter, _ place: String) throws {
    if session.options.json { return }
    try session.terminal.line("")
    try session.terminal.painter.line("\(chapter.title, .heading)  \(place)")
  }

  private func play(_ step: TutorialSteps.Step, in chapter: TutorialSteps.Chapter, isShown: Bool) throws {
    guard isShown else {
      for command in step.commands { _ = try hear(command) }
      return
    }
    if !session.options.json {
      try session.terminal.line("")
      for line in step.text.split(separator: "\n") {
        for part in TextWidth.filled(String(line), to: Usage.columns(session)) { try session.terminal.line(part) }
      }
    }
    for command in step.commands {
      count += 1
      guard session.options.json else {
        try session.terminal.painter.line("$ \(command, .revision)")
        try session.terminal.clear()
        try expectDone(session.host.run(made(command), nil), command)
        continue
      }
      let printed = try hear(command)
      try session.terminal.report(
        "step",
        [
          "chapter": .text(chapter.title), "text": .text(step.text), "command": .text(command),
          "printed": .text(printed),
        ], text: { "" })
    }
    if asks { try pause() }
  }

  private func pause() throws {
    let answer = try session.terminal.ask("-- ")
    if session.host.stopSignal() != nil { throw Stop.interrupted }
    guard let answer else { return }
    let word = String(decoding: answer, as: UTF8.self).lowercased()
    if word == "q" || word == "quit" { throw Stop.quit }
  }

  /// Runs a command unseen, and returns what it prints.
  private func hear(_ command: String) throws -> String {
    var bytes: [UInt8] = []
    var program = made(command)
    program.printsToError = true
    try expectDone(session.host.run(program) { bytes += $0 }, command)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The program that a line of the tour stands for. The user's own settings, and what is noted of his databases, stay out of it.
  private func made(_ command: String) -> Program {
    var words = Completion.split(command, command.utf8.count)
    words[0] = program
    var made = Program(path: program, arguments: words)
    made.variables = [
      .init(name: "HOME", value: folder.path), .init(name: "SEA_PAGER", value: "cat"),
      .init(name: "SEA_ADVICE", value: "0"),
    ]
    made.directory = folder.path
    made.input = .none
    made.hidesSettings = true
    return made
  }

  private func expectDone(_ ending: Launch.Ending, _ command: String) throws {
    if ending.isInterrupt || session.host.stopSignal() != nil { throw Stop.interrupted }
    if ending.status == ExitStatus.brokenPipe.rawValue { throw Stop.closed }
    guard ending.status == 0 else { throw CommandError.programFailed(command, ending.status) }
  }
}

/// `sea sync`: exchange blocks with containers, both ways.
enum SyncCommand: ExchangeCommand {
  static var title: Title {
    Title("sync", .sync, .frozenPorcelain, needs: [.database, .lock], "exchange what is new with containers")
  }
  static var direction: Direction { .both }
}

/// `sea pull`: take from containers what is missing here.
enum PullCommand: ExchangeCommand {
  static var title: Title {
    Title("pull", .sync, .frozenPorcelain, needs: [.database, .lock], "take from containers what is new there")
  }
  static var synopsis: [String] {
    ["[-n] [--assets=FILTER] [--fail-on-conflict] [--no-merge] \(Option.limitForms) [CONTAINER]..."]
  }
  static var options: [Option] { [.assets, SyncRun.failOnConflict, SyncRun.noMerge] + Option.limits + [.dryRun] }
  static var direction: Direction { .pull }
}

/// `sea push`: give containers what is missing there.
enum PushCommand: ExchangeCommand {
  static var title: Title {
    Title("push", .sync, .frozenPorcelain, needs: [.database, .lock], "give to containers what is new here")
  }
  static var synopsis: [String] {
    ["[-n] [--assets=FILTER] [--fail-on-conflict] [--full] \(Option.limitForms) [CONTAINER]..."]
  }
  static var options: [Option] { [.assets, SyncRun.failOnConflict, SyncRun.full] + Option.limits + [.dryRun] }
  static var exits: [Exit] {
    SyncRun.exits.filter { $0.status != .refused } + [
      Exit(.denied, "a container named is read-only, or the database belongs to another user"),
      Exit(.refused, "a hook refused a container"),
    ]
  }
  static var direction: Direction { .push }
}

/// `sea test-helper`: hold a helper against the protocol.
enum TestHelperCommand: Command {
  static var title: Title { Title("test-helper", .plumbing, .porcelain, "check a helper that reaches containers") }
  static var synopsis: [String] { ["[--program=PROGRAM] LOCATION"] }
  static let program = Option(
    "program", nil, .file, "PROGRAM", "start this one, whatever stands for the scheme of LOCATION")
  static var options: [Option] { [program] }
  static var operands: [Operand] { [.one("LOCATION", .text)] }
  static var exits: [Exit] {
    [
      Exit(.success, "the helper keeps to the protocol"),
      Exit(.no, "it does not; what is wrong is listed"),
      Exit(.usage, "bad command line, or there is no helper for LOCATION"),
      Exit(.unreachable, "the helper does not answer, or what it reaches is away"),
      Exit(.system, "there are files at LOCATION, or an input/output error"),
      Exit(.refused, "the helper cannot be started, or does not greet"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    session.standsAlone = true
    let given = arguments.text(program).map(session.path)
    let helpers = session.makeHelpers(only: given)
    var (checks, faults) = (0, 0)
    try Containers.test(arguments.operands[0], helpers) { check, fault in
      checks += 1
      if fault != nil { faults += 1 }
      try session.terminal.report(
        "check", ["check": .text(check), "good": .flag(fault == nil), "reason": .text(fault)]
      ) {
        fault.map { "not ok  \(check): \($0)" } ?? "ok      \(check)"
      }
    }
    session.terminal.summarise(["checks": .integer(checks), "faults": .integer(faults)])
    return faults == 0 ? .success : .no
  }
}

/// `sea remove-container`: forget a container.
enum RemoveContainerCommand: Command {
  static var title: Title {
    Title("remove-container", .sync, .porcelain, needs: [.database, .lock], "forget a container; its files stay")
  }
  static var synopsis: [String] { ["[--only-copy-is-fine] [-n] NAME"] }
  static let onlyCopy = Option(
    "only-copy-is-fine", help: "even if it has blocks or assets that this instance lacks, or cannot be looked at")
  static var options: [Option] { [onlyCopy, .dryRun] }
  static var operands: [Operand] { [.one("NAME", .container)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there is no container of that name"),
      Exit(.partial, "it has blocks or assets that this instance lacks, or nobody can tell; nothing was done"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    let force = arguments.has(onlyCopy)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !force, let setting = try? database.containers.setting(arguments.operands[0]) {
      // One that cannot be looked into is told of below.
      let count = (try? database.exchange.countAssets(onlyIn: setting)) ?? 0
      guard count == 0 else { throw CommandError.onlyAssets(setting.name, count) }
    }
    let (setting, unread) = try database.containers.remove(arguments.operands[0], force: force, dryRun: isDry)
    guard force || unread == 0 else { throw CommandError.onlyCopy(setting.name, blocks: unread) }
    try session.terminal.report(
      isDry ? "would-remove-container" : "container-removed",
      ["name": .text(setting.name), "location": .text(setting.shownLocation)]
    ) {
      "\(setting.name): \(isDry ? "would be forgotten" : "forgotten"); its files stay at \(setting.shownLocation)"
    }
    return .success
  }
}

/// `sea serve`: give a container to whoever is at the other end of a line.
enum ServeCommand: Command {
  static var title: Title { Title("serve", .sync, .porcelain, "give a container to another sea, over a line") }
  static var synopsis: [String] { ["--stdio [--append-only | --read-only] DIR"] }
  static let stdio = Option("stdio", help: "the line is standard input and standard output")
  static let appendOnly = Option("append-only", help: "take only what is new; nothing that is there is changed")
  static let readOnly = Option("read-only", help: "take nothing")
  static var options: [Option] { [stdio, appendOnly, readOnly] }
  static var operands: [Operand] { [.one("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.success, "the other side took leave, or is gone"),
      Exit(.denied, "a key in authorized_keys is for DIR, and another folder was asked for"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    _ = try arguments.only(of: [appendOnly, readOnly])
    guard arguments.has(stdio) else { throw UsageFault.needsOneOf([stdio.dashed]) }
    session.standsAlone = true
    let path = try Path.absolute(session.path(arguments.operands[0]))
    if let asked = session.host.given("SSH_ORIGINAL_COMMAND") { try check(asked, path, session) }
    do {
      try Containers.serve(
        path, appendOnly: arguments.has(appendOnly), readOnly: arguments.has(readOnly), .standardInput(),
        .standardOutput())
    } catch let error as SystemError where error.isBrokenPipe {
      // Whoever asked went away.
    }
    return .success
  }

  /// With a forced command, what was asked for is not run but held against it.
  private static func check(_ asked: String, _ path: String, _ session: Session) throws {
    let words = CommandWords.split(asked) ?? []
    guard words.count == 4, words.dropLast() == ["sea", "serve", "--stdio"], let last = words.last, !last.hasPrefix("-")
    else { throw CommandError.notServed(asked) }
    // Another way to write the same folder is as good.
    let wanted = try Path.absolute(session.path(last))
    guard wanted == path || (try? Path.real(wanted)) == (try? Path.real(path)) else {
      throw CommandError.notServed(last)
    }
  }
}

/// `sea gc`: take away what nothing needs.
enum GcCommand: Command {
  static var title: Title {
    Title("gc", .care, .porcelain, needs: [.database, .lock], "free the space of what nothing needs any more")
  }
  static var synopsis: [String] { ["[--assets] [-n]"] }
  static let assets = Option("assets", help: "files of assets that no revision names, too")
  static var options: [Option] { [assets, .dryRun] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let least = try session.leastCopies()
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    // What a purge could not bring to its end.
    if !isDry { try database.purge.emptying.run() }
    let copies = arguments.has(assets) ? try session.copies(in: database) : nil
    let found = try database.assets.collection.collect(copies?.origins, least: least, dryRun: isDry)
    try session.terminal.report(
      isDry ? "would-collect" : "collected",
      [
        "bytes": .integer(found.bytes), "temporary_files": .integer(found.temporary.files),
        "temporary_bytes": .integer(found.temporary.bytes), "asset_files": .integer(found.assets.files),
        "asset_bytes": .integer(found.assets.bytes), "kept_files": .integer(found.kept.files),
        "kept_bytes": .integer(found.kept.bytes), "store_bytes": .integer(found.store),
      ]
    ) {
      words(found, isDry)
    }
    session.terminal.summarise(["bytes": .integer(found.bytes)])
    if found.kept.files > 0 {
      session.terminal.notice(
        "\(Count(found.kept.files, "file")) of assets that no revision names \(found.kept.files == 1 ? "stays" : "stay"), "
          + "\(SizeText.of(found.kept.bytes)): too few containers have the same bytes")
    }
    return .success
  }

  private static func words(_ found: GCResult, _ isDry: Bool) -> String {
    var parts: [String] = []
    if found.temporary.files > 0 {
      parts.append("\(Count(found.temporary.files, "temporary file")) \(SizeText.of(found.temporary.bytes))")
    }
    if found.assets.files > 0 {
      parts.append("\(Count(found.assets.files, "unreferenced asset")) \(SizeText.of(found.assets.bytes))")
    }
    if found.store > 0 { parts.append("store \(SizeText.of(found.store))") }
    guard !parts.isEmpty else { return "nothing to free" }
    let head = parts.count > 1 ? "\(SizeText.of(found.bytes)): " : ""
    return (isDry ? "would free " : "freed ") + head + parts.joined(separator: ", ")
  }
}
