import SeaCore

extension QueryEngine {
  /// What is asked for though nobody has it.
  struct Extra {
    var columns: [String] = []
    var types: [String] = []
  }

  /// Adds what SQLite does not find: a name that is like another is a slip, any other one is empty.
  /// - Returns: what is to be said of it; nil if that is not what is wrong.
  func extend(_ empty: inout Extra, for message: String, in sql: SQLText) throws -> QueryNotice? {
    guard empty.columns.count + empty.types.count < 50 else { return nil }
    if let name = Self.rest(of: message, after: "no such column: ") { return try extend(&empty, column: name, in: sql) }
    guard let name = Self.rest(of: message, after: "no such table: ") else { return nil }
    let type = name.hasPrefix("type.") ? String(name.dropFirst(5)) : name
    if type.hasPrefix("sqlite_") { throw QueryFault.refused("the table '\(type)'") }
    if sql.isOnlyText(type) { throw QueryFault.nameAsText(type) }
    if name != type, catalog.types.contains(where: { UTF8Text.equal($0, type) }) {
      throw QueryFault.quotedSchema(type: type)
    }
    let slip = similar(type, catalog.types + [QueryEngine.allRecords])
    guard slip == nil, !empty.types.contains(type), !name.contains(".") || name.hasPrefix("type.") else {
      throw QueryFault.unknownType(type, similar: slip)
    }
    empty.types.append(type)
    return .noType(type)
  }

  private func extend(_ empty: inout Extra, column name: String, in sql: SQLText) throws -> QueryNotice? {
    // Behind the last dot: a column may be written with its table. A name of its own may have a dot.
    let column = name.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? name
    if column.hasSuffix(ExactArguments.mark) { return try extend(&empty, exact: column, in: sql) }
    if sql.isOnlyText(column) { throw QueryFault.nameAsText(column) }
    if let fault = dotted(name, in: sql) { throw fault }
    var known = Set(
      tables.flatMap { $0.table.catalog.columns.values.map(\.name) + $0.table.properties.map(\.name) }
    ).union(QueryTable.Fixed.allCases.map(\.name))
    // That table has only the columns that are named.
    if tables.contains(where: \.table.isAll) {
      known.formUnion(catalog.names)
    } else {
      known.remove(QueryTable.Fixed.json.name)
    }
    // It is there, and not where it is looked for: the table that lacks it has it empty, if there is one.
    let folded = SQLText.folded(column)
    if known.contains(where: { SQLText.folded($0) == folded }) {
      guard !column.hasPrefix("_"), !empty.columns.contains(column), tables.contains(where: { !$0.table.has(folded) })
      else { return nil }
      empty.columns.append(column)
      return .noProperty(column)
    }
    for function in ["json_each", "json_tree"] where sql.names.contains(SQLName(function)) {
      known.formUnion(["key", "value", "type", "atom", "id", "parent", "fullkey", "path"])
    }
    let isTable = tables.contains { SQLText.folded($0.table.name) == folded }
    if column.hasPrefix("_") || isTable, sql.names.contains("match") { throw noTextIndex }
    let slip = similar(column, known.sorted())
    guard slip == nil, !column.hasPrefix("_"), !tables.isEmpty, !empty.columns.contains(column) else {
      throw QueryFault.unknownColumn(column, similar: slip)
    }
    if !takesNames, sql.isQuoted(column) { throw QueryFault.quotedText(column) }
    empty.columns.append(column)
    if sql.isValue(column) { return .bareText(column) }
    return catalog.types.contains { UTF8Text.equal($0, column) } ? .isType(column) : .noProperty(column)
  }

  /// The digits of what no record has are none, as its value is.
  private func extend(_ empty: inout Extra, exact column: String, in sql: SQLText) throws -> QueryNotice? {
    let plain = String(column.dropLast())
    let folded = SQLText.folded(plain)
    let known = Set(
      tables.flatMap { $0.table.catalog.columns.values.map(\.name) } + QueryTable.Fixed.allCases.map(\.name))
    let isMade = sql.tokens.indices.contains { sql.word($0) == "as" && sql.word($0 + 1) == folded }
    guard !tables.isEmpty, !isMade, !empty.columns.contains(column),
      !known.contains(where: { SQLText.folded($0) == folded })
    else { throw QueryFault.notExact(plain) }
    if let slip = similar(plain, known.sorted()) { throw QueryFault.unknownColumn(plain, similar: slip) }
    empty.columns.append(column)
    return .noProperty(plain)
  }

  private static func rest(of message: String, after words: String) -> String? {
    message.hasPrefix(words) ? String(message.dropFirst(words.utf8.count)) : nil
  }
}

extension QueryEngine {
  /// What is to be said of records that `refers` is to find references to: a slip finds none.
  func unknownTargets(in sql: SQLText) throws -> [QueryNotice] {
    var notices: [QueryNotice] = []
    for k in sql.tokens.indices where sql.word(k) == "refers" && sql.other(k + 1) == "(" && notices.count < 10 {
      guard let comma = (k + 2..<min(k + 8, sql.tokens.count)).first(where: { sql.other($0) == "," }),
        let id = sql.string(comma + 1), sql.other(comma + 2) == ")", try records.record(id) == nil,
        try !records.isTarget(id)
      else { continue }
      notices.append(.noRecord(id))
    }
    return notices
  }
}

extension SQLText {
  /// Whether a name stands alone behind a comparison, where a text would if it had its quotes.
  fileprivate func isValue(_ name: String) -> Bool {
    tokens.indices.contains { k in
      guard word(k) == SQLText.folded(name), bytes[tokens[k].range.lowerBound] != UInt8(ascii: "\"") else {
        return false
      }
      let isCompared = other(k - 1) == "=" || other(k - 1) == ">" || other(k - 1) == "<" || word(k - 1) == "like"
      return isCompared && other(k + 1) != "(" && other(k + 1) != "."
    }
  }

  /// Whether it stands there in single quotes and nowhere as a name. Where a name has to be, SQLite takes a text for one.
  fileprivate func isOnlyText(_ name: String) -> Bool {
    var isText = false
    for token in tokens where token.kind != .other && SQLText.folded(token.name) == SQLText.folded(name) {
      if token.kind == .name { return false }
      isText = true
    }
    return isText
  }
}
