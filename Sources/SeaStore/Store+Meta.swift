import SeaCore

extension Store {
  package func metaText(_ key: String) throws(StoreError) -> String? { try connection.metaText(key) }
  package func metaInt(_ key: String) throws(StoreError) -> Int64? { try connection.metaInt(key) }
  package func metaBlob(_ key: String) throws(StoreError) -> [UInt8]? { try connection.metaBlob(key) }
  package func setMeta(_ key: String, _ value: MetaValue) throws(StoreError) { try connection.setMeta(key, value) }

  package var isInTransaction: Bool { connection.isInTransaction }

  /// Whether the blocks of this database are sealed.
  package func isSealed() throws(StoreError) -> Bool { try connection.isSealed() }

  /// Checks that the file is ours and of the one version that this program reads.
  package func checkVersion() throws(StoreError) {
    let version = try connection.statement("PRAGMA user_version")
    defer { version.reset() }
    let found = try version.step() ? version.int(0) : 0
    guard found > 0 else { throw .damaged("no database of sea") }
    guard found == Schema.version else { throw found > Schema.version ? .newer(found) : .older(found) }
  }

  /// A number that is another one when somebody else, by another connection, has written since it was asked for.
  package func foreignWrites() throws(StoreError) -> Int {
    let look = try connection.statement("PRAGMA data_version")
    defer { look.reset() }
    return try look.step() ? look.int(0) : 0
  }

  /// A number that is another one when tables were made or dropped, by whomever.
  package func tableVersion() throws(StoreError) -> Int {
    let look = try connection.statement("PRAGMA schema_version")
    defer { look.reset() }
    return try look.step() ? look.int(0) : 0
  }

  // MARK: - Parts with a question of their own

  package var intake: Intake { Intake(store: self) }
  package var projection: Projection { Projection(store: self) }
  package var purged: PurgedBytes { PurgedBytes(store: self) }
  package var disk: StoreFiles { StoreFiles(folder: folder, connection: connection) }
}
