/// A table of a page: cells without the marks of code, a dash for nothing.
struct PageTable {
  let columns: [String]
  let rows: [[String]]

  static func all(in page: String) -> [PageTable] {
    var tables: [PageTable] = []
    var rows: [[String]] = []
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false) + [Substring()]
    for line in lines {
      if line.hasPrefix("|") {
        rows.append(cells(line))
      } else if rows.count > 2 {
        tables.append(PageTable(columns: rows[0], rows: Array(rows[2...])))
        rows = []
      }
    }
    return tables
  }

  private static func cells(_ line: Substring) -> [String] {
    line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map { cell in
      var words = cell.split(separator: " ").joined(separator: " ")
      if words.hasPrefix("`"), words.hasSuffix("`") { words = String(words.dropFirst().dropLast()) }
      return words == "–" ? "" : words
    }
  }
}
