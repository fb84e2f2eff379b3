import SeaCore
import SeaEngine
import SeaWords

/// `sea log`: what happened, newest first.
enum LogCommand: Command {
  static var title: Title {
    Title(
      "log", .history, .porcelain, needs: .database,
      "show transactions, the revisions of a record, or the values of a property")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] {
    [
      "[-NUMBER] [--instance=I] [--since=WHEN] [--until=WHEN] [--at=WHEN] [-p | --changes | --format=FORMAT [--shell]] "
        + "[-t TYPE | RECORD [PATH]]", "--graph [-NUMBER] [--at=WHEN] RECORD",
    ]
  }
  static let limit = Option(
    "limit", nil, .integer, "NUMBER", "show the newest NUMBER only; -5 is the same as --limit=5", digits: true)
  static let instance = Option("instance", nil, .instance, "I", "only what this instance wrote")
  static let since = Option("since", nil, .text, "WHEN", "only what its author wrote at WHEN or later")
  static let until = Option("until", nil, .text, "WHEN", "only what its author wrote at WHEN or earlier")
  static let type = Option("type", "t", .type, "TYPE", "only transactions that changed records of this type")
  static let patch = Option("patch", "p", help: "show what each one changed")
  static let changes = Option("changes", help: "list the records and properties that each one changed")
  static let graph = Option("graph", help: "draw the tree of revisions")
  static var options: [Option] { [limit, instance, since, until, .at, type, patch, changes, graph, .format, .shell] }
  static var operands: [Operand] { [.optional("RECORD", .record), .optional("PATH", .path)] }
  static var exits: [Exit] {
    [Exit(.notFound, "there is no such record or instance, the name means several, or --at names no operation")]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    try check(arguments)
    let database = try session.reading()
    let log = try LogOutput(session, arguments, database)
    return try database.atOneState {
      guard let text = arguments.operand(0) else {
        try LogTransactions(log: log, type: arguments.text(type)).print(database)
        return .success
      }
      let past = try log.moment.map { try database.records.find(text, at: $0, literal: session.literalIDs) }
      let row = try past?.row ?? database.records.find(text, literal: session.literalIDs)
      if let path = arguments.operand(1) {
        try LogValues(log: log, id: row.id, path: try PropertyPath(path)).print(row, in: past, database)
      } else if arguments.has(graph), !session.options.json {
        try LogGraph(log: log).print(row, in: past, database)
      } else {
        try LogRevisions(log: log, id: row.id).print(row, in: past, database)
      }
      return .success
    }
  }

  private static func check(_ arguments: Arguments) throws {
    _ = try arguments.only(of: [patch, changes, .format])
    if arguments.has(type), arguments.operand(0) != nil { throw UsageFault.excluded([type.dashed, "RECORD"]) }
    let detail = try arguments.only(of: [patch, changes, graph])
    if let detail, arguments.operand(1) != nil { throw UsageFault.excluded([detail.dashed, "PATH"]) }
    guard arguments.has(graph) else { return }
    _ = try [type, instance, since, until, .format].map { try arguments.only(of: [graph, $0]) }
    if arguments.operand(0) == nil { throw UsageFault.missingOperand("RECORD") }
  }
}
