import SeaCore

extension Store {
  /// The moment at which the database is looked at; nil for now.
  package var past: Moment? { connection.past }

  /// Runs `body` on what was known at a moment, if one is given. It reads every revision that is here once, and keeps those of then in a
  /// temporary file until it ends.
  package func snapshot<Result>(at moment: Moment?, _ body: () throws -> Result) throws -> Result {
    guard let moment else { return try snapshot(body) }
    guard !connection.isInTransaction, connection.past == nil else { throw StoreError.defect("moment within another") }
    let isKept = try isQueryOnly()
    if isKept { try connection.execute("PRAGMA query_only=OFF") }
    defer {
      records.shapes.forget()
      connection.past = nil
      if isKept { try? connection.execute("PRAGMA query_only=ON") }
    }
    // With its end the tables are gone.
    return try snapshot {
      if try moment.sequence < blocks.lastSequence() {
        try PastProjection(connection, records, tree).make(moment)
        connection.past = moment
      }
      return try body()
    }
  }

  private func isQueryOnly() throws(StoreError) -> Bool {
    let look = try connection.statement("PRAGMA query_only")
    defer { look.reset() }
    return try look.step() && look.int(0) != 0
  }
}
