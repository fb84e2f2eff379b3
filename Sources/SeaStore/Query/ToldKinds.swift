import SeaCore

/// Of which columns and paths an SQL text says which kinds of value it means, and of which it only asks whether there is a value.
package struct ToldKinds {
  /// By `typeof` and its like, to which a date is text and a boolean a number; and by `kind`.
  private var typed: Set<SQLName> = []
  private var told: Set<SQLName> = []
  private var asked: Set<SQLName> = []
  private var used: Set<SQLName> = []

  package init(_ sql: String) {
    let text = SQLText(sql)
    let closings = text.closings
    // Of each bracket that is open, whether it is within a `typeof`, and one that tells kinds apart.
    var open: [(isTyped: Bool, tells: Bool)] = []
    for (k, token) in text.tokens.enumerated() {
      if token.kind == .name {
        for name in ToldKinds.names(token.name) {
          if open.last?.tells ?? false { typed.insert(name) }
          let isAsked = open.last?.isTyped ?? false || text.asksWhetherThereIsOne(behind: k + 1)
          if isAsked { asked.insert(name) } else { used.insert(name) }
        }
      }
      if text.other(k) == ")" {
        _ = open.popLast()
      } else if text.other(k) == "(" {
        let outer = open.last ?? (false, false)
        open.append((outer.isTyped || text.word(k - 1) == "typeof", outer.tells || text.tellsTypes(k, closings)))
      }
    }
    for path in LiteralPaths(text).all {
      let name = SQLText.folded(path.text)
      if path.isTyped { typed.insert(name) }
      if path.isTold { told.insert(name) }
      if path.isAsked { asked.insert(name) }
      if path.isUsed { used.insert(name) }
    }
  }

  /// A name, and as the column of an index the path that it is.
  private static func names(_ name: String) -> [SQLName] {
    let path = name.hasPrefix("/") ? try? PropertyPath(name) : nil
    return [SQLText.folded(name)] + (path.map { [SQLText.folded($0.description)] } ?? [])
  }

  /// Whether it compares the values of a column or path, or may.
  package func uses(_ column: String) -> Bool { used.contains(SQLText.folded(column)) }

  /// Whether it asks nothing but whether there is one.
  package func onlyAsks(_ column: String) -> Bool { asked.contains(SQLText.folded(column)) && !uses(column) }

  /// Whether it tells these kinds apart.
  package func tells(_ column: String, _ kinds: [ValueClass]) -> Bool {
    let name = SQLText.folded(column)
    return told.contains(name) || (typed.contains(name) && Set(kinds.map(\.sqlType)).count == kinds.count)
  }
}

extension ValueClass {
  /// What `typeof` sees of it.
  fileprivate var sqlType: String {
    switch self {
    case .numbers, .booleans: "number"
    case .text, .dates, .json: "text"
    case .data: "blob"
    }
  }
}
