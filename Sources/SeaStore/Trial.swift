import CSQLite

/// Changes made within a transaction to see their effect, and then undone.
package struct Trial {
  private let store: Store

  package init(_ store: Store) { self.store = store }

  /// Runs `body`, then undoes everything it wrote. Work at the end of a transaction is not part of the trial.
  package func run<Result>(_ body: () throws -> Result) throws -> Result {
    let connection = store.connection
    let kept = connection.state
    try connection.execute("SAVEPOINT trial")
    defer {
      sqlite3_exec(connection.handle, "ROLLBACK TO trial; RELEASE trial", nil, nil, nil)
      connection.state = kept
      store.content.forgetFrames()
      store.records.shapes.forget()
    }
    return try body()
  }
}
