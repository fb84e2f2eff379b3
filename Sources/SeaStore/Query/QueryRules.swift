import CSQLite

/// The operations that a query is allowed to perform. Because a query may contain text from untrusted sources, it can
/// only read the tables of records.
enum QueryRules {
  /// SQLite functions without side effects. All other functions are refused, including any that newer versions of
  /// SQLite add.
  static let functions: Set<SQLName> = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "ceil", "ceiling", "changes", "char",
    "coalesce",
    "concat", "concat_ws", "cos", "cosh", "count", "cume_dist", "current_date", "current_time", "current_timestamp",
    "date",
    "datetime", "degrees", "dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "hex",
    "ifnull", "iif",
    "instr", "json", "json_array", "json_array_length", "json_error_position", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote", "json_remove",
    "json_replace",
    "json_set", "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like", "likelihood",
    "likely",
    "ln", "log", "log10", "log2", "lower", "ltrim", "max", "median", "min", "mod", "nth_value", "ntile", "nullif",
    "octet_length", "percent_rank", "percentile", "pi", "pow", "power", "printf", "quote", "radians", "random", "rank",
    "replace", "round", "row_number", "rtrim", "sign", "sin", "sinh", "sqrt", "strftime", "string_agg", "substr",
    "substring",
    "sum", "tan", "tanh", "time", "timediff", "total", "trim", "trunc", "typeof", "unhex", "unicode", "unixepoch",
    "unlikely",
    "upper", "->", "->>",
    "has", "prop", "label", "kind", "refers", "dangling", "exact", "decimal_sum", "decimal_cmp", "decimal_add",
    "decimal_sub",
    "decimal_mul", "decimal_round", "regexp", "ago", "now",
    "match", "snippet",
  ]

  private static let tables: Set<SQLName> = ["json_each", "json_tree"]

  /// - Returns: a description of the refused operation; nil if the operation is allowed.
  static func refusal(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, isTable: (String) -> Bool
  ) -> String? {
    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return nil
    case SQLITE_READ:
      let table = text(first)
      if table.isEmpty || isTable(table) || tables.contains(SQLText.folded(table)) { return nil }
      // The name is a common table expression, and the statement reads none of its columns.
      if text(second).isEmpty, !SQLText.folded(table).hasPrefix("sqlite_") { return nil }
      return "the table '\(table)'"
    case SQLITE_FUNCTION:
      let name = SQLText.folded(text(second))
      return functions.contains(name) ? nil : "the function '\(name.text)'"
    case SQLITE_PRAGMA: return "PRAGMA"
    case SQLITE_ATTACH: return "ATTACH"
    case SQLITE_DETACH: return "DETACH"
    // SQLite reports the declaration of a virtual table's columns as a write.
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return text(first).hasPrefix("sqlite_") ? "an internal table of SQLite" : "writing"
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: return "a transaction"
    default: return "a statement other than SELECT"
    }
  }

  static func isReading(_ sql: SQLText) -> Bool {
    var words = sql.tokens.prefix(4).map { $0.kind == .name ? SQLText.folded($0.name) : SQLName("") }[...]
    if words.first == "explain" { words = words.dropFirst(words.dropFirst().first == "query" ? 3 : 1) }
    return words.first.map { (["select", "with", "values"] as Set<SQLName>).contains($0) } ?? false
  }

  /// The limits for one statement: the bytes of a value and of the SQL text, the depth of an expression, the parts of a
  /// compound statement, the steps of the program, the arguments, and the bytes of a pattern.
  static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_EXPR_DEPTH, 400),
    (SQLITE_LIMIT_COMPOUND_SELECT, 100), (SQLITE_LIMIT_VDBE_OP, 250_000), (SQLITE_LIMIT_FUNCTION_ARG, 100),
    (SQLITE_LIMIT_ATTACHED, 1), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_VARIABLE_NUMBER, 1000),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]
}
