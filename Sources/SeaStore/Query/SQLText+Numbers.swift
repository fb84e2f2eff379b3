extension SQLText {
  private static let comparing: Set<String> = ["<", ">", "=", "!"]

  /// Whether a column stands in a comparison with a number that is written out: before it or behind it, in BETWEEN and in IN.
  func comparesWithNumber(_ column: String) -> Bool {
    let name = SQLText.folded(column)
    return tokens.indices.contains { at in
      word(at) == name && (isNumber(behindComparison: at + 1) || isNumber(beforeComparison: at))
    }
  }

  private func isNumber(behindComparison start: Int) -> Bool {
    var at = start
    if word(at) == "not" { at += 1 }
    if word(at) == "between" {
      at += 1
    } else if word(at) == "in", other(at + 1) == "(" {
      at += 2
    } else {
      while isComparison(at) { at += 1 }
      guard at > start else { return false }
    }
    while ["-", "+"].contains(other(at)) { at += 1 }
    return isNumber(at)
  }

  private func isNumber(beforeComparison column: Int) -> Bool {
    // A column may stand behind the name of its table.
    var at = column - 1
    if other(at) == "." { at -= 2 }
    let end = at
    while isComparison(at) { at -= 1 }
    return at < end && isNumber(at)
  }

  private func isComparison(_ at: Int) -> Bool { other(at).map(SQLText.comparing.contains) ?? false }

  private func isNumber(_ at: Int) -> Bool { other(at)?.utf8.first.map { $0 &- 0x30 < 10 } ?? false }
}
