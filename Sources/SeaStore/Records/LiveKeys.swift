import SeaCore

/// The keys of live records, stored as a bit set. The set needs one bit for each record ever stored.
struct LiveKeys {
  private var words: [UInt64]

  /// Returns nil if all records are live and any type is allowed, because no lookup is needed then.
  init?(_ records: RecordTable, types: [String]) throws {
    let all = try records.connection.statement(
      "SELECT (SELECT ifnull(max(key), 0) FROM record), (SELECT count(*) FROM record)")
    defer { all.reset() }
    guard try all.step() else { throw StoreError.damaged("record") }
    let (last, count) = (all.int(0), all.int(1))
    let shapes = try records.shapes.keys(of: types)
    if shapes == nil, try records.shapes.count(shapes: nil) == count { return nil }
    // Keys are consecutive, so a larger key indicates damage.
    guard last < 1 << 36 else { throw StoreError.damaged("record") }
    words = [UInt64](repeating: 0, count: last / 64 + 1)
    let keys = try records.connection.statement(
      shapes == nil
        ? "SELECT key FROM record INDEXED BY record_shape WHERE shape > 0"
        : "SELECT key FROM record INDEXED BY record_shape WHERE shape = ?")
    for shape in shapes ?? [0] {
      if shapes != nil { keys.bind(1, shape as Int64?) }
      defer { keys.reset() }
      while try keys.step() {
        let key = keys.int(0)
        guard key >= 0, key <= last else { throw StoreError.damaged("record") }
        words[key >> 6] |= 1 << UInt64(key & 63)
      }
    }
  }

  func contains(_ key: Int) -> Bool {
    key >= 0 && key >> 6 < words.count && words[key >> 6] & 1 << UInt64(key & 63) != 0
  }
}
