import SeaCore
import SeaEngine

enum QueryCommand: Command {
  static var title: Title { Title("query", .records, .porcelain, needs: .database, "list records") }
  static func isPaged(_ arguments: Arguments) -> Bool { !arguments.has(csv) && !arguments.has(tsv) }
  static var synopsis: [String] {
    [
      "[-t TYPE]... [-p NAME=VALUE]... [--refs-to=RECORD] [--dangling] [--deleted] [--select=PATHS] [--sort=PATHS] [--limit=N] "
        + "[--after=ID] [--at=WHEN] [--ids | --count | --csv | --tsv | --table | --format=FORMAT [--shell]] "
        + "\(CSVStyle.synopsis) [--exit-code] [CONDITION]",
      "[-t TYPE]... [-p NAME=VALUE]... [--at=WHEN] --explain CONDITION",
      "--types [--at=WHEN]",
    ]
  }
  static let refsTo = Option("refs-to", nil, .record, "RECORD", "list only records that refer to RECORD")
  static let dangling = Option("dangling", help: "list only records that refer to a missing record")
  static let deleted = Option("deleted", help: "include deleted records")
  static let select = Option("select", nil, .paths, "PATHS", "show these properties, separated by commas")
  static let sort = Option("sort", nil, .paths, "PATHS", "sort by these properties ('-' before a name: descending)")
  static let limit = Option("limit", nil, .integer, "N", "show at most N records")
  static let after = Option("after", nil, .record, "ID", "list only records with ids after ID")
  static let ids = Option("ids", help: "print only ids")
  static let types = Option("types", help: "list the types with their properties and number of records")
  static let count = Option("count", help: "print the number of records")
  static let table = Option("table", help: "print a table (default)")
  static let csv = Option("csv", help: "print comma-separated values (RFC 4180)")
  static let tsv = Option("tsv", help: "print tab-separated values")
  static var options: [Option] {
    [
      .recordTypes, QueryParameter.option, refsTo, dangling, deleted, select, sort, limit, after, .at, ids, types,
      count,
      table, csv,
      tsv,
      .format, .shell,
      SqlCommand.explain, .exitCode,
    ] + CSVStyle.options
  }
  static var operands: [Operand] { [.optional("CONDITION", .text)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: no record matches"),
      Exit(.badData, "invalid condition, or unknown type or property"),
      Exit(.notFound, "no such record or operation, or the name is ambiguous"),
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
    // With `--exit-code`, the exit status already shows that the type is missing, so no notice is needed.
    let isAsked = arguments.has(.exitCode)
    session.terminal.report(database.queries.notices.filter { if case .noType = $0 { !isAsked } else { true } })
    return arguments.has(.exitCode) && found == 0 ? .no : .success
  }

  static func selection(_ arguments: Arguments, _ query: RecordQuery, _ database: Database) throws -> [Selection]? {
    try arguments.text(select)?.split(separator: ",", omittingEmptySubsequences: false).map {
      try Selection(String($0), isProperty: { try database.queries.hasProperty($0, of: query.filter.types) })
    }
  }

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

/// Prints each type with its properties and the number of its records, for `sea query --types`.
struct TypeList {
  let session: Session
  let database: Database

  /// - Returns: the number of types.
  func print() throws -> Int {
    let list = try Listing(
      session.terminal,
      [Column("TYPE", "type"), Column("RECORDS", "count", right: true), Column("PROPERTIES", "properties")])
    let types = try database.queries.types()
    for one in types {
      try list.add([
        "type": .text(one.type).orNull, "count": .integer(one.count), "properties": .texts(one.properties),
      ])
    }
    try list.end()
    return types.count
  }
}

struct QueryRun {
  private let session: Session
  private let database: Database
  private let arguments: Arguments
  private let chosen: Option?
  private let query: RecordQuery
  private let csvStyle: CSVStyle

  init(session: Session, database: Database, arguments: Arguments, chosen: Option?) throws {
    self.session = session
    self.database = database
    self.arguments = arguments
    self.chosen = chosen
    csvStyle = try CSVStyle(arguments, needs: QueryCommand.csv.dashed, chosen?.key == QueryCommand.csv.key)
    var filter = RecordFilter()
    filter.types = arguments.texts(.recordTypes)
    filter.refersTo = try arguments.text(QueryCommand.refsTo).map {
      try database.records.findTarget($0, literal: session.literalIDs)
    }
    filter.isDangling = arguments.has(QueryCommand.dangling)
    filter.after = arguments.text(QueryCommand.after)
    filter.withDeleted = arguments.has(QueryCommand.deleted)
    if filter.after != nil, arguments.has(QueryCommand.sort) { throw UsageFault.excluded(["--after", "--sort"]) }
    var condition: RecordQuery.Condition?
    if let sql = arguments.operands.first {
      if filter.withDeleted { throw UsageFault.excluded(["CONDITION", "--deleted"]) }
      condition = .init(sql, try QueryParameter.values(arguments))
    } else if arguments.has(QueryParameter.option) {
      throw UsageFault.missingOperand("CONDITION")
    }
    query = try RecordQuery(
      filter, condition, sort: arguments.text(QueryCommand.sort), limit: arguments.integer(QueryCommand.limit),
      isProperty: { try database.queries.hasProperty($0, of: filter.types) })
  }

  /// - Returns: the number of records.
  func print() throws -> Int {
    let selected = try QueryCommand.selection(arguments, query, database)
    var wanted = selected ?? []
    if chosen?.key == Option.format.key, case .template(let template) = try form(nil) {
      wanted += try template.pointers.map { try Selection($0) }
    }
    try database.queries.check(query, selecting: wanted)
    let form = try form(selected)
    var output = try RecordOutput(form, database, session, csv: csvStyle)
    let found = try output.add(query)
    try output.end()
    return found
  }

  func explain() throws -> Int {
    guard query.condition != nil else { throw UsageFault.missingOperand("CONDITION") }
    try database.queries.check(query, selecting: [])
    var output: RowOutput?
    var count = 0
    try database.queries.explain(
      query, begin: { output = try RowOutput(session.options.json ? .json : .table, $0.columns, session) },
      row: {
        try output?.add($0)
        count += 1
        return true
      })
    try output?.end()
    return count
  }

  private func form(_ selected: [Selection]?) throws -> RecordOutput.Form {
    func columns() throws -> [Selection] { try selected ?? database.queries.columns(query) }
    switch chosen?.key {
    case QueryCommand.ids.key: return .ids
    case QueryCommand.count.key: return .count
    case Option.format.key:
      return .template(
        try Template(
          arguments.text(.format) ?? "", fields: RecordOutput.fields, pointers: true, shell: arguments.has(.shell),
          for: session.terminal))
    case QueryCommand.csv.key: return .csv(try columns())
    case QueryCommand.tsv.key: return .tsv(try columns())
    case nil where session.options.json: return .json(selected)
    default: return .table(try selected ?? tableColumns())
    }
  }

  /// The maximum number of columns. More columns would be unreadable, and each record needs memory for every column.
  private static let mostColumns = 200

  private func tableColumns() throws -> [Selection] {
    let all = try database.queries.columns(query)
    let (count, most) = (all.count - 1, QueryRun.mostColumns)
    guard count > most else { return all }
    session.terminal.notice("\(count - most) of \(count) properties are not shown; to show all, use --json or --csv")
    // The first column is the id.
    return Array(all.prefix(1 + most))
  }
}
