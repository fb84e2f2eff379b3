import SeaCore
import SeaEngine
import SeaSystem

enum LoadCommand: Command {
  static var title: Title {
    Title("load", .transfer, .porcelain, needs: [.database, .lock], "load records from a file of another program")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--format=jsonl|json|csv|tsv|datastore|sqlite|xlsx] [--table=NAME]... [--sheet=NAME] [-t TYPE] [--key=PATHS] "
        + "[--insert-only | --update-only | --replace] [--replace-type] [--create] "
        + "[--types=COLUMN:TYPE,...]... [--detect-types] [--map=OLD:NEW,...]... [--skip-unnamed] [--foreign] "
        + "[--delimiter=SIGN] [--encoding=ENCODING] [--relaxed] "
        + "[--rejects=FILE] [--assets=DIR] [--chunk=N] [-n] [FILE|-]",
      "--history [--assets=DIR] [--chunk=N] [-n] [FILE|-]",
    ]
  }
  static let format = Option(
    "format", nil, .choice(DumpCommand.forms + ["xlsx"]), "FORMAT",
    "set the file format (default: from the name or content of FILE, else jsonl)")
  static let table = Option("table", nil, .text, "NAME", "read only this table of a SQLite file", repeatable: true)
  static let sheet = Option("sheet", nil, .text, "NAME", "read this sheet of a workbook (default: the first)")
  static let key = Option("key", nil, .paths, "PATHS", "identify records by these properties instead of ids")
  static let insertOnly = Option("insert-only", help: "skip records that already exist")
  static let updateOnly = Option("update-only", help: "skip records that do not exist yet")
  static let replace = Option("replace", help: "remove properties that the input does not have")
  static let types = Option(
    "types", nil, .text, "COLUMN:TYPE,...", "set the types of columns, such as seen:day[%d.%m.%Y]", repeatable: true)
  static let detect = Option("detect-types", help: "detect columns of numbers, of days, and of true and false")
  static let map = Option(
    "map", nil, .text, "OLD:NEW,...", "rename columns or JSON keys (empty NEW: leave out)", repeatable: true)
  static let skipUnnamed = Option("skip-unnamed", help: "leave out columns without a name")
  static let foreign = Option("foreign", help: "accept ids and names of other programs, such as _uuid")
  static let delimiter = Option(
    "delimiter", nil, .text, "SIGN", "set the separator of CSV, such as ';' (default: detected)")
  static let encoding = Option(
    "encoding", nil, .choice(TextEncoding.names), "ENCODING", "set the encoding of the text (default: utf-8)")
  static let relaxed = Option("relaxed", help: "allow short rows, empty cells at their end, and quotes within cells")
  static let rejects = Option("rejects", nil, .file, "FILE", "write invalid input to FILE, and load the rest")
  static let assets = Option("assets", nil, .directory, "DIR", "read assets from DIR, as written by dump --assets")
  static let history = Option("history", help: "load revisions written by dump --history")
  static var options: [Option] {
    [
      format, history, table, sheet, .type, key, insertOnly, updateOnly, replace, SetCommand.replaceType,
      PutCommand.create, types, detect, map, skipUnnamed, foreign, delimiter, encoding, relaxed, rejects, assets,
      PutCommand.chunk, .dryRun,
    ]
  }
  static var operands: [Operand] { [.optional("FILE|-", .file)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "a reference matches several records; nothing was written"),
      Exit(.partial, "with --rejects: some records were not loaded; with --assets: a file does not match its name"),
      Exit(.badData, "the input is invalid, has values that cannot be stored, or breaks a rule; nothing was written"),
      Exit(.unreachable, "the folder of --assets does not exist; nothing was written"),
      Exit(.refused, "a hook refused, or sea-read-xlsx is missing; nothing of the transaction was written"),
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
    return status.and(try files.importMissing())
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
    if arguments.has(PutCommand.create), let mode, mode.key != replace.key {
      throw UsageFault.excluded([PutCommand.create.dashed, mode.dashed])
    }
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: Self.self)
    try session.noticeNewType(options.type, in: database)
    func load() throws -> ExitStatus {
      if let type = options.type, !paths.isEmpty {
        let keys = try LoadKeys(paths, type: type, database)
        options.identify = { body, type, given in try keys.id(of: body, type: type, given: given) }
      }
      input.prepare(&options)
      if !session.literalIDs {
        options.find(NamedTargets(database.records, creates: arguments.has(PutCommand.create)))
      }
      let source = try input.source(options)
      source.noticeColumns(hasKey: !paths.isEmpty, session)
      let run = LoadRun(
        session, database, input, source, options, isDry: isDry,
        mayReplaceType: arguments.has(SetCommand.replaceType), rejects: arguments.text(rejects))
      return try run.run(size: size)
    }
    // The lock prevents other programs from creating a record with the same key in the meantime.
    return try paths.isEmpty && !arguments.has(PutCommand.create) ? load() : database.locked(load)
  }
}

/// Finds the record for a key: an existing record with these values, or a new record whose id is derived from the
/// values. Two instances that load the same file therefore create the same records.
final class LoadKeys {
  private let paths: [PropertyPath]
  private let type: String
  private let database: Database
  /// Maps digests of keys to ids. Equal numbers have the same digest, however they are written.
  private let known: KnownIDs

  init(_ paths: [PropertyPath], type: String, _ database: Database) throws {
    (self.paths, self.type, self.database) = (paths, type, database)
    known = try KnownIDs(database.records)
    let filter = RecordFilter(type: type)
    try database.queries.forEach(RecordQuery(filter)) { view in
      guard let body = view.body, let key = try body.withUnsafeBufferPointer({ try digest($0) }).same else { return }
      try known.add(view.id, for: key)
    }
  }

  /// - Parameters:
  ///   - body: the new content of the record.
  ///   - given: the id of the record in the input, which is used if no record has the key.
  func id(of body: UnsafeBufferPointer<UInt8>, type: String?, given: String?) throws -> String {
    if let type, !UTF8Text.equal(type, self.type) { throw TableFault.otherType(have: type, want: self.type) }
    let (same, exact, missing) = try digest(body)
    guard let same, let exact else {
      throw TableFault.emptyKey(missing, similar: Similarity.nearest(to: missing, among: try LoadKeys.names(body)))
    }
    let all = try known[same]
    if all.count > 1 { throw TableFault.severalOfKey(paths.map(\.description).joined(separator: ","), all) }
    if let only = all.first { return only }
    let id = try given ?? unused(exact)
    try known.add(id, for: same)
    return id
  }

  private static func names(_ body: UnsafeBufferPointer<UInt8>) throws -> [String] {
    var cursor = CBORCursor(body)
    return try (0..<cursor.count(5, least: 2)).map { _ in
      let name = String(decoding: try cursor.text(), as: UTF8.self)
      try cursor.skipValue()
      return name
    }
  }

  /// Returns the id derived from a key. If a record with this id now has a different key, returns the next free derived
  /// id.
  private func unused(_ key: Digest) throws -> String {
    var key = key
    while true {
      let id = UUID(version: 8, from: key).description
      guard let view = try database.records.view(id), view.body != nil else { return id }
      key = SHA256.hash(Array(key.description.utf8))
    }
  }

  /// Returns two digests of the type and the key: one that is the same for equal values, and one that is the same only
  /// for equal bytes. Both are nil if a key value is missing.
  private func digest(_ body: UnsafeBufferPointer<UInt8>) throws -> (same: Digest?, exact: Digest?, missing: String) {
    var same = ByteWriter(capacity: 128)
    var exact = ByteWriter(capacity: 128)
    same.cborText(type)
    exact.cborText(type)
    for path in paths {
      guard let range = try path.find(in: body), body[range.lowerBound] != 0xF6 else {
        return (nil, nil, path.description)
      }
      let value = UnsafeBufferPointer(rebasing: body[range])
      same.cborText(path.description)
      exact.cborText(path.description)
      exact.append(value)
      if let number = try SortKey.number(value) {
        // No encoded value begins with this byte.
        same.byte(0xFF)
        same.append(number)
      } else {
        same.append(value)
      }
    }
    return (SHA256.hash(same.array()), SHA256.hash(exact.array()), "")
  }
}

final class LoadHistory {
  private let session: Session
  private let name: String
  private let operand: String
  private let size: Int
  private let isDry: Bool
  private var counts = (created: 0, unchanged: 0)

  init(_ session: Session, _ arguments: Arguments) throws {
    let allowed = [LoadCommand.history, PutCommand.chunk, .dryRun, LoadCommand.format, LoadCommand.assets].map(\.key)
    if let useless = LoadCommand.options.first(where: { !allowed.contains($0.key) && arguments.has($0) }) {
      throw UsageFault.excluded([LoadCommand.history.dashed, useless.dashed])
    }
    if let form = arguments.text(LoadCommand.format), form != "jsonl" {
      throw UsageFault.excluded([LoadCommand.history.dashed, "--format=\(form)"])
    }
    self.session = session
    operand = arguments.operand(0) ?? "-"
    name = operand == "-" ? "standard input" : operand
    size = try PutCommand.chunkSize(arguments)
    isDry = arguments.has(.dryRun)
  }

  func run() throws -> ExitStatus {
    let reader = DocumentReader(name, try session.reader(operand))
    let database = isDry ? try session.reading() : try session.writing(as: LoadCommand.self)
    let waited = try database.records.countWaiting()
    do { try load(reader, into: database) } catch let error as CommandError where counts != (0, 0) && !isDry {
      try report()
      throw CommandError.afterChunks(error)
    }
    try report()
    let waiting = try isDry ? 0 : database.records.countWaiting() - waited
    if waiting > 0 {
      let what = Count(waiting, "revision")
      session.terminal.warning("waiting", "\(what) cannot be shown: earlier revisions are missing in the input")
      return .partial
    }
    return .success
  }

  private func load(_ reader: DocumentReader, into database: Database) throws {
    var isOver = false
    while !isOver {
      // Input may arrive slowly, so read it before taking the lock.
      var lines: [(input: RecordInput, body: [UInt8], line: Int)] = []
      var bytes = 0
      while !isOver, lines.count < size {
        isOver = try !reader.next { tape, text in
          var writer = ByteWriter()
          let input = try encodeRecord(tape, text, into: &writer, limits: LoadHistory.limits)
          lines.append((input, Array(writer.bytes[input.body]), reader.line))
          bytes += writer.count
          guard lines.count <= Payload.mostItems else { throw KitError.tooManyChanges(lines.count) }
          guard bytes <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: lines.count) }
        }
      }
      var counts = counts
      try database.records.importHistory(label: "load", dryRun: isDry) { open in
        for (input, body, line) in lines {
          do {
            let isNew = try body.withUnsafeBufferPointer { try open.add(input, $0) }
            if isNew { counts.created += 1 } else { counts.unchanged += 1 }
          } catch let error as KitError {
            throw CommandError.input(name: name, line: line, column: 1, error)
          }
        }
      }
      self.counts = counts
    }
  }

  private func report() throws {
    let item: Item = [
      "file": .text(name), "created": .integer(counts.created), "updated": .integer(0),
      "unchanged": .integer(counts.unchanged), "deleted": .integer(0), "skipped": .integer(0), "rejected": .integer(0),
    ]
    try session.terminal.report("loaded", item) {
      "\(name): \(Count(counts.created, "new revision")), \(counts.unchanged) unchanged"
    }
  }

  /// Revisions were valid where they were written, so the limits of this instance do not apply.
  private static var limits: RecordLimits {
    var limits = RecordLimits(maxData: DocumentReader.longest)
    limits.isHistory = true
    return limits
  }
}
