import SeaCore
import SeaEngine
import SeaSystem

enum DumpCommand: Command {
  static var title: Title {
    Title("dump", .transfer, .plumbing, needs: .database, "write records to a file for other programs")
  }
  static var stopsWell: Bool { true }
  static var printsJSON: Bool { true }
  static var synopsis: [String] {
    [
      "[--format=jsonl|json|csv|tsv|datastore|sqlite] [--compact] [--select=PATHS] "
        + "\(CSVStyle.synopsis) [-t TYPE]... [--where=SQL] [-p NAME=VALUE]... [--deleted] "
        + "[--at=WHEN] [--assets=DIR [--asset-name=NAME]] [-o FILE [--force]]",
      "--history [-t TYPE]... [--assets=DIR] [-o FILE [--force]]",
    ]
  }
  static let forms = ["jsonl", "json", "csv", "tsv", "datastore", "sqlite"]
  static let format = Option(
    "format", nil, .choice(forms), "FORMAT", "set the file format (default: from the name of FILE, else jsonl)")
  static let condition = Option(
    "where", nil, .text, "SQL", "write only records that match the condition; see sea-query(7)")
  static let compact = Option("compact", help: "with --format=datastore: omit values that can be derived")
  static let history = Option("history", help: "write every revision of every record, for load --history")
  static let assets = Option("assets", nil, .directory, "DIR", "write assets to DIR, in files named by their digest")
  static let assetName = Option(
    "asset-name", nil, .text, "NAME", "name the files in DIR, for example '%(_id)-%(name)%(ext)'")
  static var options: [Option] {
    [
      format, compact, history, .recordTypes, condition, QueryParameter.option, QueryCommand.deleted, .at, assets,
      assetName,
      .output,
      .force, QueryCommand.select,
    ] + CSVStyle.options
  }
  static var exits: [Exit] {
    [
      Exit(.badData, "invalid condition, or unknown type or property"),
      Exit(.notFound, "no such operation"),
      Exit(.partial, "with --history: purged content is left out; with --assets: some are not on this device"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let file = arguments.outputFile
    let form = form(arguments, file)
    if arguments.has(.force), file == nil { throw UsageFault.needs(option: "--force", with: "-o") }
    if session.options.json, file == nil, form != "jsonl" { throw UsageFault.excluded(["--json", "--format=\(form)"]) }
    if session.options.plain, form != "jsonl" && form != "json" || arguments.has(history) {
      let other = arguments.has(history) ? history.dashed : "--format=\(form)"
      throw UsageFault.excluded([GlobalOptions.plainValues.dashed, other])
    }
    if arguments.has(compact), form != "datastore" {
      throw UsageFault.needs(option: "--compact", with: "--format=datastore")
    }
    if arguments.has(QueryCommand.deleted), form != "jsonl", form != "json" {
      throw UsageFault.excluded(["--format=\(form)", QueryCommand.deleted.dashed])
    }
    let style = try CSVStyle(arguments, needs: "--format=csv", form == "csv")
    if arguments.has(QueryCommand.select), form != "csv", form != "tsv" {
      throw UsageFault.needs(option: QueryCommand.select.dashed, with: "--format=csv")
    }
    if arguments.has(history) { return try DumpHistory(session, arguments, file).run() }
    let names = try arguments.text(assetName).map { try AssetNames($0) }
    if names != nil, !arguments.has(assets) { throw UsageFault.needs(option: assetName.dashed, with: assets.dashed) }
    let query = try query(arguments)
    if form == "sqlite" {
      guard file != nil else { throw UsageFault.needs(option: "--format=sqlite", with: "\(Option.output.dashed)=FILE") }
      if arguments.has(.force) { throw UsageFault.excluded(["--format=sqlite", Option.force.dashed]) }
    }
    let database = try session.reading()
    let moment = try session.moment(arguments, database)
    if form == "sqlite", let file {
      try DumpTables(query, database).run(file, session, at: moment, naming: names)
      return try AssetFiles.write(of: query, at: moment, names, session, arguments, database)
    }
    if let file { try DumpFile.check(file, form, session, arguments) }
    var kinds: DumpedKinds?
    try DumpFile.write(file, session, counting: "record") { target in
      let found = try database.atOneState(at: moment) {
        let selected = try QueryCommand.selection(arguments, query, database)
        try database.queries.check(query, selecting: (selected ?? []) + (names?.selections() ?? []))
        let form = try RecordOutput.Form.dump(form, query, database, isCompact: arguments.has(compact), selected)
        var output = try RecordOutput(
          form, database, session, to: target, csv: style, heading: DumpedKinds.name)
        kinds = form.dumpedColumns.map { DumpedKinds($0, style) }
        output.watch = kinds?.see
        output.meter = try database.queries.meter(query, file ?? "")
        let found = try output.add(query)
        try output.end()
        return found
      }
      session.terminal.report(database.queries.notices)
      return found
    }
    for notice in kinds?.notices ?? [] { session.terminal.notice(notice) }
    return try AssetFiles.write(of: query, at: moment, names, session, arguments, database)
  }

  private static func query(_ arguments: Arguments) throws -> RecordQuery {
    let isDeleted = arguments.has(QueryCommand.deleted)
    if let query = try Selected.query(arguments) {
      if isDeleted { throw UsageFault.excluded([condition.dashed, QueryCommand.deleted.dashed]) }
      return query
    }
    var filter = RecordFilter()
    filter.types = arguments.texts(.recordTypes)
    filter.withDeleted = isDeleted
    return try RecordQuery(filter)
  }
}

/// The kinds of values in each column of a dumped table. To restore them, `load` needs the types, because it reads
/// every cell as text.
final class DumpedKinds {
  private let names: [String]
  private let style: CSVStyle
  private var seen: [ForeignKinds]

  init(_ columns: [Selection], _ style: CSVStyle) {
    self.style = style
    names = columns.map(DumpedKinds.name)
    seen = Array(repeating: [], count: columns.count)
  }

  static func name(_ column: Selection) -> String { column.plainProperty ?? column.text }

  func see(_ column: Int, _ value: UnsafeBufferPointer<UInt8>) throws {
    switch value.first.map({ $0 >> 5 }) {
    case 0, 1: seen[column].insert(.integer)
    case 2: seen[column].insert(.data)
    case 3: seen[column].insert(.text)
    case 4: seen[column].insert(.other)
    default:
      let value = try Value.decode(value: value).unlabeled
      if case .null = value { return }
      if case .reference = value {
        seen[column].insert(.reference)
      } else {
        seen[column].formUnion(ForeignKinds(value))
      }
    }
  }

  var notices: [String] {
    var types: [String] = []
    var lost: [String] = []
    for (name, kinds) in zip(names, seen) where !kinds.isEmpty && kinds != .text {
      // Commas separate the columns in this option, so a column whose name contains a comma is left out.
      if let type = CellType(of: kinds), !name.utf8.contains(0x2C) {
        let isLocal = style.decimal != 0x2E && !kinds.isDisjoint(with: [.double, .decimal])
        types.append("\(name):\(type.rawValue)" + (isLocal ? "[1234,5]" : ""))
      } else {
        lost.append("'\(name)'")
      }
    }
    var notices: [String] = []
    if !types.isEmpty {
      var options = ["\(LoadCommand.types.dashed)=" + types.joined(separator: ",")]
      if style.delimiter != 0x2C {
        options.insert("\(LoadCommand.delimiter.dashed)=\(ColumnSigns.name(style.delimiter))", at: 0)
      }
      let words = options.map(Escape.shellWord).joined(separator: " ")
      notices.append("this file has no types; to load it again, use: sea load \(words)")
    }
    if !lost.isEmpty {
      notices.append(
        "these values become text when loaded again: \(lost.joined(separator: ", ")); to keep their types, use --format=jsonl"
      )
    }
    return notices
  }
}

extension CellType {
  fileprivate init?(of kinds: ForeignKinds) {
    switch kinds {
    case .integer, .double, [.integer, .double]: self = .number
    case .large, [.large, .integer]: self = .int
    case .bool: self = .bool
    case .decimal: self = .decimal
    case .date: self = .date
    case .day: self = .day
    case .data: self = .data
    case .reference: self = .ref
    case .counter: self = .counter
    case .set: self = .set
    case .other: self = .json
    default: return nil
    }
  }
}

/// Writes each revision as a JSON object on a line, for `sea dump --history`.
struct DumpHistory {
  private let session: Session
  private let arguments: Arguments
  private let types: [String]
  private let file: String?
  private let assets: String?

  init(_ session: Session, _ arguments: Arguments, _ file: String?) throws {
    let useless = [
      DumpCommand.condition, QueryParameter.option, QueryCommand.deleted, .at, DumpCommand.assetName,
    ].first(where: arguments.has)
    if let useless { throw UsageFault.excluded([DumpCommand.history.dashed, useless.dashed]) }
    let form = DumpCommand.form(arguments, file)
    if form != "jsonl", form != "json" || arguments.has(DumpCommand.format) {
      throw UsageFault.excluded([DumpCommand.history.dashed, "--format=\(form)"])
    }
    self.arguments = arguments
    self.session = session
    self.file = file
    types = arguments.texts(.recordTypes)
    assets = arguments.text(DumpCommand.assets)
  }

  func run() throws -> ExitStatus {
    let database = try session.reading()
    if let file { try DumpFile.check(file, "jsonl", session, arguments) }
    var purged = 0
    try DumpFile.write(file, session, counting: "revision") { output in
      var found = 0
      var writer = ByteWriter()
      let meter = WorkMeter(session.terminal.workReport, .writing, file ?? "") { nil }
      try database.atOneState(at: nil) {
        try database.records.forEachRevision(types: types) { one in
          if one.isPurged {
            purged += 1
            return
          }
          try session.host.checkStop()
          writer.truncate(to: 0)
          try one.writeJSON(into: &writer)
          writer.byte(0x0A)
          try output.write(UnsafeRawBufferPointer(writer.bytes))
          found += 1
          meter?.add()
        }
      }
      if purged > 0 {
        session.terminal.warning("purged", "\(Count(purged, "revision")) left out because the content was purged")
      }
      return found
    }
    let status = try writeAssets(database)
    return purged > 0 ? .partial : status
  }

  private func writeAssets(_ database: Database) throws -> ExitStatus {
    guard var files = AssetFiles(assets, session, database) else { return .success }
    var selection = AssetSelection()
    selection.withHistory = true
    selection.filter.types = types
    try database.assets.forEach(selection) { try files.write($0) }
    return files.end()
  }
}

/// Writes one table per type with one column per property, for `sea dump --format=sqlite`.
///
/// Reads the records twice, because the values of a property determine the type of its column.
final class DumpTables {
  private let query: RecordQuery
  private let database: Database
  private var tables: [ExactName: Table] = [:]

  /// Counts each record twice: once per pass.
  private var meter: WorkMeter?

  private struct Table {
    var kinds: [ExactName: ForeignKinds] = [:]
    var number = 0
    var columns: [ExactName: (place: Int, form: ForeignForm)] = [:]
  }

  private static let mostColumns = 2000

  init(_ query: RecordQuery, _ database: Database) { (self.query, self.database) = (query, database) }

  /// Creates the file completely or not at all. Never replaces an existing database, because other programs may have it
  /// open and would apply its journal files to the new one.
  func run(_ name: String, _ session: Session, at moment: Moment?, naming names: AssetNames?) throws {
    let path = session.path(name)
    try Location.checkWritable(path)
    for end in ["", "-journal", "-wal"] where try Path.exists(path + end) {
      throw CommandError.tables(file: name + end, .exists)
    }
    let file = try AtomicFile(path)
    do {
      let found = try database.atOneState(at: moment) {
        try database.queries.check(query, selecting: names?.selections() ?? [])
        meter = try database.queries.meter(query, name, times: 2)
        return try write(to: ForeignFiles.create(file.temporaryPath))
      }
      try file.commit(replace: false)
      session.terminal.report(database.queries.notices)
      try session.terminal.report("dumped", ["file": .text(name), "records": .integer(found)]) {
        "\(name): \(Count(found, "record"))"
      }
    } catch let fault as TablesFault {
      throw CommandError.tables(file: name, fault)
    }
  }

  private func write(to writer: any ForeignWriter) throws -> Int {
    _ = try forEach { [self] _, type, members in
      var table = tables.removeValue(forKey: type) ?? Table()
      for (name, value) in members.entries { table.kinds[ExactName(name), default: []].formUnion(ForeignKinds(value)) }
      tables[type] = table
    }
    var names = PlainNames()
    for type in tables.keys.sorted(by: { UTF8Text.less($0.text, $1.text) }) {
      try begin(type, type.text.isEmpty ? SQLiteSource.untyped : names.name(type.text), writer)
    }
    let count = try forEach { [self] id, type, members in
      guard let table = tables[type] else { return }
      writer.set(table.number, 0, .text(id))
      for (name, value) in members.entries {
        guard let column = table.columns[ExactName(name)] else { continue }
        try column.form.cell(value) { writer.set(table.number, column.place, $0) }
      }
      try writer.insert(table.number)
    }
    try writer.end()
    return count
  }

  private func begin(_ type: ExactName, _ name: String, _ writer: any ForeignWriter) throws {
    var names = PlainNames()
    var columns = [(name: "_id", declared: "TEXT")]
    guard var table = tables[type] else { return }
    for (name, kinds) in table.kinds.sorted(by: { Members.precedes($0.key.text, $1.key.text) }) {
      let form = ForeignForm(kinds)
      table.columns[name] = (columns.count, form)
      columns.append((names.name(name.text), form.declared))
    }
    guard columns.count <= DumpTables.mostColumns else {
      throw TablesFault.tooManyColumns(type: type.text, columns.count - 1, most: DumpTables.mostColumns - 1)
    }
    table.number = try writer.add(table: name, columns)
    tables[type] = table
  }

  private func forEach(
    _ body: @escaping (_ id: UnsafeBufferPointer<UInt8>, _ type: ExactName, _ members: Members) throws -> Void
  ) throws -> Int {
    try database.queries.forEachInPlace(
      query,
      { [self] record in
        defer { meter?.add() }
        let members = try record.body.flatMap { try Value.decode(body: $0).members } ?? Members()
        try body(record.id, ExactName(record.type.map { String(decoding: $0, as: UTF8.self) } ?? ""), members)
      },
      { [self] view in
        defer { meter?.add() }
        let members = try view.body.flatMap { try $0.withUnsafeBufferPointer { try Value.decode(body: $0) }.members }
        var id = view.id
        try id.withUTF8 { try body($0, ExactName(view.type ?? ""), members ?? Members()) }
      })
  }
}

/// Creates names that SQLite can distinguish. A name gets a prefix such as `_1:` if it is reserved or differs from an
/// earlier name only in case. No type or property begins with such a prefix.
private struct PlainNames {
  private var taken: Set<[UInt8]> = []

  mutating func name(_ name: String) -> String {
    func folded(_ name: String) -> [UInt8] { name.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
    var found = name
    var number = 1
    while folded(found).starts(with: "sqlite_".utf8) || !taken.insert(folded(found)).inserted {
      found = "_\(number):\(name)"
      number += 1
    }
    return found
  }
}

/// A name that is compared by its bytes. Swift considers strings equal if they differ only in Unicode normalization.
private struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: ExactName, b: ExactName) -> Bool { UTF8Text.equal(a.text, b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
