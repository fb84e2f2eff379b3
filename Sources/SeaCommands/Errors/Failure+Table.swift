import SeaCore
import SeaEngine

extension CommandError {
  static func row(_ name: String, _ line: Int, _ column: Int, _ fault: TableFault, _ cell: String?) -> Failure {
    let place = cell.map { " \($0)" } ?? "\(line):\(column)"
    return Failure(
      .badData, "\(name):\(place): \(fault.words)", hint: fault.hint, ["file": name],
      numbers: ["line": line, "column": column])
  }

  static func json(
    _ id: String, _ path: String, _ column: Int, _ inner: Failure, _ excerpt: String?, _ meant: String?
  ) -> Failure {
    let set = meant.map {
      "to write a set, use \(Escape.shellWord($0)); to add one element, use \(Escape.shellWord("\(path):set+=TEXT"))"
    }
    return Failure(
      inner.kind,
      "\(id) \(path): invalid JSON at byte \(column): \(inner.message)" + (excerpt.map { ": \($0)" } ?? ""),
      hint: set ?? inner.hint ?? "to set text, use \(Escape.shellWord(path))=TEXT",
      ["id": id, "path": path])
  }
}

extension Failure {
  static func row(_ file: String, _ obstacle: BundleObstacle) -> Failure {
    let (what, way) =
      switch obstacle {
      case .other: ("", "")
      case .foreign(let database): (", a bundle of database \(database.description.prefix(8))", "")
      case .ahead:
        (
          ", a bundle with blocks not stored in this database",
          "to import them, run: sea import \(Escape.shellWord(file)); "
        )
      case .whole: (", a full bundle, and this one would be incremental", "")
      }
    return Failure(
      .exists, "file '\(file)' already exists\(what); nothing was written", hint: way + "to replace it, use --force",
      ["path": file])
  }

  static func workbook(_ file: String, _ fault: WorkbookFault) -> Failure {
    switch fault {
    case .noProgram:
      Failure(
        .refused, "cannot read '\(file)': the program sea-read-xlsx is not installed",
        hint: "save the table as CSV, then run: sea load FILE.csv", ["file": file])
    case .unreadable(let reason): Failure(.badData, "\(file): \(reason)", ["file": file])
    }
  }

  static func tables(_ file: String, _ fault: TablesFault) -> Failure {
    switch fault {
    case .noFile(let form): Failure(.usage, "--format=\(form) needs a file, not \(file)")
    case .noTable(let table):
      Failure(.badData, "\(file): table '\(table)' does not exist", ["file": file, "table": table])
    case .noType(let table):
      Failure(
        .badData, "\(file): the name of table '\(table)' is not a valid type",
        hint: "to set the type, use --table=\(Escape.shell(table)) -t TYPE", ["file": file, "table": table])
    case .exists:
      Failure(.exists, "file '\(file)' already exists", hint: "SQLite output needs a new file", ["file": file])
    case .tooManyColumns(let type, let count, let most):
      Failure(
        .badData, "\(file): type '\(type)' has \(count) properties, more than a table can hold (\(most))",
        hint: "use --format=jsonl", ["file": file, "type": type])
    case .several(let option):
      Failure(
        .usage, "\(file) has several tables, but '\(option.dashed)' is for one", hint: "to choose it, use --table=NAME",
        ["file": file])
    }
  }
}

extension ForeignPlace {
  func failure(_ error: any Error) -> Failure {
    let inner =
      switch error {
      case let fault as TableFault: Failure(.badData, fault.words, hint: fault.hint)
      case let fault as ForeignFault: Failure(.badData, fault.words, hint: fault.hint(file))
      default: Failure.describing(error)
      }
    let place = [table.map { "table '\($0)'" }, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: ", ")
    var failure = inner.within("\(file): \(place)\(place.isEmpty ? "" : ": ")\(inner.message)")
    if let table { failure.details.insert(("table", table), at: 0) }
    failure.details.insert(("file", file), at: 0)
    if let row { failure.numbers = [("row", row)] }
    return failure
  }
}

extension ForeignFault {
  fileprivate var words: String {
    switch self {
    case .notSQLite: "not a SQLite file"
    case .ownDatabase: "this is the database in use"
    case .unfinished(let path): "incomplete without '\(path)'"
    case .changed: "the file was changed while it was read"
    case .busy: "locked by another program"
    case .unreadable(let words): "SQLite cannot read the file: \(words)"
    case .tooMuch: "the table definitions take too much memory or time"
    case .endless: "damaged: its pages form a loop"
    case .badName: "the name of a table or column is not Unicode"
    case .badText: "text that is not Unicode"
    }
  }

  fileprivate func hint(_ file: String) -> String? {
    switch self {
    case .unfinished, .changed:
      "to make a copy that can be loaded, run: sqlite3 \(Escape.shell(file)) '.backup copy.db'"
    case .unreadable: "to check the file, run: sqlite3 \(Escape.shell(file)) 'PRAGMA integrity_check'"
    default: nil
    }
  }
}

extension CommandError {
  /// Describes an error that occurred after some transactions had already been written.
  static func afterWrittenTransactions(_ failure: Failure) -> Failure {
    var failure = failure
    let hint = failure.hint.map { text in
      text.hasPrefix(TableFault.nothing) ? String(text.dropFirst(TableFault.nothing.count)) : text
    }
    failure.hint = "earlier transactions were kept" + (hint.map { "; \($0)" } ?? "")
    return failure
  }
}

extension TableFault {
  var words: String {
    switch self {
    case .oneColumn(let mark): "only one column, whose name contains \(TableFault.mark(mark))"
    case .noHeader: "the header line is missing"
    case .severalSigns(let marks):
      "columns could be separated by \(marks.map(TableFault.mark).joined(separator: " or "))"
    case .duplicateColumn(let name, _): "duplicate column '\(name)'"
    case .unnamedColumn(let column): "column \(column) has no name"
    case .badColumn(let name, let fault):
      "invalid column: \(Failure.describing(CoreError.badName(fault, name)).message)"
    case .noSuchColumn(let name, _): "unknown column '\(name)'"
    case .uneven(let have, let want): "\(Count(have, "cell")), but the first line has \(want)"
    case .quoteInside: "quote inside an unquoted cell"
    case .textAfterQuote: "text after the closing quote"
    case .unclosedQuote: "unclosed quote"
    case .badEscape: "invalid C escape"
    case .carriageReturn: "carriage return without line feed outside quotes"
    case .nul: "a NUL byte"
    case .notUTF8: "not UTF-8"
    case .utf16: "UTF-16 without a byte order mark"
    case .badUTF16: "invalid UTF-16"
    case .tooLong(let limit): "a record is longer than \(limit) bytes"
    case .badName(let name, let fault): Failure.describing(CoreError.badName(fault, name)).message
    case .emptyID: "_id is empty"
    case .emptyKey(let path, _): "the record has no key property \(path)"
    case .otherType(let have, let want): "the record has type '\(have)', but --key expects type '\(want)'"
    case .severalOfKey(let key, let ids):
      "\(Count(ids.count, "record")) have the key \(key): \(ids.joined(separator: " "))"
    case .badCell(let column, let type, let text, .form, _): "\(column): not a value of type \(type): \(text)"
    case .badCell(let column, _, let text, .skipped(let zone), _):
      "\(column): this time does not exist in \(zone), because clocks were moved forward: \(text)"
    case .badCell(let column, _, let text, .repeated(let zone), _):
      "\(column): this time exists twice in \(zone), because clocks were moved back: \(text)"
    case .otherKind(let id, let column, let have, _): "\(id) \(column) is \(have), not text"
    case .errorCell(let column, let text): "\(column): the cell has the error \(text)"
    case .dataTooLong(let column): "\(column): data exceeds core.maxDataSize"
    case .noUnicode(let column): "\(column): text that is not Unicode"
    case .noKeyValue(let column): "\(column): cannot derive an id from this primary key"
    case .mixedKey(let column, let kinds):
      "\(column): primary keys of several kinds could yield the same id: \(kinds.joined(separator: ", "))"
    }
  }

  /// The allowed content of cells of each type, unless the type has a form.
  private static let forms = [
    "day": Failure.days, "date": "use 2026-08-22T03:41:00Z or 2026-08-22", "bool": "use true, false, 1 or 0",
    "number": Failure.point, "decimal": Failure.point, "int": "use digits without groups: 1234",
  ]

  /// Names the option that reads such cells.
  private static func otherForm(_ column: String, _ type: String, _ proposals: [String]) -> String? {
    let examples = [
      "day": "day[%d.%m.%Y]", "date": "date[%d.%m.%Y %H:%M, Europe/Zurich]", "bool": "bool[yes/no]",
      "number": "number[1.234,50]", "decimal": "decimal[1.234,50]", "int": "int[1.234]",
    ]
    func option(_ type: String) -> String { Escape.shellWord("--types=\(column):\(type)") }
    if proposals.isEmpty { return examples[type].map { "to read other forms, use for example \(option($0))" } }
    let zone = proposals.contains { $0.hasSuffix(", UTC]") } ? ", or with another time zone" : ""
    return "to read this form, use " + proposals.map(option).joined(separator: " or ") + zone
  }

  static let nothing = "nothing was loaded; "

  static func mark(_ mark: String) -> String { mark == "\t" ? "tabs" : "'\(mark)'" }

  var hint: String? {
    switch self {
    case .quoteInside: "quote the cell and double the inner quote; to read the cell literally, use --relaxed"
    case .utf16: Failure.recoding(TextEncoding.utf16.rawValue)
    case .notUTF8(let likely): likely.map { Failure.recoding($0.rawValue) }
    case .oneColumn("\t"): "for tab-separated columns, use --format=tsv; for a single column, use --delimiter=,"
    case .oneColumn(let mark):
      "to separate columns by it, use --delimiter='\(mark)'; for a single column, use --delimiter=,"
    case .errorCell: TableFault.nothing + "correct the cell; to skip invalid rows, use --rejects=FILE"
    case .uneven: TableFault.nothing + "correct the line; to skip invalid lines, use --rejects=FILE"
    case .otherKind(_, let column, _, let type):
      "to set the type of the column, use --types=\(column):\(type); to change the property's type, use --replace-type"
    case .badCell(_, let type, _, .form, []) where TableFault.forms[type] == nil: nil
    case .badCell(let column, let type, _, .form, let proposals):
      [TableFault.forms[type], TableFault.otherForm(column, type, proposals)].compactMap { $0 }.joined(separator: "; ")
    case .badCell(_, _, _, .skipped, _), .badCell(_, _, _, .repeated, _):
      "to skip such records, use --rejects=FILE; if the input has UTC offsets, use %z instead of the time zone"
    case .severalSigns(let marks): "to choose, use --delimiter=\(Escape.shell(marks.last ?? ""))"
    case .duplicateColumn(_, let column): "to rename the second, use --map='#\(column):NAME'"
    case .unnamedColumn(let column):
      "to name it, use --map='#\(column):NAME'; to leave out columns without a name, use --skip-unnamed"
    case .badColumn(let name, .badStart) where name.hasPrefix("_"):
      "to rename it, use --map=\(Escape.shellWord("\(name):NAME")); to accept names of other programs, use --foreign"
    case .noSuchColumn(_, let similar?), .emptyKey(_, let similar?): "did you mean: \(similar)"
    case .dataTooLong: Failure.largeData
    case .noUnicode(let column): "to skip the column, use --map=\(Escape.shell(column)):"
    case .noKeyValue, .mixedKey: "to identify records by other columns, use -t TYPE --key=PATHS"
    default: nil
    }
  }
}

extension LineFault {
  var words: String {
    switch self {
    case .missingKey(let key): "missing key \"\(key)\""
    case .wrongType(let key, let expected): "\"\(key)\" must be \(expected)"
    case .badRevision(let text): "'\(text)' is not a revision (DEPTH-HASH)"
    case .notAHead: "expected INSTANCE, INDEX and HASH separated by tabs"
    case .needsState: "a counter or set also depends on the instance and the previous revision"
    case .contradiction(let revision): "\(revision) contradicts an earlier line"
    }
  }
}
