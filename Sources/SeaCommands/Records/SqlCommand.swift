import SeaCore
import SeaEngine

enum SqlCommand: Command {
  static var title: Title { Title("sql", .records, .porcelain, needs: .database, "run an SQL query") }
  static var synopsis: [String] {
    [
      "[-p NAME=VALUE]... [--csv | --tsv | --table | --format=FORMAT [--shell]] \(CSVStyle.synopsis) "
        + "[--explain] [--time-limit=TIME] [--at=WHEN] [--exit-code] SQL | --file=FILE"
    ]
  }
  static let file = Option("file", "f", .file, "FILE", "read the statement from FILE ('-': standard input)")
  static let explain = Option("explain", help: "show how the statement would be run")
  static let timeLimit = Option("time-limit", nil, .duration, "TIME", "stop with an error after TIME")
  static var options: [Option] {
    [
      QueryParameter.option, QueryCommand.csv, QueryCommand.tsv, QueryCommand.table, .format, .shell, explain,
      timeLimit, .at, file, .exitCode,
    ] + CSVStyle.options
  }
  static var operands: [Operand] { [.optional("SQL", .text)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: no rows"),
      Exit(.notFound, "no such operation"),
      Exit(.badData, "the statement is invalid, uses unknown names or is not allowed"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = try arguments.only(of: [QueryCommand.table, QueryCommand.csv, QueryCommand.tsv, .format])
    if session.options.json, let chosen { throw UsageFault.excluded(["--json", chosen.dashed]) }
    let style = try CSVStyle(arguments, needs: QueryCommand.csv.dashed, chosen?.key == QueryCommand.csv.key)
    let sql = try statement(session, arguments)
    let form: RowOutput.Form =
      switch chosen?.key {
      case QueryCommand.csv.key: .csv(style)
      case QueryCommand.tsv.key: .tsv
      case Option.format.key: .template(arguments.text(.format) ?? "", shell: arguments.has(.shell))
      case nil where session.options.json: .json
      default: .table
      }
    let database = try session.reading()
    var output: RowOutput?
    var count = 0
    var reported = 0
    try database.atOneState(at: session.moment(arguments, database)) {
      try database.queries.run(
        arguments.has(explain) ? "EXPLAIN QUERY PLAN " + sql : sql, QueryParameter.values(arguments),
        seconds: arguments.text(timeLimit).flatMap(Quantity.duration).map { Int($0) },
        begin: {
          session.terminal.report(database.queries.notices)
          reported = database.queries.notices.count
          output = try RowOutput(form, $0.columns, session)
        },
        row: {
          try output?.add($0)
          count += 1
          return true
        })
    }
    try output?.end()
    session.terminal.report(Array(database.queries.notices.dropFirst(reported)))
    return arguments.has(.exitCode) && count == 0 ? .no : .success
  }

  private static func statement(_ session: Session, _ arguments: Arguments) throws -> String {
    let operand = arguments.operands.first
    guard let file = arguments.text(file) ?? (operand == "-" ? operand : nil) else {
      guard let operand else { throw UsageFault.missingOperand("SQL") }
      return operand
    }
    if operand != nil, operand != "-" || arguments.has(Self.file) { throw UsageFault.excluded(["SQL", "--file"]) }
    let bytes = try session.reader(file).all(limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }
}
