import SeaCore

extension CommandError {
  static func row(_ name: String, _ line: Int, _ column: Int, _ fault: TableFault) -> Failure {
    Failure(
      .badData, "\(name):\(line):\(column): \(fault.words)", hint: fault.hint, ["file": name],
      numbers: ["line": line, "column": column])
  }
}

extension CommandError {
  /// What is told of a fault behind transactions that stay.
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
    case .noHeader: "there is no line with the names of the columns"
    case .duplicateColumn(let name): "two columns are called '\(name)'"
    case .badColumn(let name, let fault): "a column: \(Failure.describing(CoreError.badName(fault, name)).message)"
    case .noSuchColumn(let name): "there is no column '\(name)'"
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
    case .emptyKey(let path): "the record has no \(path), which is its key"
    case .otherType(let have, let want):
      "the type of the record is '\(have)', and with --key all have the type '\(want)'"
    case .severalOfKey(let key, let ids):
      "\(Count(ids.count, "record")) have the key \(key): \(ids.joined(separator: " "))"
    case .badCell(let column, let type, let text): "\(column): not a value of type \(type): \(text)"
    }
  }

  static let nothing = "nothing was loaded; "

  var hint: String? {
    switch self {
    case .quoteInside: "quote the cell and write the quote twice; or take it as it is, with: --relaxed"
    case .utf16: "save the file as UTF-8"
    case .uneven: TableFault.nothing + "mend the line, or leave it out with: --rejects=FILE"
    case .duplicateColumn: "rename one of them in the file"
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
