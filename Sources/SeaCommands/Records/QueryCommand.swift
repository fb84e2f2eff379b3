import SeaCore
import SeaKit

/// `sea query`: many records.
enum QueryCommand: Command {
  static var title: Title { Title("query", .records, .porcelain, needs: .database, "list records") }
  static var synopsis: [String] {
    [
      "[-t TYPE] [--refs-to=RECORD] [--deleted] [--select=PATHS] [--sort=[-]PATH] [--limit=N] [--after=ID] "
        + "[--ids | --count | --csv | --tsv | --table | --format=FORMAT [--shell]] [--exit-code]",
      "--types",
    ]
  }
  static let refsTo = Option("refs-to", nil, .record, "RECORD", "only records that refer to RECORD")
  static let deleted = Option("deleted", help: "deleted records too")
  static let select = Option("select", nil, .text, "PATHS", "show these properties, separated by commas")
  static let sort = Option("sort", nil, .text, "[-]PATH", "sort by a property, with '-' from the greatest down")
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
      .type, refsTo, deleted, select, sort, limit, after, ids, types, count, table, csv, tsv, .format, .shell,
      .exitCode,
    ]
  }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there is no such record"),
      Exit(.notFound, "there is no record RECORD, or the name means several"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let chosen = try arguments.only(of: [ids, types, count, table, csv, tsv, .format])
    try check(arguments, chosen, session)
    let database = try session.reading()
    if arguments.has(types) { return try TypeList(session: session, database: database).print() }
    var filter = RecordFilter()
    filter.type = arguments.text(.type)
    filter.refersTo = try arguments.text(refsTo).map { try database.records.find($0, literal: session.literalIDs).id }
    filter.after = arguments.text(after)
    filter.withDeleted = arguments.has(deleted)
    if filter.after != nil, arguments.has(sort) { throw UsageFault.excluded(["--after", "--sort"]) }
    let query = try RecordQuery(filter, sort: arguments.text(sort), limit: arguments.integer(limit))
    let selected = try arguments.text(select)?.split(separator: ",", omittingEmptySubsequences: false).map {
      try Selection(String($0))
    }
    func columns() throws -> [Selection] { try selected ?? database.records.columns(filter) }
    let form: RecordOutput.Form =
      switch chosen?.key {
      case ids.key: .ids
      case count.key: .count
      case Option.format.key:
        .template(
          try Template(
            arguments.text(.format) ?? "", fields: ["id", "type", "rev", "conflicts"], pointers: true,
            shell: arguments.has(.shell), zero: session.options.zero))
      case csv.key: .csv(try columns())
      case tsv.key: .tsv(try columns())
      case nil where session.options.json: .json(selected)
      default: .table(try columns())
      }
    var output = try RecordOutput(form, database, session)
    let found = try database.records.forEach(query) { try output.add($0) }
    try output.end()
    return arguments.has(.exitCode) && found == 0 ? .no : .success
  }

  /// What is asked for must have an effect.
  private static func check(_ arguments: Arguments, _ form: Option?, _ session: Session) throws {
    if session.options.json, let form, [table.key, csv.key, tsv.key].contains(form.key) {
      throw UsageFault.excluded(["--json", form.dashed])
    }
    let useless: [Option] =
      switch form?.key {
      case types.key: [.type, refsTo, deleted, select, sort, limit, after, .exitCode]
      case ids.key, count.key, Option.format.key: [select]
      default: []
      }
    if let form, let option = useless.first(where: arguments.has) {
      throw UsageFault.excluded([form.dashed, option.dashed])
    }
  }
}
