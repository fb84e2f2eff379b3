import SeaCore

/// Indexes of text stand for a column that nothing but `MATCH`, `snippet` and `rank` has a use for.
extension QueryEngine {
  /// Those of them that the statement names.
  private var texts: [String] {
    read.compactMap { table, column in
      table.properties.contains { $0.text != nil && UTF8Text.equal($0.name, column) } ? column : nil
    }
  }

  /// Why SQLite could not leave a `MATCH` to an index.
  var badMatch: QueryFault { texts.isEmpty ? noTextIndex : .matchBesideOthers }

  var noTextIndex: QueryFault {
    .noTextIndex(known: tables.flatMap(\.table.properties).filter { $0.text != nil }.map(\.name))
  }
}

/// Which columns a statement shows and compares with nothing.
struct ShownColumns {
  /// Where a name stands alone among what the outermost SELECT gives.
  private var places: Set<Int> = []
  /// Whether what is shown is compared: it is put in an order, or one of several that are alike is left.
  private var comparesNamed = false
  /// The same of columns that no name stands for, as an asterisk shows them.
  private var comparesAll = false

  private static let comparing: Set<SQLName> = [
    "distinct", "order", "group", "having", "union", "intersect", "except", "natural", "using", "over",
  ]
  private static let comparingAll: Set<SQLName> = ["distinct", "union", "intersect", "except", "natural"]

  init(_ sql: SQLText) {
    var depth = 0
    var isList = false
    for k in sql.tokens.indices {
      switch sql.other(k) {
      case "(": depth += 1
      case ")": depth -= 1
      default: break
      }
      guard let word = sql.word(k) else { continue }
      if ShownColumns.comparing.contains(word) { comparesNamed = true }
      // A column is ordered by its number, too.
      let isNumbered = word == "by" && sql.isNumber(k + 1)
      if ShownColumns.comparingAll.contains(word) || isNumbered { comparesAll = true }
      guard depth == 0 else { continue }
      if word == "select" { isList = true }
      if word == "from" { isList = false }
      let start = sql.column(k).lowerBound
      let begins = sql.word(start - 1) == "select" || sql.other(start - 1) == ","
      if isList, begins, sql.word(k + 1) == "from" || sql.other(k + 1) == "," { places.insert(k) }
    }
  }

  /// Whether all that is said of a column is in these places.
  func has(only places: [Int]) -> Bool {
    places.isEmpty ? !comparesAll : !comparesNamed && places.allSatisfy(self.places.contains)
  }
}
