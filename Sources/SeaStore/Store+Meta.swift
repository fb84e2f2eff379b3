extension Store {
  package enum MetaValue: Equatable, Sendable {
    case text(String)
    case int(Int64)
    case blob([UInt8])
  }

  static func setMeta(_ connection: Connection, _ key: String, _ value: MetaValue) throws(StoreError) {
    let statement = try connection.statement("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)")
    statement.bind(1, key)
    switch value {
    case .text(let text): statement.bind(2, text)
    case .int(let number): statement.bind(2, number as Int64?)
    case .blob(let bytes): statement.bind(2, copy: bytes)
    }
    try statement.run()
  }

  package func setMeta(_ key: String, _ value: MetaValue) throws(StoreError) {
    try Store.setMeta(connection, key, value)
  }

  package func metaText(_ key: String) throws(StoreError) -> String? {
    let statement = try connection.statement("SELECT value FROM meta WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalText(0) : nil
  }

  package func metaInt(_ key: String) throws(StoreError) -> Int64? {
    let statement = try connection.statement("SELECT value FROM meta WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0) : nil
  }

  package func metaBlob(_ key: String) throws(StoreError) -> [UInt8]? {
    let statement = try connection.statement("SELECT value FROM meta WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? statement.array(0) : nil
  }
}
