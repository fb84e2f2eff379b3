import SeaCore

/// A path within records that stands in an SQL text as it is: `prop(_id, '/os/name')`, `os ->> 'name'`,
/// `json_extract(os, '$.name')`. SQLite knows nothing of it before it comes to a record.
struct LiteralPath {
  /// The column that is read for it, as it is written.
  var column: String
  /// Whether the column names another record, which the path is in.
  var isReference = false
  var names: [String]
  /// As it stands where a function is given it; nil where a column is gone into.
  fileprivate(set) var source: String?
  /// Whether it is more than the column itself.
  fileprivate var isFollowed = false
  /// Whether it goes into the JSON that a value becomes.
  fileprivate(set) var isJSON = false
  /// The tokens that it is in the text.
  fileprivate(set) var tokens = 0..<0
  /// What the expression gives.
  fileprivate(set) var result = Result.other
  /// Whether it stands where kinds are told apart: by SQLite, to which a date is text, or by `kind`.
  fileprivate(set) var isTyped = false
  fileprivate(set) var isTold = false
  /// Whether it stands where nothing is asked but whether there is a value.
  fileprivate(set) var isAsked = false

  enum Result {
    /// The value at the path.
    case value
    /// Its JSON, as `->` gives it.
    case json
    /// What is said of it.
    case other
  }

  /// What people call it: `os.name`, `owner->name`.
  var text: String { text(names) }

  func text(_ names: [String]) -> String {
    let own = names.count == 1 && !isReference ? names[0] : PropertyPath(names: names).description
    return isReference ? "\(column)->\(own)" : own
  }

  /// Whether it is compared, or may be.
  var isUsed: Bool { !isTyped && !isTold && !isAsked }

  fileprivate mutating func follow(_ more: [String], _ result: Result) {
    names += more
    isFollowed = true
    isJSON = true
    self.result = result
  }
}

/// Finds the paths in a text.
struct LiteralPaths {
  private(set) var all: [LiteralPath] = []
  private let sql: SQLText

  /// Functions that are given what names a record, and a path.
  private static let ofRecords: Set<SQLName> = ["prop", "label", "kind"]
  /// Functions that are given JSON, and where to look in it.
  private static let ofJSON: Set<SQLName> = [
    "json_extract", "json_type", "json_array_length", "json_each", "json_tree",
  ]

  init(_ sql: SQLText) {
    self.sql = sql
    let closings = sql.closings
    var open: [Bool] = []
    var k = 0
    while k < sql.tokens.count {
      if sql.other(k) == "(" {
        open.append((open.last ?? false) || sql.tellsTypes(k, closings))
      } else if sql.other(k) == ")" {
        _ = open.popLast()
      }
      guard let (found, end) = value(k) else {
        k += 1
        continue
      }
      for var one in found where one.isFollowed && !one.names.isEmpty {
        one.tokens = k..<end
        if open.last ?? false { one.isTyped = true }
        // What is not compared tells nothing apart.
        if one.isTold, !Comparisons(sql).isCompared(one.tokens) { (one.isTold, one.isAsked) = (false, true) }
        one.isAsked = one.isAsked || sql.asksWhetherThereIsOne(behind: end)
        all.append(one)
      }
      k = end
    }
  }

  /// The paths of a value that begins at a token, mostly one, and where it ends.
  private func value(_ k: Int) -> (found: [LiteralPath], end: Int)? {
    guard var (found, end) = operand(k) else { return nil }
    while let (more, next) = arrow(end) {
      let result = sql.other(end + 2) == ">" ? LiteralPath.Result.value : .json
      for at in found.indices {
        if let more { found[at].follow(more, result) } else { found[at].result = .other }
      }
      guard more != nil else { return (found, next) }
      end = next
    }
    return (found, end)
  }

  private func operand(_ k: Int) -> (found: [LiteralPath], end: Int)? {
    if sql.other(k) == "(" {
      guard let (found, end) = value(k + 1), sql.other(end) == ")" else { return nil }
      return (found, end + 1)
    }
    guard let function = sql.word(k) else { return nil }
    guard sql.other(k + 1) == "(" else { return column(k) }
    if LiteralPaths.ofRecords.contains(function) {
      guard let (id, end) = name(k + 2), sql.other(end) == ",", let text = sql.string(end + 1),
        sql.other(end + 2) == ")", let path = try? PropertyPath(text)
      else { return nil }
      var one = LiteralPath(column: id, isReference: SQLText.folded(id) != "_id", names: path.names, source: text)
      one.isFollowed = true
      if function == "prop" { one.result = .value }
      one.isTold = function == "kind"
      // The value itself is not looked at.
      one.isAsked = function == "label"
      return ([one], end + 3)
    }
    guard LiteralPaths.ofJSON.contains(function), let (bases, first) = value(k + 2) else { return nil }
    var found: [LiteralPath] = []
    var end = first
    while sql.other(end) == ",", let text = sql.string(end + 1), let names = LiteralPaths.names(text) {
      for var base in bases {
        base.follow(names, function == "json_extract" ? .value : .other)
        base.isTyped = function == "json_type"
        found.append(base)
      }
      end += 2
    }
    guard sql.other(end) == ")", !found.isEmpty else { return nil }
    // Of several paths it gives an array.
    if found.count > bases.count { for at in found.indices { found[at].result = .other } }
    return (found, end + 1)
  }

  /// A name, with those of its table before it.
  private func name(_ k: Int) -> (String, end: Int)? {
    guard sql.word(k) != nil else { return nil }
    var end = k
    while sql.other(end + 1) == ".", sql.word(end + 2) != nil { end += 2 }
    return (sql.tokens[end].name, end + 1)
  }

  private func column(_ k: Int) -> (found: [LiteralPath], end: Int)? {
    guard let (name, end) = name(k) else { return nil }
    let isWhole = SQLText.folded(name) == SQLText.folded(QueryTable.Fixed.json.name)
    return ([LiteralPath(column: name, names: isWhole ? [] : [name])], end)
  }

  /// `-> 'name'`, `->> '$.name'`, `-> 0`.
  /// - Returns: where the arrow leads, nil if that is not known, and where its right side ends; nil if there is none.
  private func arrow(_ k: Int) -> (names: [String]?, end: Int)? {
    guard sql.other(k) == "-", sql.other(k + 1) == ">" else { return nil }
    let next = sql.other(k + 2) == ">" ? k + 3 : k + 2
    if let text = sql.string(next) {
      return (text.hasPrefix("$") || text.hasPrefix("[") ? LiteralPaths.names(text) : [text], next + 1)
    }
    guard let index = sql.other(next).flatMap({ UInt32($0) }) else { return (nil, next) }
    return ([String(index)], next + 1)
  }

  /// The names of a path of SQLite's: `$.a."b c"[0]`.
  /// - Returns: nil if it has anything else.
  private static func names(_ text: String) -> [String]? {
    var names: [String] = []
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "$") { rest = rest.dropFirst() }
    while let sign = rest.popFirst() {
      let isIndex = sign == UInt8(ascii: "[")
      guard isIndex || sign == UInt8(ascii: ".") else { return nil }
      let isQuoted = !isIndex && rest.first == 0x22
      if isQuoted { rest = rest.dropFirst() }
      let name = rest.prefix {
        isIndex ? $0 != UInt8(ascii: "]") : isQuoted ? $0 != 0x22 : $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[")
      }
      rest = rest.dropFirst(name.count)
      if isIndex || isQuoted { guard rest.popFirst() != nil else { return nil } }
      guard !name.isEmpty, !isIndex || name.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }
}

extension SQLText {
  /// Whether a bracket opens a `typeof` that is compared with something.
  func tellsTypes(_ bracket: Int, _ closings: [Int: Int]) -> Bool {
    word(bracket - 1) == "typeof"
      && closings[bracket].map { Comparisons(self).isCompared(bracket - 1..<$0 + 1) } ?? false
  }

  /// Whether it goes on with what asks for a value alone: `IS NULL`, `NOTNULL`.
  func asksWhetherThereIsOne(behind end: Int) -> Bool {
    return (["isnull", "notnull"] as [SQLName?]).contains(word(end)) || word(end) == "not" && word(end + 1) == "null"
      || word(end) == "is" && (word(end + 1) == "null" || word(end + 1) == "not" && word(end + 2) == "null")
  }
}
