import SeaCore

extension QueryEngine {
  /// What a comparison says that is right, and perhaps not what was meant.
  func surprises(in text: SQLText, _ compared: Comparisons) throws -> [QueryNotice] {
    let places = text.places
    var notices: [QueryNotice] = compared.areWithNull ? [.withNull] : []
    var seen: Set<String> = []
    for (table, name) in read {
      guard let column = table.catalog.columns[SQLText.folded(name)], seen.insert(table.name + "." + name).inserted
      else {
        continue
      }
      let at = places[SQLText.folded(name)] ?? []
      if column.kinds.onlyClass == .dates, let day = at.lazy.compactMap({ compared.edge(ofDay: $0) }).first {
        notices.append(.edgeOfDay(column: column.name, day: day))
      }
      if let denial = text.leavesOutNull(at, compared), tables.count == 1, !table.isAll,
        let lacking = try lacking(column.name, table.catalog.type)
      {
        notices.append(
          .withoutValue(
            table: table.name, column: column.name, count: lacking, denial: denial.words, value: denial.value))
      }
    }
    return notices
  }

  /// How many records of a type have no such property; nil if all have it.
  private func lacking(_ name: String, _ type: String?) throws -> Int? {
    var count = 0
    try records.shapes.forEach { shape, many in
      guard shape.isOf(type), !shape.properties.contains(where: { UTF8Text.equal($0.name, name) }) else { return }
      count += many
    }
    return count > 0 ? count : nil
  }
}

extension Comparisons {
  /// The day that dates in a column are compared with as if it were one of them: a day sorts before its first moment, so that `>` has
  /// all of it and `<=` nothing.
  fileprivate func edge(ofDay column: Int) -> String? {
    func day(_ at: Int) -> String? {
      guard case .text(let text)? = value(at)?.content, text.utf8.count == 10, ValueClass.isDate(text, whole: false)
      else {
        return nil
      }
      return text
    }
    let next = column + 1
    if sql.other(next) == ">", sql.other(next + 1) != "=", sql.other(next + 1) != ">" { return day(next + 1) }
    if sql.other(next) == "<", sql.other(next + 1) == "=" { return day(next + 2) }
    guard sql.word(next) == "between", let (_, end) = value(next + 1), sql.word(end) == "and" else { return nil }
    return day(end + 1)
  }
}

extension SQLText {
  /// Words with which a condition speaks of NULL itself, or which make it hold where a part of it does not.
  private static let others: Set<SQLName> = [
    "or", "not", "case", "null", "isnull", "notnull", "coalesce", "ifnull", "iif", "exists", "union", "except",
    "intersect",
  ]

  private static let denied: Set<SQLName> = ["in", "like", "between", "glob", "regexp"]

  /// Whether a NOT stands there that denies a comparison as a part of it: `NOT IN`.
  private func denies(_ at: Int) -> Bool {
    word(at) == "not" && word(at - 1) != "is" && word(at + 1).map(SQLText.denied.contains) ?? false
  }

  /// Where a column is to differ from something, which nothing does that is not there: the words for that, and the value where there is
  /// one that can be told.
  fileprivate func leavesOutNull(_ places: [Int], _ compared: Comparisons) -> (words: String, value: String?)? {
    guard let place = tokens.indices.first(where: { word($0) == "where" }),
      !tokens.indices.contains(where: { (word($0).map(SQLText.others.contains) ?? false) && !denies($0) })
    else { return nil }
    for at in places where at > place {
      if denies(at + 1), let name = word(at + 2) { return ("NOT " + name.text.uppercased(), nil) }
      let signs = [other(at + 1), other(at + 2)]
      guard signs == ["!", "="] || signs == ["<", ">"], let (_, end) = compared.value(at + 3) else { continue }
      let range = tokens[at + 3].range.lowerBound..<tokens[end - 1].range.upperBound
      return ("!=", String(decoding: bytes[range].prefix(60), as: UTF8.self))
    }
    return nil
  }
}
