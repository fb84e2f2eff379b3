import CSQLite

/// What is written in the middle of a transaction to see what would be, and taken back.
package struct Trial {
  private let store: Store

  package init(_ store: Store) { self.store = store }

  /// Runs `body`, and takes back whatever it writes. What is written down when a transaction ends is not written down for this.
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
