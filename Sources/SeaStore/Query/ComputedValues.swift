import SeaCore

/// What a text computes and compares. SQLite compares it by its kind first: a number that was computed is less than any text, and
/// no column beside it makes one of them the other.
struct ComputedValues {
  /// A column whose values are all of one kind.
  struct Column {
    var table: String
    var name: String
    var kind: ValueClass
  }

  private let sql: SQLText
  private let compared: Comparisons
  private let closings: [Int: Int]
  private let openings: [Int: Int]
  private let column: (SQLName) -> Column?

  /// - Parameters:
  ///   - closings: the brackets of the text.
  ///   - column: the column of a name; nil if there is none, or its values are of several kinds.
  init(_ compared: Comparisons, _ closings: [Int: Int], _ column: @escaping (SQLName) -> Column?) {
    (sql, self.compared, self.closings, self.column) = (compared.sql, compared, closings, column)
    openings = Dictionary(uniqueKeysWithValues: closings.map { ($1, $0) })
  }

  private static let ofNumbers: Set<SQLName> = [
    "abs", "avg", "ceil", "ceiling", "count", "decimal_cmp", "dangling", "exp", "floor", "has", "instr",
    "json_array_length", "json_valid", "julianday", "length", "ln", "log", "log10", "log2", "median", "mod",
    "octet_length", "pow", "power", "random", "refers", "regexp", "round", "sign", "sqrt", "sum", "total", "trunc",
    "unicode", "unixepoch",
  ]
  private static let ofTexts: Set<SQLName> = [
    "char", "concat", "concat_ws", "decimal_add", "decimal_mul", "decimal_round", "decimal_sub", "decimal_sum", "exact",
    "format", "group_concat", "hex", "kind", "label", "lower", "ltrim", "printf", "quote", "replace", "rtrim",
    "snippet", "strftime", "string_agg", "substr", "substring", "trim", "typeof", "upper",
  ]
  private static let ofDates: Set<SQLName> = ["ago", "date", "datetime", "now"]

  /// What is to be said of each that stands beside what is like none of its values.
  var notices: [QueryNotice] {
    var found: [QueryNotice] = []
    var k = 0
    while k < sql.tokens.count {
      let start = k
      k += 1
      guard let isSign = operatorSign(start) else { continue }
      var sides = [operand(before: start)]
      if isSign {
        while compared.isComparison(k) { k += 1 }
        sides.append(operand(behind: k))
      }
      let told = sides.map(notice) + [sides.count == 2 ? notice(sides[0], sides[1]) ?? notice(sides[1], sides[0]) : nil]
      for notice in told.compactMap({ $0 }) where !found.contains(notice) && found.count < 20 { found.append(notice) }
    }
    return found
  }

  /// What is to be said of a column beside what is computed: a date beside numbers, or a number beside texts.
  private func notice(_ named: Range<Int>, _ other: Range<Int>) -> QueryNotice? {
    let inner = withoutBrackets(named)
    let isBehindTable = inner.count == 3 && sql.other(inner.lowerBound + 1) == "."
    guard inner.count == 1 || isBehindTable, let name = sql.word(inner.upperBound - 1), let kind = kind(other),
      let column = column(name)
    else { return nil }
    switch (column.kind, kind) {
    case (.numbers, .dates), (.booleans, .dates):
      return .unlike(column: column.name, kind: column.kind, text: text(other))
    case (.text, .numbers), (.dates, .numbers), (.json, .numbers):
      return .notNumbers(table: column.table, column: column.name, kind: column.kind)
    default: return nil
    }
  }

  private func notice(_ operand: Range<Int>) -> QueryNotice? {
    guard let kind = kind(operand) else { return nil }
    let text = text(operand)
    return compared.values(around: operand).lazy.compactMap { value -> QueryNotice? in
      if kind != ValueClass.numbers, case .text = value.content { return nil }
      return kind.misfit(value, of: text, in: "", isConverted: false)
    }.first
  }

  /// What stands there, or its beginning.
  private func text(_ operand: Range<Int>) -> String {
    let bytes = sql.bytes[
      sql.tokens[operand.lowerBound].range.lowerBound..<sql.tokens[operand.upperBound - 1].range.upperBound]
    return String(decoding: bytes.count > 60 ? bytes.prefix(57) + Array("…".utf8)[...] : bytes, as: UTF8.self)
  }

  /// Whether a comparison begins at a token, and is one by signs; nil if none does.
  private func operatorSign(_ k: Int) -> Bool? {
    if compared.isComparison(k) { return compared.isShift(k) || compared.isShift(k - 1) ? nil : true }
    let words: Set<SQLName> = ["between", "in", "is", "not"]
    return sql.word(k).map(words.contains) ?? false ? false : nil
  }

  // MARK: - Operands

  private static let ends: Set<SQLName> = [
    "and", "or", "not", "is", "in", "like", "glob", "match", "regexp", "between", "escape", "isnull", "notnull", "case",
    "when", "then", "else", "end", "select", "distinct", "all", "from", "where", "on", "group", "having", "order", "by",
    "limit", "offset", "union", "intersect", "except", "as", "asc", "desc", "join", "using", "values", "over", "filter",
  ]

  private func ends(_ k: Int) -> Bool {
    if let word = sql.word(k) { return ComputedValues.ends.contains(word) && !sql.isInQuotes(k) }
    if let sign = sql.other(k) {
      return sign == "," || sign == ";" || compared.isComparison(k) && !compared.isShift(k) && !compared.isShift(k - 1)
    }
    return false
  }

  private func operand(behind start: Int) -> Range<Int> {
    var end = start
    while end < sql.tokens.count, !ends(end), sql.other(end) != ")", sql.word(end) != "collate" {
      guard sql.other(end) == "(" else {
        end += 1
        continue
      }
      guard let close = closings[end] else { break }
      end = close + 1
    }
    return start..<end
  }

  private func operand(before end: Int) -> Range<Int> {
    var last = end
    if sql.word(last - 2) == "collate" { last -= 2 }
    var start = last
    while start > 0, !ends(start - 1), sql.other(start - 1) != "(" {
      guard sql.other(start - 1) == ")" else {
        start -= 1
        continue
      }
      guard let open = openings[start - 1] else { break }
      start = open
    }
    return start..<last
  }

  // MARK: - Kinds

  /// What is computed; nil where that is not known, or nothing is.
  private func kind(_ operand: Range<Int>) -> ValueClass? {
    let inner = withoutBrackets(operand)
    guard !inner.isEmpty else { return nil }
    if let function = sql.word(inner.lowerBound), closings[inner.lowerBound + 1] == inner.upperBound - 1 {
      if ComputedValues.ofNumbers.contains(function) { return .numbers }
      if ComputedValues.ofTexts.contains(function) { return .text }
      return ComputedValues.ofDates.contains(function) ? .dates : nil
    }
    return calculated(inner)
  }

  private func withoutBrackets(_ operand: Range<Int>) -> Range<Int> {
    var inner = operand
    while true {
      if sql.other(inner.lowerBound) == "+", inner.count > 1 {
        inner = inner.lowerBound + 1..<inner.upperBound
      } else if inner.count > 2, sql.other(inner.lowerBound) == "(", closings[inner.lowerBound] == inner.upperBound - 1
      {
        inner = inner.lowerBound + 1..<inner.upperBound - 1
      } else {
        return inner
      }
    }
  }

  /// What the signs outside of brackets make: whatever is joined, if it is calculated with it is a number.
  private func calculated(_ operand: Range<Int>) -> ValueClass? {
    var isJoined = false
    var hasValue = false
    var k = operand.lowerBound
    while k < operand.upperBound {
      if ends(k) { return nil }
      switch sql.other(k) {
      case "(":
        k = closings[k] ?? operand.upperBound
        hasValue = true
      case "-" where sql.other(k + 1) == ">": k += sql.other(k + 2) == ">" ? 2 : 1
      case "|" where sql.other(k + 1) == "|":
        isJoined = true
        k += 1
      case "-", "*", "/", "%", "&", "|", "~", "<", ">": return .numbers
      case "+": if hasValue { return .numbers }
      case ".": break
      default: hasValue = true
      }
      k += 1
    }
    return isJoined ? .text : nil
  }
}

extension SQLText {
  /// Whether a name stands in quotes, so that it is no word of SQL's.
  func isInQuotes(_ k: Int) -> Bool { "\"`[".utf8.contains(bytes[tokens[k].range.lowerBound]) }
}
