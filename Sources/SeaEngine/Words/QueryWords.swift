import SeaCore

/// Hints for users of other query languages.
package enum QueryWords {
  /// The prefix of parameters for values that a library has inserted into a condition.
  package static let interpolated = "sea_kit_"

  package static func property(_ name: String) -> String { literal(PropertyPath(names: [name]).pointer) }

  static func literal(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  private static let statements: Set = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DESC", "DESCRIBE", "DETACH", "DROP", "END",
    "EXPLAIN", "INSERT", "MERGE", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "SET", "SHOW",
    "START", "TRUNCATE", "UPDATE", "USE", "VACUUM",
  ]

  static func isStatement(_ word: String) -> Bool { statements.contains(word) || word.hasPrefix(".") }

  static func insteadOf(unknown word: String) -> String {
    Similarity.nearest(to: word.lowercased(), among: ["select", "values", "with"]).map {
      "did you mean \($0.uppercased())?"
    } ?? "to use only a condition, run: sea query 'CONDITION'"
  }

  package static func insteadOf(_ what: String) -> String {
    let word = what.uppercased()
    if word.hasPrefix(".") || ["SHOW", "DESCRIBE", "DESC", "PRAGMA"].contains(word) {
      return "to list types and their properties, run: sea query --types"
    }
    switch word {
    case "UPDATE": return "to change records, run: sea set --where=SQL KEY=VALUE"
    case "DELETE": return "to delete records, run: sea delete --where=SQL"
    case "INSERT", "REPLACE": return "to create records, run: sea put; or: sea set --create; or: sea load"
    default: return "queries are read-only"
    }
  }

  package static func hint(_ message: String) -> String {
    if message.hasPrefix("no such function: ") {
      let name = message.dropFirst(18).lowercased()
      if let similar = Similarity.nearest(to: name, among: Queries.functionNames) {
        return similar == name
          ? "sea was built with a SQLite that lacks this function" : "did you mean '\(similar)'?"
      }
    }
    return "for the syntax, see sea-query(7)"
  }
}
