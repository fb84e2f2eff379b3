import SeaCore

extension Store {
  /// Asks in SQL, of one state of the database: within `snapshot`.
  package func queries(
    _ source: QuerySource, similar: @escaping (_ word: String, _ known: [String]) -> String?
  ) throws -> QueryEngine {
    try QueryEngine(records, source, similar: similar)
  }
}
