import SeaCore
import SeaEngine

extension CommandError {
  static func row(_ name: String, _ line: Int, _ column: Int, _ fault: TableFault) -> Failure {
    Failure(
      .badData, "\(name):\(line):\(column): \(fault.words)", hint: fault.hint, ["file": name],
      numbers: ["line": line, "column": column])
  }

  static func markBeforeJSON(_ name: String) -> Failure {
    Failure(
      .badData, "\(name):1:1: a byte order mark stands before the JSON", hint: "save the file as UTF-8 without it",
      ["file": name], numbers: ["line": 1, "column": 1])
  }

  /// - Parameters:
  ///   - inner: the fault in the JSON.
  ///   - meant: the correct form of a set.
  static func json(
    _ id: String, _ path: String, _ column: Int, _ inner: Failure, _ excerpt: String?, _ meant: String?
  ) -> Failure {
    let set = meant.map {
      "a set is an array: \(Escape.shellWord($0)); one element is added by: \(Escape.shellWord("\(path):set+=TEXT"))"
    }
    return Failure(
      inner.kind,
      "\(id) \(path): byte \(column) of the JSON: \(inner.message)" + (excerpt.map { ": \($0)" } ?? ""),
      hint: set ?? inner.hint ?? "a text is given without the colon: \(Escape.shellWord(path))=TEXT",
      ["id": id, "path": path])
  }
}

extension Failure {
  /// Describes an existing file that is replaced only on request.
  static func row(_ file: String, _ obstacle: BundleObstacle) -> Failure {
    let (what, way) =
      switch obstacle {
      case .other: ("", "")
      case .foreign(let database): (", a bundle of database \(database.description.prefix(8))", "")
      case .ahead:
        (", a bundle with blocks that are not here", "take them in first: sea import \(Escape.shellWord(file)); ")
      case .whole: (", which has everything, and this would be an increment", "")
      }
    return Failure(
      .exists, "there is a file '\(file)' already\(what); nothing was written", hint: way + "--force replaces it",
      ["path": file])
  }

  static func tables(_ file: String, _ fault: TablesFault) -> Failure {
    switch fault {
    case .noFile(let form): Failure(.usage, "--format=\(form) needs a file, and \(file) is none")
    case .noTable(let table):
      Failure(.badData, "\(file): there is no table '\(table)'", ["file": file, "table": table])
    case .noType(let table):
      Failure(
        .badData, "\(file): the table '\(table)' has a name that is no type",
        hint: "say what its records are: --table=\(Escape.shell(table)) -t TYPE", ["file": file, "table": table])
    case .exists:
      Failure(.exists, "there is a file '\(file)' already", hint: "a SQLite file replaces no other one", ["file": file])
    case .tooManyColumns(let type, let count, let most):
      Failure(
        .badData, "\(file): the type '\(type)' has \(count) properties, and a table has room for \(most)",
        hint: "have it all with: --format=jsonl", ["file": file, "type": type])
    case .several(let option):
      Failure(
        .usage, "\(file) has several tables, and '\(option.dashed)' is for one", hint: "name it with: --table=NAME",
        ["file": file])
    }
  }
}

extension ForeignPlace {
  /// Returns the error with its position in front.
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
    case .ownDatabase: "this is the database itself"
    case .unfinished(let path): "it is not whole without what stands in '\(path)'"
    case .changed: "somebody has written to it while it was read"
    case .busy: "another program has locked it"
    case .unreadable(let words): "SQLite cannot read it: \(words)"
    case .tooMuch: "what it says of its tables takes too much memory or time"
    case .endless: "it is damaged: its pages lead in circles"
    case .badName: "the name of a table or a column is no Unicode"
    case .badText: "a text that is no Unicode"
    }
  }

  fileprivate func hint(_ file: String) -> String? {
    switch self {
    case .unfinished, .changed:
      "load a copy, made with: sqlite3 \(Escape.shell(file)) '.backup copy.db'"
    case .unreadable: "see: sqlite3 \(Escape.shell(file)) 'PRAGMA integrity_check'"
    default: nil
    }
  }
}

extension CommandError {
  /// Describes a fault after transactions that were already written.
  static func behind(_ failure: Failure) -> Failure {
    var failure = failure
    let hint = failure.hint.map { text in
      text.hasPrefix(TableFault.nothing) ? String(text.dropFirst(TableFault.nothing.count)) : text
    }
    failure.hint = "the transactions before it stay" + (hint.map { "; \($0)" } ?? "")
    return failure
  }
}

extension TableFault {
  var words: String {
    switch self {
    case .oneColumn(let mark): "there is one column, and its name has \(mark == "\t" ? "tabs" : "'\(mark)'") in it"
    case .noHeader: "there is no line with the names of the columns"
    case .duplicateColumn(let name): "two columns are called '\(name)'"
    case .badColumn(let name, let fault): "a column: \(Failure.describing(CoreError.badName(fault, name)).message)"
    case .noSuchColumn(let name, _): "there is no column '\(name)'"
    case .uneven(let have, let want): "\(Count(have, "cell")), and the first line has \(want)"
    case .quoteInside: "a quote stands within a cell that is not quoted"
    case .textAfterQuote: "text stands behind the quote that ends a cell"
    case .unclosedQuote: "the quote that begins here has no end"
    case .badEscape: "not an escape of C"
    case .carriageReturn: "a carriage return without a line feed stands outside of quotes"
    case .nul: "a NUL byte"
    case .notUTF8: "not UTF-8"
    case .utf16: "this is UTF-16"
    case .tooLong(let limit): "a record is longer than \(limit) bytes"
    case .badName(let name, let fault): Failure.describing(CoreError.badName(fault, name)).message
    case .emptyID: "_id is empty"
    case .emptyKey(let path, _): "the record has no \(path), which is its key"
    case .otherType(let have, let want):
      "the type of the record is '\(have)', and with --key all have the type '\(want)'"
    case .severalOfKey(let key, let ids):
      "\(Count(ids.count, "record")) have the key \(key): \(ids.joined(separator: " "))"
    case .badCell(let column, let type, let text): "\(column): not a value of type \(type): \(text)"
    case .otherKind(let id, let column, let have, _): "\(id) \(column) is \(have), not text"
    case .dataTooLong(let column): "\(column): the data has more bytes than core.maxDataSize allows"
    case .noUnicode(let column): "\(column): a text that is no Unicode"
    case .noKeyValue(let column): "\(column): a primary key from which no id can be made"
    case .mixedKey(let column, let kinds):
      "\(column): primary keys of several kinds, from which the same id could be made: \(kinds.joined(separator: ", "))"
    }
  }

  static let nothing = "nothing was loaded; "

  var hint: String? {
    switch self {
    case .quoteInside: "quote the cell and write the quote twice; or take it as it is, with: --relaxed"
    case .utf16: Failure.recoding("UTF-16")
    case .notUTF8: Failure.recoding()
    case .oneColumn("\t"): "of columns with tabs between: --format=tsv; if it is one column: --delimiter=,"
    case .oneColumn(let mark): "of columns with that between: --delimiter='\(mark)'; if it is one column: --delimiter=,"
    case .uneven: TableFault.nothing + "mend the line, or leave it out with: --rejects=FILE"
    case .otherKind(_, let column, _, let type):
      "say what its cells are: --types=\(column):\(type); to change the type on purpose use --replace-type"
    case .badCell(_, "date", _): Failure.times
    case .badCell(_, "number", let text), .badCell(_, "decimal", let text):
      text.contains(",") ? Failure.point : nil
    case .duplicateColumn: "rename one of them in the file"
    case .noSuchColumn(_, let similar?), .emptyKey(_, let similar?): "did you mean: \(similar)"
    case .dataTooLong: Failure.largeData
    case .noUnicode(let column): "leave the column out, with: --map=\(Escape.shell(column)):"
    case .noKeyValue, .mixedKey: "name other columns that say which record is meant, with: -t TYPE --key=PATHS"
    default: nil
    }
  }
}

extension LineFault {
  var words: String {
    switch self {
    case .missingKey(let key): "the key \"\(key)\" is missing"
    case .wrongType(let key, let expected): "\"\(key)\" must be \(expected)"
    case .badRevision(let text): "'\(text)' is not a revision (DEPTH-HASH)"
    case .notAHead: "not a line of INSTANCE, INDEX and HASH with tabs between"
    case .needsState: "the bytes of a counter or a set depend on the instance and on the revision before"
    case .contradiction(let revision): "\(revision) was described differently before"
    }
  }
}
