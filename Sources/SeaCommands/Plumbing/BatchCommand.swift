import SeaEngine

enum BatchCommand: Command {
  static var title: Title {
    Title(
      "batch", .plumbing, .plumbing, needs: [.database, .lock],
      "run commands from standard input, and answer each")
  }
  static var printsJSON: Bool { true }
  static var synopsis: [String] { ["[-n]"] }
  static var options: [Option] { [.dryRun] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "a transaction was not committed"),
      Exit(.partial, "a command failed; see its answer"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    return try BatchRun(session, database, dryRun: dryRun).run()
  }
}
