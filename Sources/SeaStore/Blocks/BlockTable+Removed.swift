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
    let scan = try connection.statement(
      "SELECT * FROM block_row WHERE applied <> 1 AND applied = ? AND size = ? ORDER BY +seq")
    return try rows(scan.bind(1, BlockState.unread.rawValue).bind(2, Remains.blockSize))
  }

  /// A removed block and what is kept behind it.
  package func remains(of row: BlockRow) throws(StoreError) -> [UInt8] {
    let size = try connection.statement("SELECT ifnull(sum(length(bytes)), 0) FROM piece WHERE key BETWEEN ? AND ?")
    defer { size.reset() }
    size.bind(1, (row.sequence << 16) as Int64?).bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?)
    guard row.isRemoved, try size.step(), size.int(0) >= Remains.blockSize else { throw .damaged("block \(row.ref)") }
    return try read(sequence: row.sequence, offset: 0, length: size.int(0))
  }

  /// The block in which the order stands that allows a removed one; nil if none does.
  package func source(of row: BlockRow) throws(StoreError) -> BlockRef? {
    guard row.state != .unread, row.isRemoved else { return nil }
    let bytes = try read(sequence: row.sequence, offset: 0, length: Remains.blockSize + Remains.sourceSize)
    return bytes.withUnsafeBytes { Remains.source(ofKept: $0) }
  }

  func setRemains(_ remains: [UInt8]?, of row: BlockRow, as state: BlockState) throws(StoreError) {
    let block = try bytes(of: row)
    try removePieces(row)
    let kept = block + (remains ?? [])
    try kept.withUnsafeBufferPointer { bytes throws(StoreError) in
      try copyPieces(UnsafeRawBufferPointer(bytes), sequence: row.sequence)
    }
    let said = remains == nil ? nil : kept.withUnsafeBytes { try? Remains(ofKept: $0) }
    let update = try connection.statement("UPDATE block SET applied = ?, unread = ?, changes = ? WHERE seq = ?")
    update.bind(1, state.rawValue).bind(2, said == nil ? Int64(UnreadReason.notReadable.rawValue) : nil)
    try update.bind(3, said?.changes.count ?? 0).bind(4, row.sequence as Int64?).run()
  }

  func removePieces(_ row: BlockRow) throws(StoreError) {
    let remove = try connection.statement("DELETE FROM piece WHERE key BETWEEN ? AND ?")
    remove.bind(1, (row.sequence << 16) as Int64?)
    try remove.bind(2, (row.sequence << 16 | Schema.frameIndex - 1) as Int64?).run()
  }
}
