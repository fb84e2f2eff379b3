extension Comparisons {
  /// Tokens of a row that are looked at: `(a, b) < (1, 2)`.
  private static let longestRow = 100

  /// What stands in the other row in the place of what stands in one.
  func values(besideInRow operand: Range<Int>) -> [ComparedValue] {
    guard ["(", ","].contains(sql.other(operand.lowerBound - 1)), [")", ","].contains(sql.other(operand.upperBound)),
      let (open, place) = opening(before: operand.lowerBound), let close = closing(behind: operand.upperBound),
      place > 0 || sql.other(operand.upperBound) == ",", begins(open - 1)
    else { return [] }
    return values(place, behindRow: close + 1) + values(place, beforeRow: open)
  }

  /// Where the bracket is that is open there, and how many commas stand behind it.
  private func opening(before start: Int) -> (open: Int, commas: Int)? {
    var (depth, commas) = (0, 0)
    for k in stride(from: start - 1, through: max(0, start - Comparisons.longestRow), by: -1) {
      switch sql.other(k) {
      case ")": depth += 1
      case "(" where depth == 0: return (k, commas)
      case "(": depth -= 1
      case "," where depth == 0: commas += 1
      default: break
      }
    }
    return nil
  }

  func closing(behind start: Int) -> Int? {
    var depth = 0
    for k in start..<start + Comparisons.longestRow {
      switch sql.other(k) {
      case "(": depth += 1
      case ")" where depth == 0: return k
      case ")": depth -= 1
      default: break
      }
    }
    return nil
  }

  /// The value in one place of a row that is opened at a token.
  private func value(_ place: Int, inRow open: Int) -> ComparedValue.Content? {
    guard sql.other(open) == "(" else { return nil }
    var (depth, left, k) = (0, place, open + 1)
    while left > 0 {
      guard k < open + Comparisons.longestRow, k < sql.tokens.count else { return nil }
      switch sql.other(k) {
      case "(": depth += 1
      case ")" where depth == 0: return nil
      case ")": depth -= 1
      case "," where depth == 0: left -= 1
      default: break
      }
      k += 1
    }
    guard let (content, end) = value(k), [",", ")"].contains(sql.other(end)) else { return nil }
    return content
  }

  private func values(_ place: Int, behindRow start: Int) -> [ComparedValue] {
    var at = start
    if sql.word(at) == "not" { at += 1 }
    var found: [ComparedValue.Content?] = []
    var isWhole = true
    if sql.word(at) == "between" {
      isWhole = false
      found.append(value(place, inRow: at + 1))
      if let close = closing(behind: at + 2), sql.word(close + 1) == "and" {
        found.append(value(place, inRow: close + 2))
      }
    } else if sql.word(at) == "in", sql.other(at + 1) == "(", sql.word(at + 2) == "values" {
      at += 2
      repeat {
        found.append(value(place, inRow: at + 1))
        guard let close = closing(behind: at + 2) else { break }
        at = close + 1
      } while sql.other(at) == ","
    } else {
      if sql.word(at) == "is" { at += sql.word(at + 1) == "not" ? 2 : 1 }
      let signs = at
      while isComparison(at) { at += 1 }
      guard at > start else { return [] }
      isWhole = signs == at || self.isWhole(signs..<at)
      found.append(value(place, inRow: at))
    }
    return found.compactMap { $0 }.map { ComparedValue(content: $0, isWhole: isWhole) }
  }

  private func values(_ place: Int, beforeRow open: Int) -> [ComparedValue] {
    var at = open
    while isComparison(at - 1) { at -= 1 }
    guard at < open, sql.other(at - 1) == ")", let (start, _) = opening(before: at - 1),
      let content = value(place, inRow: start)
    else { return [] }
    return [ComparedValue(content: content, isWhole: isWhole(at..<open))]
  }
}
