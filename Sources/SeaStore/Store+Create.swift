import CSQLite
import SeaSystem

extension Store {
  /// Makes the database in a folder that has none.
  package static func create(folder: String, meta: [(String, MetaValue)]) throws(StoreError) {
    if try create(folder: folder, meta: meta, journal: "WAL") { return }
    do throws(SystemError) {
      for end in ["", "-wal", "-shm", "-journal"] { try Path.remove(Path.join(folder, fileName + end)) }
    } catch {
      throw .system(error)
    }
    guard try create(folder: folder, meta: meta, journal: "PERSIST") else { throw .io("no journal is possible") }
  }

  /// False where the journal cannot be kept: a write-ahead log needs memory that processes share, which FAT has not.
  private static func create(
    folder: String, meta: [(String, MetaValue)], journal: String
  ) throws(StoreError) -> Bool {
    let connection = try Connection(
      Path.join(folder, fileName), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    defer { connection.close() }
    do throws(StoreError) {
      try connection.execute("PRAGMA journal_mode=\(journal)")
      // The first look is what opens the log.
      try connection.execute("SELECT count(*) FROM sqlite_schema")
      let mode = try connection.statement("PRAGMA journal_mode")
      let isAsked = try mode.step() && mode.text(0).uppercased() == journal
      mode.reset()
      guard isAsked else { return false }
    } catch {
      guard connection.cannotShareMemory else { throw error }
      return false
    }
    try connection.execute(
      """
      PRAGMA synchronous=FULL; PRAGMA application_id=\(Schema.applicationID);
      BEGIN; PRAGMA user_version=\(Schema.version);
      """ + Schema.tables + Schema.projection)
    for (key, value) in meta { try connection.setMeta(key, value) }
    try connection.execute("COMMIT")
    return true
  }
}
