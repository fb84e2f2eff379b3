import SeaCore
import SeaEngine
import SeaWords

/// `sea query`: many records.
enum QueryCommand: Command {
  static var title: Title { Title("query", .records, .porcelain, needs: .database, "list records") }
  static func isPaged(_ arguments: Arguments) -> Bool { !arguments.has(csv) && !arguments.has(tsv) }
  static var synopsis: [String] {
    [
      "[-t TYPE] [-p NAME=VALUE]... [--refs-to=RECORD] [--dangling] [--deleted] [--select=PATHS] [--sort=PATHS] [--limit=N] "
        + "[--after=ID] [--at=WHEN] [--ids | --count | --csv | --tsv | --table | --format=FORMAT [--shell]] "
        + "[--exit-code] [CONDITION]",
      "[-t TYPE] [-p NAME=VALUE]... [--at=WHEN] --explain CONDITION",
      "--types [--at=WHEN]",
    ]
  }
  static let refsTo = Option("refs-to", nil, .record, "RECORD", "only records that refer to RECORD")
  static let dangling = Option("dangling", help: "only records that refer to one that is not there")
  static let deleted = Option("deleted", help: "deleted records too")
  static let select = Option("select", nil, .paths, "PATHS", "show these properties, separated by commas")
  static let sort = Option(
    "sort", nil, .paths, "PATHS", "sort by these properties, each behind '-' from the greatest down")
  static let limit = Option("limit", nil, .integer, "N", "show at most N records")
  static let after = Option("after", nil, .record, "ID", "show records whose id comes after ID")
  static let ids = Option("ids", help: "print ids only")
  static let types = Option("types", help: "list the types, how many records each has, and their properties")
  static let count = Option("count", help: "print how many records there are")
  static let table = Option("table", help: "print a table (the default)")
  static let csv = Option("csv", help: "print comma-separated values (RFC 4180)")
  static let tsv = Option("tsv", help: "print tab-separated values")
  static var options: [Option] {
    [
      .type, QueryParameter.option, refsTo, dangling, deleted, select, sort, limit, after, .at, ids, types, count,
      table, csv,
      tsv,
      .format, .shell,
      SqlCommand.explain, .exitCode,
    ]
  }
  static var operands: [Operand] { [.optional("CONDITION", .text)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there is no such record"),
      Exit(.badData, "CONDITION cannot be understood, or a type or property is mistyped"),
      Exit(
        .notFound,
        "there is no record RECORD, and none refers to it, the name means several, or --at names no operation"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = try arguments.only(of: [ids, types, count, table, csv, tsv, .format, SqlCommand.explain])
    try check(arguments, chosen, session)
    let database = try session.reading()
    let found = try database.atOneState(at: session.moment(arguments, database)) {
      if arguments.has(types) { return try TypeList(session: session, database: database).print() }
      let run = try QueryRun(session: session, database: database, arguments: arguments, chosen: chosen)
      return try arguments.has(SqlCommand.explain) ? run.explain() : run.print()
    }
    // Whether there is such a record is just what is asked then.
    let isAsked = arguments.has(.exitCode)
    session.terminal.tell(database.queries.notices.filter { if case .noType = $0 { !isAsked } else { true } })
    return arguments.has(.exitCode) && found == 0 ? .no : .success
  }

  /// What is asked for must have an effect.
  private static func check(_ arguments: Arguments, _ form: Option?, _ session: Session) throws {
    if session.options.json, let form, [table.key, csv.key, tsv.key].contains(form.key) {
      throw UsageFault.excluded(["--json", form.dashed])
    }
    let useless: [Option] =
      switch form?.key {
      case SqlCommand.explain.key: [sort, select, limit, .exitCode]
      case types.key: [.type, QueryParameter.option, refsTo, dangling, deleted, select, sort, limit, after, .exitCode]
      case ids.key, count.key, Option.format.key: [select]
      default: []
      }
    if arguments.has(types), !arguments.operands.isEmpty { throw UsageFault.excluded([types.dashed, "CONDITION"]) }
    if let form, let option = useless.first(where: arguments.has) {
      throw UsageFault.excluded([form.dashed, option.dashed])
    }
  }
}
