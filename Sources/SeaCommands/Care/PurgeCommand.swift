import SeaCore
import SeaEngine

/// `sea purge`: take out for good what was said.
enum PurgeCommand: Command {
  static var title: Title {
    Title("purge", .care, .porcelain, needs: [.database, .lock], "remove for good what records said")
  }
  static var synopsis: [String] {
    [
      "--confirm=NAME [--history-only] [-n] RECORD [PATH]...",
      "--confirm=NAME --before=WHEN [-n]",
      "--status",
    ]
  }
  static let confirm = Option(
    "confirm", nil, .text, "NAME", "the name of this instance, as sea status shows it, or the databaseID")
  static let historyOnly = Option("history-only", help: "keep what the record says now")
  static let before = Option(
    "before", nil, .text, "WHEN", "what records said before WHEN, by their authors' clocks, and do not say now")
  static let status = Option("status", help: "list the instances and containers that have not yet")
  static var options: [Option] { [confirm, historyOnly, before, status, .dryRun] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.success, "it is gone everywhere that can be seen from here; also if there was nothing to purge"),
      Exit(
        .conflict,
        "it was not confirmed, or a record is in conflict that needs what would go; nothing was written"),
      Exit(.notFound, "there is no such record, or the name means several; nothing was written"),
      Exit(.partial, "it is gone here, and not everywhere yet, or some blocks have to stay; they are listed"),
      Exit(.refused, "a hook refused; nothing was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(status) {
      for other in [confirm, historyOnly, before, .dryRun] { _ = try arguments.only(of: [status, other]) }
      if !arguments.operands.isEmpty { throw UsageFault.excluded([status.dashed, "RECORD"]) }
      return try PurgeRun(session, session.reading()).status()
    }
    if arguments.has(before) {
      _ = try arguments.only(of: [before, historyOnly])
      if !arguments.operands.isEmpty { throw UsageFault.excluded([before.dashed, "RECORD"]) }
    } else if arguments.operands.isEmpty {
      throw UsageFault.missingOperand("RECORD")
    }
    let isDry = arguments.has(.dryRun) || !arguments.has(confirm)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let run = PurgeRun(session, database)
    if let name = arguments.text(confirm) { try database.check(confirmation: name) }
    let goal = try goal(session, arguments, database)
    if isDry { return try run.plan(goal, isAsked: arguments.has(.dryRun)) }
    return try run.purge(goal, Hooks(session, database, self))
  }

  private static func goal(_ session: Session, _ arguments: Arguments, _ database: Database) throws -> PurgeGoal {
    if let when = arguments.text(before) { return .before(try session.time(when)) }
    let id = try database.records.find(arguments.operands[0], literal: session.literalIDs).id
    let paths = try arguments.operands.dropFirst().map { try PropertyPath($0) }
    let keepsNow = arguments.has(historyOnly)
    return paths.isEmpty ? .record(id, keepsNow: keepsNow) : .properties(id, paths, keepsNow: keepsNow)
  }
}
