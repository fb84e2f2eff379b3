import SeaEngine
import SeaSystem
import SeaWords

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
