import CSQLite

extension Store {
  /// A transaction within another one.
  func part<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try writeHead()
      return result
    } catch {
      if failedPart == nil { failedPart = error }
      throw error
    }
  }

  /// Runs `body` on one state of the database, whatever others write meanwhile.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    if inTransaction || sqlite3_get_autocommit(connection.handle) == 0 { return try body() }
    try connection.execute("BEGIN")
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    return try body()
  }
}
