import SeaCore
import SeaEngine

enum ShowCommand: Command {
  static var title: Title {
    Title(
      "show", .history, .porcelain, needs: .database, "show the changes, author and time of transactions or revisions")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] { ["[-t TYPE] [--stat] [OP | BLOCK | REVISION]..."] }
  static let stat = Option("stat", help: "list only the records, without their properties")
  static var options: [Option] { [.type, stat] }
  static var operands: [Operand] { [.any("REVISION", .history)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "no such operation, block, record or revision, or the name is ambiguous"),
      Exit(.badData, "unknown type"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    let names = arguments.operands.isEmpty ? ["@{0}"] : arguments.operands
    return try database.atOneState {
      let log = try LogOutput(session, arguments, database)
      var (isFirst, isSilent) = (true, true)
      for name in names {
        if !isFirst, !session.options.json { try session.terminal.line("") }
        isFirst = false
        if try show(name, arguments, log, database) { isSilent = false }
      }
      if isSilent, let type = arguments.text(.type) { try session.check(type: type, in: database) }
      return .success
    }
  }

  private static func show(
    _ name: String, _ arguments: Arguments, _ log: LogOutput, _ database: Database
  ) throws -> Bool {
    let session = log.session
    let type = arguments.text(.type)
    let output = TransactionOutput(
      log: log, text: ChangeText(terminal: session.terminal, detail: arguments.has(stat) ? .none : .values))
    if !session.literalIDs, name.hasPrefix("op:") || name.hasPrefix("@{") {
      let operation = try database.history.operation(session.operation(name))
      try output.head(operation.block, operation)
      return try output.changes(of: operation.block, type: type, database)
    }
    switch try session.named(name, in: database) {
    case .block(let block):
      try output.head(block, database.history.operation(of: block))
      return try output.changes(of: block, type: type, database)
    case .record, .instance: try revision(session.find(name, in: database), output, database)
    case .revision(let found): try revision(found, output, database)
    }
    return true
  }

  private static func revision(_ found: Found, _ output: TransactionOutput, _ database: Database) throws {
    if let block = try database.records.block(of: found.leaf) {
      try output.head(block, database.history.operation(of: block))
      let all = try database.history.effect(of: block, on: found.row.id)
      let effect = all ?? (found.leaf.parent == nil ? .created : found.leaf.kind == .put ? .updated : .deleted)
      try output.print(database.history.change(found.leaf, of: found.row, effect), of: block)
    }
  }
}
