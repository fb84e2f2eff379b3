import SeaCore
import SeaKit

/// `sea log`: what happened, newest first.
enum LogCommand: Command {
  static var title: Title {
    Title(
      "log", .history, .porcelain, needs: .database,
      "show transactions, the revisions of a record, or the values of a property")
  }
  static var synopsis: [String] {
    [
      "[-N] [--instance=I] [--since=WHEN] [--until=WHEN] [--at=WHEN] [--format=FORMAT [--shell]] [RECORD [PATH]]",
      "--graph [-N] [--at=WHEN] RECORD",
    ]
  }
  static let limit = Option("limit", nil, .integer, "N", "show the newest N only; -N is the same", digits: true)
  static let instance = Option("instance", nil, .instance, "I", "only what this instance wrote")
  static let since = Option("since", nil, .text, "WHEN", "only what its author wrote at WHEN or later")
  static let until = Option("until", nil, .text, "WHEN", "only what its author wrote at WHEN or earlier")
  static let graph = Option("graph", help: "draw the tree of revisions")
  static var options: [Option] { [limit, instance, since, until, .at, graph, .format, .shell] }
  static var operands: [Operand] { [.optional("RECORD", .record), .optional("PATH", .path)] }
  static var exits: [Exit] { [Exit(.notFound, "there is no such record or instance, or the name means several")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(graph) {
      if arguments.operand(0) == nil { throw UsageFault.missingOperand("RECORD") }
      if arguments.operand(1) != nil { throw UsageFault.excluded(["--graph", "PATH"]) }
      _ = try [instance, since, until, .format].map { try arguments.only(of: [graph, $0]) }
    }
    let database = try session.reading()
    let log = try LogOutput(session, arguments, database)
    return try database.atOneState {
      guard let text = arguments.operand(0) else { return try transactions(log, database) }
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

  private static func transactions(_ log: LogOutput, _ database: Database) throws -> ExitStatus {
    let list = try log.list(
      [
        Column("BLOCK", "shown"), Column("TIME", "time"), Column("CHANGES", "changes", right: true),
        Column("LABEL", "label", none: ""),
      ], ["block", "instance", "name", "index", "lamport", "time", "label", "changes", "size", "hash"])
    try log.each { offer in
      try database.history.forEachTransaction(of: log.only) { block in
        if let moment = log.moment, block.sequence > moment.sequence { return true }
        return try offer(block) {
          var item: Item = ["block": .id(block.place)]
          item.add(log.author(block))
          item.add([
            "index": .integer(block.index), "lamport": .integer(block.lamport), "changes": .integer(block.changes),
            "size": .integer(block.size), "hash": .text(block.digest),
            "shown": .aside(log.shownName(block) + block.place.dropFirst(36)),
          ])
          try list.add(item)
        }
      }
    }
    try list.end()
    return .success
  }
}
