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
    // `"type.host"` in one pair of quotes names no table, though there is a type 'host'.
    if catalog.types.contains(where: { UTF8Text.equal($0, type) }) { return nil }
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
      throw QueryFault.unknownColumn(slip == nil ? name : column, similar: slip)
    }
    empty.columns.append(column)
    return .noProperty(column)
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

  /// Holds the properties that `prop` and its like are given as texts against those that there are.
  /// - Throws: `QueryFault` of one that is much like another.
  func unknownProperties(in sql: SQLText) throws(QueryFault) -> [QueryNotice] {
    var notices: [QueryNotice] = []
    for k in sql.tokens.indices where ["prop", "label", "kind"].contains(sql.word(k)) && sql.other(k + 1) == "(" {
      var id = k + 2
      while sql.other(id + 1) == ".", sql.word(id + 2) != nil { id += 2 }
      guard sql.word(id) != nil, sql.other(id + 1) == ",", let text = sql.string(id + 2), sql.other(id + 3) == ")",
        let name = (try? PropertyPath(text))?.names.first
      else { continue }
      let isOwn = sql.word(id) == "_id" && !tables.contains { $0.table.isAll }
      let known =
        isOwn ? tables.flatMap { $0.table.catalog.columns.values.flatMap { [$0.name] + $0.others } } : catalog.names
      if known.contains(where: { UTF8Text.equal($0, name) }) { continue }
      if let slip = similar(name, known.sorted()) { throw QueryFault.unknownColumn(name, similar: slip) }
      notices.append(.noProperty(name))
    }
    return notices
  }

  private static func rest(of message: String, after words: String) -> String? {
    message.hasPrefix(words) ? String(message.dropFirst(words.utf8.count)) : nil
  }
}
