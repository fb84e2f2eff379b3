import SeaCore

/// The tokens of SQL text, used to find names before SQLite parses the text. For token boundaries, see
/// https://sqlite.org/lang_keywords.html and https://sqlite.org/lang_comment.html.
struct SQLText {
  enum Kind { case name, string, other }

  struct Token {
    var kind: Kind
    var range: Range<Int>
    /// The text of the token, without quotes if it is a name or string.
    var name: String
  }

  let bytes: [UInt8]
  private(set) var tokens: [Token] = []

  init(_ text: String) {
    bytes = Array(text.utf8)
    var k = 0
    while k < bytes.count { k = step(k) }
  }

  var names: Set<SQLName> { Set(tokens.lazy.filter { $0.kind == .name }.map { SQLText.folded($0.name) }) }

  /// The names where a table is expected: after FROM, JOIN and IN, and after a comma or parenthesis within FROM.
  var tableNames: Set<SQLName> {
    var names: Set<SQLName> = []
    // For each open parenthesis, whether a FROM clause is open within it.
    var isFrom = [false]
    for k in tokens.indices {
      switch other(k) {
      case "(": isFrom.append(isFrom[isFrom.count - 1])
      case ")" where isFrom.count > 1: isFrom.removeLast()
      default: break
      }
      guard let word = word(k) else { continue }
      let (before, sign) = (self.word(k - 1), other(k - 1))
      let isSchema = sign == "." && ["type", "main"].contains(self.word(k - 2))
      let isListed = (sign == "," || sign == "(") && isFrom[isFrom.count - 1]
      // Where a table is expected, a call is a table-valued function, even if a type has the same name.
      let isCalled = !isSchema && other(k + 1) == "(" && SQLText.tableFunctions.contains(word)
      if !isCalled, isSchema || isListed || ["from", "join", "in"].contains(before) { names.insert(word) }
      if word == "from" { isFrom[isFrom.count - 1] = true }
      if SQLText.endsOfFrom.contains(word) { isFrom[isFrom.count - 1] = false }
    }
    return names
  }

  /// The table-valued functions for JSON (https://sqlite.org/json1.html#jeach).
  static let tableFunctions: Set<SQLName> = ["json_each", "json_tree"]

  private static let endsOfFrom: Set<SQLName> = ["select", "where", "group", "order", "limit"]

  /// Whether the statement could use the same table twice, because it has more than one SELECT, a JOIN, or a comma
  /// after FROM.
  var mayUseTableTwice: Bool {
    var selects = 0
    var isFrom = false
    for token in tokens {
      let word: SQLName = token.kind == .name ? SQLText.folded(token.name) : ""
      if word == "join" { return true }
      if word == "select" { selects += 1 }
      if word == "from" { isFrom = true }
      if SQLText.endsOfFrom.contains(word) { isFrom = false }
      if isFrom, token.kind == .other, token.name == "," { return true }
    }
    return selects > 1
  }

  /// The first word in capitals, or a dot followed by a word, as in database shell commands.
  var firstWord: String {
    let first = tokens.first?.name ?? ""
    return first == "." && word(1) != nil ? first + tokens[1].name : first.uppercased()
  }

  func word(_ k: Int) -> SQLName? { token(k, .name).map(SQLText.folded) }

  /// Returns the token at a position, if it is neither a name nor a string.
  func other(_ k: Int) -> String? { token(k, .other) }

  func string(_ k: Int) -> String? { token(k, .string) }

  private func token(_ k: Int, _ kind: Kind) -> String? {
    tokens.indices.contains(k) && tokens[k].kind == kind ? tokens[k].name : nil
  }

  /// SQLite ignores case only for ASCII letters.
  static func folded(_ name: String) -> SQLName { SQLName(name) }

  static func quoted(_ name: String) -> String {
    var out: [UInt8] = [0x22]
    for byte in name.utf8 {
      if byte == 0x22 { out.append(0x22) }
      out.append(byte)
    }
    return String(decoding: out + [0x22], as: UTF8.self)
  }

  private mutating func step(_ k: Int) -> Int {
    let next = k + 1 < bytes.count ? bytes[k + 1] : 0
    switch bytes[k] {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: return k + 1
    case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
      return (bytes[k...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
    case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
      var end = k + 2
      while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
      return min(end + 2, bytes.count)
    case UInt8(ascii: "'"): return quotedText(k, .string, UInt8(ascii: "'"))
    case UInt8(ascii: "\""): return quotedText(k, .name, UInt8(ascii: "\""))
    case UInt8(ascii: "`"): return quotedText(k, .name, UInt8(ascii: "`"))
    case UInt8(ascii: "["):
      let end = bytes[k...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count
      add(.name, k..<min(end + 1, bytes.count), Array(bytes[(k + 1)..<end]))
      return min(end + 1, bytes.count)
    case let byte where SQLText.isWord(byte):
      var end = k + 1
      while end < bytes.count, SQLText.isWord(bytes[end]) { end += 1 }
      let isNumber = byte &- 0x30 < 10
      add(isNumber ? .other : .name, k..<end, Array(bytes[k..<end]))
      return end
    default:
      add(.other, k..<k + 1, [bytes[k]])
      return k + 1
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x24 || byte >= 0x80
  }

  /// Reads a quoted token. Quotes within the text are doubled.
  private mutating func quotedText(_ start: Int, _ kind: Kind, _ quote: UInt8) -> Int {
    var content: [UInt8] = []
    var k = start + 1
    while k < bytes.count {
      if bytes[k] == quote {
        guard k + 1 < bytes.count, bytes[k + 1] == quote else { break }
        k += 1
      }
      content.append(bytes[k])
      k += 1
    }
    let end = min(k + 1, bytes.count)
    add(kind, start..<end, content)
    return end
  }

  private mutating func add(_ kind: Kind, _ range: Range<Int>, _ name: [UInt8]) {
    tokens.append(Token(kind: kind, range: range, name: String(decoding: name, as: UTF8.self)))
  }
}

/// Replaces the arguments of `exact` and the decimal functions, which need the exact value of a property. A column name
/// is replaced with the name of its exact form, and a number is replaced with a string that has all digits.
struct ExactArguments {
  static let functions: Set<SQLName> = [
    "exact", "decimal_sum", "decimal_cmp", "decimal_add", "decimal_sub", "decimal_mul", "decimal_round",
  ]
  /// A suffix that no property name can have.
  static let mark = "\u{1}"

  private(set) var text: String
  private(set) var columns: Set<SQLName> = []
  private(set) var replaced: [(new: String, old: String)] = []

  init(_ sql: SQLText) {
    var out: [UInt8] = []
    var copied = 0
    var open: [Bool] = []
    for (k, token) in sql.tokens.enumerated() {
      if token.kind == .other, token.name == "(" {
        let before = k > 0 ? sql.tokens[k - 1] : nil
        open.append(before.map { $0.kind == .name && Self.functions.contains(SQLText.folded($0.name)) } ?? false)
      } else if token.kind == .other, token.name == ")" {
        _ = open.popLast()
      } else if token.kind == .name, open.last == true, Self.isArgument(sql, k) {
        columns.insert(SQLText.folded(token.name))
        out += sql.bytes[copied..<token.range.lowerBound]
        let new = SQLText.quoted(token.name + Self.mark)
        out += Array(new.utf8)
        replaced.append((new, String(decoding: sql.bytes[token.range], as: UTF8.self)))
        copied = token.range.upperBound
      } else if open.last == true, let number = Self.number(sql, k) {
        // SQLite would convert the number to a double and lose digits.
        let old = String(decoding: sql.bytes[number], as: UTF8.self)
        out += sql.bytes[copied..<number.lowerBound] + Array("'\(old)'".utf8)
        replaced.append(("'\(old)'", old))
        copied = number.upperBound
      }
    }
    text = String(decoding: out + sql.bytes[copied...], as: UTF8.self)
  }

  private static func number(_ sql: SQLText, _ k: Int) -> Range<Int>? {
    guard ["(", ","].contains(sql.other(k - 1)) else { return nil }
    var end = k
    while let word = sql.other(end), word.utf8.allSatisfy({ $0 &- 0x30 < 10 || "+-.eE".utf8.contains($0) }),
      end == k || sql.tokens[end].range.lowerBound == sql.tokens[end - 1].range.upperBound
    {
      end += 1
    }
    guard end > k, [")", ","].contains(sql.other(end)) else { return nil }
    let range = sql.tokens[k].range.lowerBound..<sql.tokens[end - 1].range.upperBound
    return sql.bytes[range].contains { $0 &- 0x30 < 10 } ? range : nil
  }

  private static func isArgument(_ sql: SQLText, _ k: Int) -> Bool {
    var start = k
    while sql.other(start - 1) == ".", sql.word(start - 2) != nil { start -= 2 }
    if let word = sql.word(start - 1) {
      guard (["distinct", "all"] as [SQLName]).contains(word) else { return false }
      start -= 1
    }
    return ["(", ","].contains(sql.other(start - 1)) && [")", ","].contains(sql.other(k + 1))
  }
}

extension SQLText {
  var takesAll: Bool {
    tokens.indices.contains { k in
      guard tokens[k].kind == .other, tokens[k].name == "*", k > 0 else { return false }
      let before = tokens[k - 1]
      return before.kind == .other
        ? [",", "."].contains(before.name)
        : before.kind == .name && (["select", "distinct", "all"] as Set<SQLName>).contains(SQLText.folded(before.name))
    }
  }
}

extension QueryEngine {
  package static var functionNames: [String] { QueryRules.functions.map(\.text).sorted() }

  package static func quoted(_ name: String) -> String { SQLText.quoted(name) }

  package static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// Whether a type name can be a table name. SQLite reserves some names and uses others for functions.
  package static func hasTable(_ type: String) -> Bool {
    let name = SQLText.folded(type)
    return !name.hasPrefix("sqlite_") && !SQLText.tableFunctions.contains(name)
  }

  package static func isEmpty(_ sql: String) -> Bool { SQLText(sql).tokens.isEmpty }

  /// Whether SQL text can safely be put between parentheses as one expression, because it does not close any
  /// parenthesis that it did not open.
  package static func isExpression(_ sql: String) -> Bool {
    var depth = 0
    for token in SQLText(sql).tokens where token.kind == .other {
      switch token.name {
      case "(": depth += 1
      case ")": depth -= 1
      case ";": return false
      default: break
      }
      if depth < 0 { return false }
    }
    return depth == 0
  }
}
