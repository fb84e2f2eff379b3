package enum MetaValue: Equatable, Sendable {
  case text(String)
  case int(Int64)
  case blob([UInt8])
}

/// What is said of the database as a whole.
extension Connection {
  func setMeta(_ key: String, _ value: MetaValue) throws(StoreError) {
    let statement = try statement("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)")
    statement.bind(1, key)
    switch value {
    case .text(let text): statement.bind(2, text)
    case .int(let number): statement.bind(2, number as Int64?)
    case .blob(let bytes): statement.bind(2, copy: bytes)
    }
    try statement.run()
  }

  private func meta<Value>(_ key: String, _ read: (Statement) -> Value?) throws(StoreError) -> Value? {
    let statement = try statement("SELECT value FROM meta WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  func metaText(_ key: String) throws(StoreError) -> String? { try meta(key) { $0.optionalText(0) } }
  func metaInt(_ key: String) throws(StoreError) -> Int64? { try meta(key) { $0.optionalInt(0) } }
  func metaBlob(_ key: String) throws(StoreError) -> [UInt8]? { try meta(key) { $0.array(0) } }

  /// Whether blocks are sealed; it never changes.
  func isSealed() throws(StoreError) -> Bool {
    if let knownSealed { return knownSealed }
    let sealed = try metaInt("sealed") == 1
    knownSealed = sealed
    return sealed
  }
}
