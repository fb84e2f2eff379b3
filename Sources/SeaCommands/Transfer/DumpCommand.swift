import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// `sea dump`: records as a file for other programs.
enum DumpCommand: Command {
  static var title: Title {
    Title("dump", .transfer, .plumbing, needs: .database, "write records as a file for other programs")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--format=jsonl|json|csv|tsv|datastore|sqlite] [--compact] [-t TYPE] [--where=SQL] [-p NAME=VALUE]... [--deleted] "
        + "[--at=WHEN] [--assets=DIR] [-o FILE [--force]]",
      "--history [-t TYPE] [--assets=DIR] [-o FILE [--force]]",
    ]
  }
  static let forms = ["jsonl", "json", "csv", "tsv", "datastore", "sqlite"]
  static let format = Option(
    "format", nil, .choice(forms), "FORMAT", "the form of the file; unless given what the name of FILE says, or jsonl")
  static let condition = Option("where", nil, .text, "SQL", "only records for which SQL holds: see sea-query(7)")
  static let compact = Option("compact", help: "with --format=datastore: values without what follows by itself")
  static let history = Option("history", help: "every revision of every record, to be loaded as it is")
  static let assets = Option(
    "assets", nil, .directory, "DIR", "put the content of assets into DIR, in files called as their SHA-256")
  static var options: [Option] {
    [
      format, compact, history, .type, condition, QueryParameter.option, QueryCommand.deleted, .at, assets, .output,
      .force,
    ]
  }
  static var exits: [Exit] {
    [
      Exit(.badData, "SQL cannot be understood, or a type or property is mistyped"),
      Exit(.notFound, "--at names an operation that is not there"),
      Exit(
        .partial,
        "with --history: content was purged and is left out; with --assets: some is not on this device"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let file = arguments.outputFile
    let form = form(arguments, file)
    if arguments.has(.force), file == nil { throw UsageFault.needs(option: "--force", with: "-o") }
    if session.options.json, file == nil, form != "jsonl" { throw UsageFault.excluded(["--json", "--format=\(form)"]) }
    if arguments.has(compact), form != "datastore" {
      throw UsageFault.needs(option: "--compact", with: "--format=datastore")
    }
    if arguments.has(QueryCommand.deleted), form != "jsonl", form != "json" {
      throw UsageFault.excluded(["--format=\(form)", QueryCommand.deleted.dashed])
    }
    if arguments.has(history) { return try DumpHistory(session, arguments, file).run() }
    let query = try query(arguments)
    if form == "sqlite" {
      guard file != nil else { throw UsageFault.needs(option: "--format=sqlite", with: "\(Option.output.dashed)=FILE") }
      if arguments.has(.force) { throw UsageFault.excluded(["--format=sqlite", Option.force.dashed]) }
    }
    let database = try session.reading()
    let moment = try session.moment(arguments, database)
    if form == "sqlite", let file {
      try DumpTables(query, database).run(file, session, at: moment)
      return try AssetFiles.write(of: query, at: moment, session, arguments, database)
    }
    if let file { try DumpFile.check(file, form, session, arguments) }
    var kinds: DumpedKinds?
    try DumpFile.write(file, session, counting: "record") { target in
      let found = try database.atOneState(at: moment) {
        try database.queries.check(query, selecting: [])
        let form = try RecordOutput.Form.dump(form, query, database, isCompact: arguments.has(compact))
        var output = try RecordOutput(form, database, session, to: target, heading: DumpedKinds.name)
        kinds = form.dumpedColumns.map { DumpedKinds($0) }
        output.watch = kinds?.see
        output.meter = try database.queries.meter(query, file ?? "")
        let found = try output.add(query)
        try output.end()
        return found
      }
      session.terminal.tell(database.queries.notices)
      return found
    }
    for notice in kinds?.notices ?? [] { session.terminal.notice(notice) }
    return try AssetFiles.write(of: query, at: moment, session, arguments, database)
  }

  private static func query(_ arguments: Arguments) throws -> RecordQuery {
    let isDeleted = arguments.has(QueryCommand.deleted)
    if let query = try Selected.query(arguments) {
      if isDeleted { throw UsageFault.excluded([condition.dashed, QueryCommand.deleted.dashed]) }
      return query
    }
    var filter = RecordFilter()
    filter.type = arguments.text(.type)
    filter.withDeleted = isDeleted
    return try RecordQuery(filter)
  }
}
