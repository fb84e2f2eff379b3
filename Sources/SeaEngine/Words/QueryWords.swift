import SeaCore

/// What is written instead of what other languages have, for who tries it in a query.
package enum QueryWords {
  /// What the names begin with that a library gives to values in the text of a condition.
  package static let interpolated = "sea_kit_"

  /// What `prop` takes for a property of a record.
  static func property(_ name: String) -> String { literal(PropertyPath(names: [name]).pointer) }

  /// A text as SQL has it.
  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// What a statement of SQL, or a command of a shell for it, begins with that changes something or looks at something else.
  private static let statements: Set = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DESC", "DESCRIBE", "DETACH", "DROP", "END",
    "EXPLAIN", "INSERT", "MERGE", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "SET", "SHOW",
    "START", "TRUNCATE", "UPDATE", "USE", "VACUUM",
  ]

  /// - Parameter word: what a statement begins with, in capitals.
  static func isStatement(_ word: String) -> Bool { statements.contains(word) || word.hasPrefix(".") }

  /// For a statement that begins with no word of SQL.
  static func insteadOf(unknown word: String) -> String {
    Similarity.nearest(to: word.lowercased(), among: ["select", "values", "with"]).map {
      "did you mean \($0.uppercased())?"
    } ?? "a condition alone is for: sea query 'CONDITION'"
  }

  /// Instead of a statement that is no query.
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

  /// For what SQLite says of a statement that it does not understand.
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
