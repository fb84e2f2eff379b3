import SeaCore

struct ComparedValue: Hashable {
  enum Content: Hashable {
    case number
    case text(String)
  }

  var content: Content
  /// Whether the comparison tests for equality (`=` or IN) rather than order.
  var isWhole: Bool
}

struct Comparisons {
  let sql: SQLText
  private let parameters: [String: QueryValue]

  init(_ sql: SQLText, _ parameters: SQLText.Parameters = []) {
    self.sql = sql
    self.parameters = Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  func values(besideColumn at: Int) -> [ComparedValue] {
    guard sql.other(at - 1) != ":", sql.other(at - 1) != "@", sql.other(at + 1) != "(" else { return [] }
    return values(beside: sql.column(at))
  }

  /// Whether the column at a token is only compared with `<`, `<=`, `>`, `>=` or BETWEEN.
  func isOrdered(_ at: Int) -> Bool {
    let column = sql.column(at)
    guard !isComputed(behind: column.upperBound), !isComputed(before: column.lowerBound) else { return false }
    var (start, end) = (column.lowerBound, column.upperBound)
    while isComparison(start - 1) { start -= 1 }
    while isComparison(end) { end += 1 }
    let signs = [start..<column.lowerBound, column.upperBound..<end].filter { !$0.isEmpty }
    let not = sql.word(end) == "not" ? end + 1 : end
    return (!signs.isEmpty || sql.word(not) == "between")
      && signs.allSatisfy { ["<", "<=", ">", ">="].contains($0.compactMap(sql.other).joined()) }
  }

  private func values(beside operand: Range<Int>) -> [ComparedValue] {
    // If the operand is part of a computation, the comparison is not with the column itself.
    guard !isComputed(behind: operand.upperBound), !isComputed(before: operand.lowerBound) else { return [] }
    return values(behind: operand.upperBound) + values(before: operand.lowerBound)
  }

  private func values(behind start: Int) -> [ComparedValue] {
    var at = start
    let first = at
    if sql.word(at) == "not" { at += 1 }
    if sql.word(at) == "between" {
      guard let (low, end) = value(at + 1) else { return [] }
      let high = sql.word(end) == "and" ? value(end + 1)?.content : nil
      return [low, high].compactMap { $0 }.map { ComparedValue(content: $0, isWhole: false) }
    }
    if sql.word(at) == "in", sql.other(at + 1) == "(" {
      var found: [ComparedValue] = []
      at += 1
      repeat {
        guard let (content, end) = value(at + 1) else { break }
        found.append(ComparedValue(content: content, isWhole: true))
        at = end
      } while sql.other(at) == ","
      return found
    }
    if sql.word(at) == "is" {
      at += sql.word(at + 1) == "not" ? 2 : 1
      return value(at).map { [ComparedValue(content: $0.content, isWhole: true)] } ?? []
    }
    while isComparison(at) { at += 1 }
    guard at > first, let (content, _) = value(at) else { return [] }
    return [ComparedValue(content: content, isWhole: isWhole(first..<at))]
  }

  private func values(before operand: Int) -> [ComparedValue] {
    var at = operand
    while isComparison(at - 1) { at -= 1 }
    guard at < operand else { return [] }
    // The value must extend all the way to the comparison operator, because part of a computed value says nothing about
    // the comparison.
    var start = at - 1
    if sql.string(start) == nil, sql.other(start) == nil, sql.other(start - 1) == ":" || sql.other(start - 1) == "@" {
      start -= 1
    }
    guard let (content, end) = value(start), end == at,
      content == .number ? sql.other(start - 1) != "|" : !isComputed(before: start)
    else { return [] }
    return [ComparedValue(content: content, isWhole: isWhole(at..<operand))]
  }

  private func value(_ start: Int) -> (content: ComparedValue.Content, end: Int)? {
    var at = start
    while ["-", "+"].contains(sql.other(at)) { at += 1 }
    var content: ComparedValue.Content?
    if sql.isNumber(at) {
      content = .number
      at += 1
      // The number 1.5 consists of three tokens. Its exponent can be another token.
      while sql.other(at) == "." || sql.isNumber(at) { at += 1 }
    } else if let text = sql.string(at) {
      content = .text(text)
      at += 1
    } else if let (name, end) = parameter(at) {
      content = parameters[name].flatMap { ComparedValue.Content($0) }
      at = end
    }
    // A computation that involves a number yields a number.
    guard let content, content == .number ? sql.other(at) != "|" : !isComputed(behind: at) else { return nil }
    return (content, at)
  }

  private func parameter(_ at: Int) -> (name: String, end: Int)? {
    if sql.other(at) == ":" || sql.other(at) == "@", sql.word(at + 1) != nil {
      return (sql.tokens[at + 1].name, at + 2)
    }
    guard sql.word(at) != nil, sql.tokens[at].name.hasPrefix("$") else { return nil }
    return (String(sql.tokens[at].name.dropFirst()), at + 1)
  }

  private static let computing: Set<String> = ["-", "+", "*", "/", "%", "|", "&", "~"]

  private func isComputed(behind at: Int) -> Bool {
    if let sign = sql.other(at) { return Comparisons.computing.contains(sign) || sign == "." || isShift(at) }
    return false
  }

  private func isComputed(before at: Int) -> Bool {
    if let sign = sql.other(at - 1) {
      return Comparisons.computing.contains(sign) || isArrow(before: at) || isShift(at - 2)
    }
    return false
  }

  private func isArrow(before at: Int) -> Bool {
    sql.other(at - 1) == ">" && (sql.other(at - 2) == "-" || sql.other(at - 2) == ">" && sql.other(at - 3) == "-")
  }

  private func isShift(_ at: Int) -> Bool { [">", "<"].contains(sql.other(at)) && sql.other(at) == sql.other(at + 1) }

  private func isComparison(_ at: Int) -> Bool {
    guard let sign = sql.other(at), ["<", ">", "=", "!"].contains(sign) else { return false }
    return !isArrow(before: at + 1)
  }

  private func isWhole(_ signs: Range<Int>) -> Bool {
    let text = signs.compactMap(sql.other).joined()
    return ["=", "==", "!=", "<>"].contains(text)
  }
}

extension SQLText {
  func column(_ at: Int) -> Range<Int> { (other(at - 1) == "." ? at - 2 : at)..<at + 1 }

  func isNumber(_ at: Int) -> Bool { other(at)?.utf8.first.map { $0 &- 0x30 < 10 } ?? false }

  /// The first number that SQLite would round to a REAL with other digits, so that it would equal other numbers.
  var lossyNumber: String? {
    for k in tokens.indices where isNumber(k) && !(other(k - 1) == "." && isNumber(k - 2)) {
      let rest = bytes[tokens[k].range.lowerBound...]
      var last: UInt8 = 0
      let number = rest.prefix { byte in
        defer { last = byte }
        let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        return byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
          || isSign && last | 0x20 == UInt8(ascii: "e")
      }
      let text = String(decoding: number, as: UTF8.self)
      if Int64(text) == nil, case .digits = QueryValue.real(text) { return text }
    }
    return nil
  }

  typealias Parameters = [(name: String, value: QueryValue)]

  /// The positions of each name, in lower case because SQLite ignores case.
  var places: [SQLName: [Int]] {
    Dictionary(grouping: tokens.indices.filter { tokens[$0].kind == .name }) { SQLText.folded(tokens[$0].name) }
  }

  /// Whether the statement calls `kind()` or `typeof()`, and thus selects values by kind itself.
  var callsKind: Bool {
    tokens.indices.contains { ["kind", "typeof"].contains(word($0)) && other($0 + 1) == "(" }
  }

  /// Whether the name at a token is the only argument of `date()`, which returns the day of a date.
  func isDate(of at: Int) -> Bool {
    let start = column(at).lowerBound
    return word(start - 2) == "date" && other(start - 1) == "(" && other(at + 1) == ")"
  }

  /// Whether the name at a token is only tested for presence, with `IS NULL` or `NOTNULL`.
  func testsPresence(_ at: Int) -> Bool {
    switch word(at + 1) {
    case "isnull", "notnull": true
    case "not": word(at + 2) == "null"
    case "is": word(at + 2) == "null" || word(at + 2) == "not" && word(at + 3) == "null"
    default: false
    }
  }
}

extension ComparedValue.Content {
  fileprivate init?(_ value: QueryValue) {
    switch value {
    case .integer, .double, .digits: self = .number
    case .text(let text), .json(let text): self = .text(text)
    case .null, .data: return nil
    }
  }
}

extension ValueClass {
  /// Returns a notice if a comparison is always true or always false because the value belongs to a different class.
  func misfit(_ other: ComparedValue, of column: String, in table: String) -> QueryNotice? {
    guard case .text(let text) = other.content else {
      return self == .numbers || self == .booleans ? nil : .notNumbers(table: table, column: column, kind: self)
    }
    let isLike =
      switch self {
      case .text: true
      case .numbers: ValueClass.isNumber(text)
      case .booleans, .data: false
      case .dates: !text.isEmpty && ValueClass.isDate(text, whole: other.isWhole)
      case .days: !text.isEmpty && ValueClass.has(Array(text.utf8)[...], form: "0000-00-00", whole: other.isWhole)
      case .json: ["[", "{"].contains(text.drop { $0 == " " }.first)
      }
    // Testing for the empty string makes sense for every class, but order comparisons with the empty string do not.
    return isLike || text.isEmpty && other.isWhole ? nil : .unlike(column: column, kind: self, text: text)
  }

  private static func isNumber(_ text: String) -> Bool {
    let bytes = text.utf8.drop { $0 == 0x20 }
    return bytes.allSatisfy { $0 &- 0x30 < 10 || "+-.eE ".utf8.contains($0) }
      && Double(String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)) != nil
  }

  /// Whether a string is a date in SQL form or, unless `whole` is true, the beginning of such a date.
  private static func isDate(_ text: String, whole: Bool) -> Bool {
    var bytes = Array(text.utf8)[...]
    if bytes.first == 0x2B || bytes.first == 0x2D {
      guard let dash = bytes.dropFirst().firstIndex(of: 0x2D), dash > 4 else { return false }
      bytes = bytes[(dash - 4)...]
    }
    return has(bytes, form: "0000-00-00T00:00:00.000Z", whole: whole)
  }

  /// Whether a string has a form, in which 0 stands for any digit, or, unless `whole`, the beginning of the form.
  private static func has(_ bytes: ArraySlice<UInt8>, form: String, whole: Bool) -> Bool {
    (whole ? bytes.count == form.utf8.count : bytes.count <= form.utf8.count)
      && zip(bytes, form.utf8).allSatisfy { $1 == 0x30 ? $0 &- 0x30 < 10 : $0 == $1 }
  }
}
