extension SQLText {
  private static let comparing: Set<String> = ["<", ">", "=", "!"]

  /// Whether a column stands in a comparison with a number that is written out: before it or behind it, in BETWEEN and in IN.
  func comparesWithNumber(_ column: String) -> Bool {
    let name = SQLText.folded(column)
    return tokens.indices.contains { at in
      tokens[at].kind == .name && SQLText.folded(tokens[at].name) == name
        && (isNumber(behindComparison: at + 1) || isNumber(beforeComparison: at))
    }
  }

  private func isNumber(behindComparison start: Int) -> Bool {
    var at = start
    func word(_ at: Int) -> SQLName? { tokens.indices.contains(at) ? SQLText.folded(tokens[at].name) : nil }
    if word(at) == "not" { at += 1 }
    if word(at) == "between" {
      at += 1
    } else if word(at) == "in", word(at + 1) == "(" {
      at += 2
    } else {
      while isComparison(at) { at += 1 }
      guard at > start else { return false }
    }
    while isSign(at) { at += 1 }
    return isNumber(at)
  }

  private func isNumber(beforeComparison column: Int) -> Bool {
    // A column may stand behind the name of its table.
    var at = column - 1
    if at > 0, tokens[at].kind == .other, tokens[at].name == "." { at -= 2 }
    let end = at
    while isComparison(at) { at -= 1 }
    return at < end && isNumber(at)
  }

  private func isComparison(_ at: Int) -> Bool {
    tokens.indices.contains(at) && tokens[at].kind == .other && SQLText.comparing.contains(tokens[at].name)
  }

  private func isSign(_ at: Int) -> Bool {
    tokens.indices.contains(at) && tokens[at].kind == .other && (tokens[at].name == "-" || tokens[at].name == "+")
  }

  private func isNumber(_ at: Int) -> Bool {
    tokens.indices.contains(at) && tokens[at].kind == .other
      && tokens[at].name.utf8.first.map { $0 &- 0x30 < 10 } ?? false
  }
}
