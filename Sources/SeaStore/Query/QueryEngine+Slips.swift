import SeaCore

/// What is written as other languages have it, and means something else in SQL, or nothing.
extension QueryEngine {
  /// A path with dots, as it is written elsewhere: `os.name`. In SQL the dot stands behind a table.
  func dotted(_ name: String, in sql: SQLText) -> QueryFault? {
    guard let dot = name.firstIndex(of: ".") else { return nil }
    let first = SQLText.folded(String(name[..<dot]))
    let isTable = tables.contains { SQLText.folded($0.table.name) == first } || sql.names(first)
    let columns = tables.compactMap { $0.table.catalog.columns[first] }
    guard !isTable, let column = columns.first else { return nil }
    let isReference = column.kinds.only == .reference
    guard isReference || column.kinds.classes.contains(.json) else { return nil }
    let names = name[name.index(after: dot)...].split(separator: ".").map(String.init)
    return .dotted(name: name, column: column.name, names: names, isReference: isReference)
  }

  /// Makes sure that no text is compared with another value that is written out, as if it were the column that is called so.
  func checkTexts(_ compared: Comparisons) throws {
    let text = compared.sql
    for k in text.tokens.indices {
      guard let name = text.string(k), compared.isAgainstAValue(k), isColumn(name) else { continue }
      throw QueryFault.nameAsText(name)
    }
  }

  /// The kind that all values have of a column that the statement reads, whichever table it is of.
  func soleKind(_ name: SQLName) -> ComputedValues.Column? {
    var found: ComputedValues.Column?
    for (table, column) in read where SQLText.folded(column) == name {
      guard let known = table.catalog.columns[name], let kind = known.kinds.onlyClass,
        found.map({ $0.kind == kind }) ?? true
      else { return nil }
      found = found ?? .init(table: table.name, name: known.name, kind: kind)
    }
    return found
  }
}

extension SQLText {
  /// Whether rows are given a name: `FROM host AS h`, `FROM host h`.
  fileprivate func names(_ name: SQLName) -> Bool {
    let words: [SQLName?] = ["select", "where", "on", "and", "or", "not", "by", "having", "when", "then", "else", "in"]
    return tokens.indices.contains { k in
      guard word(k) == name, other(k + 1) != "." else { return false }
      return other(k - 1) == ")" || word(k - 1) != nil && !words.contains(word(k - 1))
    }
  }
}

extension Comparisons {
  /// Whether a text stands alone on the left of a comparison whose right side is written out.
  fileprivate func isAgainstAValue(_ k: Int) -> Bool {
    guard begins(k - 1) || k == 0 else { return false }
    var at = k + 1
    if sql.word(at) == "not" { at += 1 }
    if let word = sql.word(at), ["like", "glob", "in", "between"].contains(word) {
      if word == "in" { at += 1 }
      return sql.string(at + 1) != nil || value(at + 1) != nil
    }
    let first = at
    while isComparison(at) { at += 1 }
    guard at > first, !isShift(first), sql.other(at) != ":", sql.other(at) != "@" else { return false }
    return sql.string(at) != nil || value(at)?.content == .number
  }
}
