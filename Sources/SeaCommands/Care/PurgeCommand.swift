import SeaCore
import SeaEngine

enum PurgeCommand: Command {
  static var title: Title {
    Title("purge", .care, .porcelain, needs: [.database, .lock], "permanently remove content of records")
  }
  static var synopsis: [String] {
    [
      "--confirm=NAME [--history-only] [-n] RECORD [PATH]...",
      "--confirm=NAME --before=WHEN [-n]",
      "--status",
    ]
  }
  static let confirm = Option(
    "confirm", nil, .text, "NAME", "confirm with the name of this instance (see sea status) or the databaseID")
  static let historyOnly = Option("history-only", help: "keep the current content of the record")
  static let before = Option("before", nil, .text, "WHEN", "purge revisions written before WHEN, except current ones")
  static let status = Option("status", help: "list instances and containers that have not purged yet")
  static var options: [Option] { [confirm, historyOnly, before, status, .dryRun] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.success, "removed everywhere this instance can see, or there was nothing to purge"),
      Exit(.conflict, "not confirmed, or a conflict still needs the content; nothing was written"),
      Exit(.notFound, "no such record, or the name is ambiguous; nothing was written"),
      Exit(.partial, "removed here but not everywhere yet, or some blocks cannot be removed; they are listed"),
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
