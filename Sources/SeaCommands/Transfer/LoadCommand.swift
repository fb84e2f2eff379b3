import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// `sea load`: records from a file of another program.
enum LoadCommand: Command {
  static var title: Title {
    Title("load", .transfer, .porcelain, needs: [.database, .lock], "take in records from a file of another program")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--format=jsonl|json|csv|tsv|datastore|sqlite] [--table=NAME]... [-t TYPE] [--key=PATHS] "
        + "[--insert-only | --update-only | --replace] "
        + "[--replace-type] [--types=COLUMN:TYPE,...]... [--detect-types] [--map=OLD:NEW,...]... [--delimiter=SIGN] [--relaxed] "
        + "[--rejects=FILE] [--assets=DIR] [--chunk=N] [-n] [FILE|-]",
      "--history [--assets=DIR] [--chunk=N] [-n] [FILE|-]",
    ]
  }
  static let format = Option(
    "format", nil, .choice(DumpCommand.forms), "FORMAT",
    "the form of the file; unless given what its name or its beginning says, else jsonl")
  static let table = Option(
    "table", nil, .text, "NAME", "read this table of a SQLite file, and no other one", repeatable: true)
  static let key = Option("key", nil, .paths, "PATHS", "these properties say which record is meant, not its id")
  static let insertOnly = Option("insert-only", help: "leave records alone that are there")
  static let updateOnly = Option("update-only", help: "make no records")
  static let replace = Option("replace", help: "a record becomes what the input says: other properties are removed")
  static let types = Option(
    "types", nil, .text, "COLUMN:TYPE,...", "what the cells of these columns are", repeatable: true)
  static let detect = Option("detect-types", help: "columns of numbers, and of true and false, become that")
  static let map = Option(
    "map", nil, .text, "OLD:NEW,...", "other names for columns; none to leave one out", repeatable: true)
  static let delimiter = Option("delimiter", nil, .text, "SIGN", "what stands between the cells of CSV, such as ';'")
  static let relaxed = Option("relaxed", help: "allow short rows, empty cells at their end, and quotes within cells")
  static let rejects = Option("rejects", nil, .file, "FILE", "put what cannot be taken into FILE, and load the rest")
  static let assets = Option(
    "assets", nil, .directory, "DIR", "take the content of assets from DIR, as dump --assets has put it there")
  static let history = Option("history", help: "take in the revisions that dump --history has written")
  static var options: [Option] {
    [
      format, history, table, .type, key, insertOnly, updateOnly, replace, SetCommand.replaceType, types, detect, map,
      delimiter, relaxed, rejects, assets, PutCommand.chunk, .dryRun,
    ]
  }
  static var operands: [Operand] { [.optional("FILE|-", .file)] }
  static var exits: [Exit] {
    [
      Exit(.partial, "with --rejects: some records were not loaded; with --assets: a file is not what its name says"),
      Exit(.badData, "the input cannot be read, or has what cannot be stored; nothing was written"),
      Exit(.unreachable, "the folder of --assets is not there; nothing was written"),
      Exit(.refused, "a hook refused; nothing of the transaction was written"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if let folder = arguments.text(assets), try Path.statusFollowing(session.path(folder))?.kind != .directory {
      throw CommandError.nothingAt(folder)
    }
    let status = try arguments.has(history) ? LoadHistory(session, arguments).run() : load(session, arguments)
    guard !arguments.has(.dryRun), let database = session.database,
      var files = AssetFiles(arguments.text(assets), session, database)
    else { return status }
    return status.and(try files.take())
  }

  private static func load(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let input = try LoadInput(session, arguments)
    let mode = try arguments.only(of: [insertOnly, updateOnly, replace])
    let size = try PutCommand.chunkSize(arguments)
    var options = WriteBatch.Options()
    options.type = arguments.text(.type)
    if let type = options.type { try Name.check(type) }
    options.limits = try session.recordLimits()
    options.ignoresRevision = true
    options.isAddition = mode?.key != replace.key
    options.only = mode?.key == insertOnly.key ? .new : mode?.key == updateOnly.key ? .known : .all
    let paths = try arguments.text(key)?.split(separator: ",").map { try PropertyPath(String($0)) } ?? []
    if !paths.isEmpty, options.type == nil { throw UsageFault.needs(option: key.dashed, with: Option.type.dashed) }
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: Self.self)
    try session.tell(newType: options.type, in: database)
    func load() throws -> ExitStatus {
      if let type = options.type, !paths.isEmpty {
        let keys = try LoadKeys(paths, type: type, database)
        options.identify = { body, type, given in try keys.id(of: body, type: type, given: given) }
      }
      let source = try input.source(options)
      source.tellColumns(hasKey: !paths.isEmpty, session)
      let run = LoadRun(
        session, database, input.name, source, options, isDry: isDry,
        mayReplaceType: arguments.has(SetCommand.replaceType), rejects: arguments.text(rejects),
        guessesForm: input.guessesForm)
      return try run.run(size: size)
    }
    // Nobody makes a record of the same key in between.
    return try paths.isEmpty ? load() : database.locked(load)
  }
}
