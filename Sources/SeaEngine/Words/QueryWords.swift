import SeaCore

/// Hints for elements of other query languages.
package enum QueryWords {
  /// The prefix of parameters for values that a library inserts into a condition.
  package static let interpolated = "sea_kit_"

  /// Returns the argument of `prop` for a property of a record.
  static func property(_ name: String) -> String { literal(PropertyPath(names: [name]).pointer) }

  /// Returns a text as an SQL literal.
  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// The first words of statements that change or inspect something other than records, in SQL or its shells.
  private static let statements: Set = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DESC", "DESCRIBE", "DETACH", "DROP", "END",
    "EXPLAIN", "INSERT", "MERGE", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "SET", "SHOW",
    "START", "TRUNCATE", "UPDATE", "USE", "VACUUM",
  ]

  /// - Parameter word: the first word of the statement, in upper case.
  static func isStatement(_ word: String) -> Bool { statements.contains(word) || word.hasPrefix(".") }

  /// Returns the hint for a statement with an unknown first word.
  static func insteadOf(unknown word: String) -> String {
    Similarity.nearest(to: word.lowercased(), among: ["select", "values", "with"]).map {
      "did you mean \($0.uppercased())?"
    } ?? "a condition alone is for: sea query 'CONDITION'"
  }

  /// Returns the hint for a statement that is not a query.
  package static func insteadOf(_ what: String) -> String {
    let word = what.uppercased()
    if word.hasPrefix(".") || ["SHOW", "DESCRIBE", "DESC", "PRAGMA"].contains(word) {
      return "the types and their properties are listed by: sea query --types"
    }
    switch word {
    case "UPDATE": return "records are changed with: sea set --where=SQL KEY=VALUE"
    case "DELETE": return "records are deleted with: sea delete --where=SQL"
    case "INSERT", "REPLACE": return "records are made with: sea put; sea set --create; sea load"
    default: return "queries read records and change nothing"
    }
  }

  /// Returns the hint for an error message of SQLite.
  package static func hint(_ message: String) -> String {
    if message.hasPrefix("no such function: ") {
      let name = message.dropFirst(18).lowercased()
      if let similar = Similarity.nearest(to: name, among: Queries.functionNames) {
        return similar == name
          ? "the SQLite that this program was built with has no such function" : "did you mean '\(similar)'?"
      }
    }
    return "the language is SQL: sea-query(7)"
  }
}
