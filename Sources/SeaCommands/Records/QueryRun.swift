import SeaCore
import SeaEngine

/// One run of `sea query`: which records, and in which form.
struct QueryRun {
  private let session: Session
  private let database: Database
  private let arguments: Arguments
  private let chosen: Option?
  private let query: RecordQuery

  /// - Parameter chosen: the option that says the form.
  init(session: Session, database: Database, arguments: Arguments, chosen: Option?) throws {
    self.session = session
    self.database = database
    self.arguments = arguments
    self.chosen = chosen
    var filter = RecordFilter()
    filter.type = arguments.text(.type)
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
      isProperty: { try database.queries.hasProperty($0, of: filter.type) })
  }

  /// - Returns: how many records there were.
  func print() throws -> Int {
    let selected = try arguments.text(QueryCommand.select)?.split(separator: ",", omittingEmptySubsequences: false).map
    {
      try Selection(String($0), isProperty: { try database.queries.hasProperty($0, of: query.filter.type) })
    }
    var wanted = selected ?? []
    if chosen?.key == Option.format.key, case .template(let template) = try form(nil) {
      wanted += try template.pointers.map { try Selection($0) }
    }
    try database.queries.check(query, selecting: wanted)
    let form = try form(selected)
    var output = try RecordOutput(form, database, session)
    let found = try output.add(query)
    try output.end()
    return found
  }

  /// Shows how SQLite would find the records.
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

  /// Nobody reads so many columns, and each record has a place in each.
  private static let mostColumns = 200

  private func tableColumns() throws -> [Selection] {
    let all = try database.queries.columns(query)
    let (count, most) = (all.count - 1, QueryRun.mostColumns)
    guard count > most else { return all }
    session.terminal.notice("\(count - most) of \(count) properties are not shown; all of them with --json or --csv")
    // In front is the id.
    return Array(all.prefix(1 + most))
  }
}
