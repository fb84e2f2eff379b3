import SeaCore

// Removed blocks: 112 bytes, and behind them what the order says that allows them, if one does.

extension BlockTable {
  /// Blocks of which only the hash is here.
  package func removed() throws(StoreError) -> [BlockRow] {
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND size = ? ORDER BY +seq")
    return try rows(scan.bind(1, Remains.blockSize))
  }

  /// Those of them that no order allows which counts: what is behind them is as if it were not here.
  package func unsoundRemovals() throws(StoreError) -> [BlockRow] {
    // Who writes asks, and there are none. SQLite makes this one ready in a sixth of the time.
    let any = try connection.statement("SELECT 1 FROM block WHERE applied <> 1 AND applied = ? AND size = ?")
    defer { any.reset() }
    guard try any.bind(1, BlockState.unread.rawValue).bind(2, Remains.blockSize).step() else { return [] }
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND applied = ? AND size = ? ORDER BY +seq")
    return try rows(scan.bind(1, BlockState.unread.rawValue).bind(2, Remains.blockSize))
  }
}
