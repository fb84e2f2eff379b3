import CSQLite
import SeaSystem

extension Store {
  /// SQLite takes no path beyond 512 bytes, that of its journal included.
  /// - Parameters:
  ///   - folder: what the database is to lie in.
  ///   - making: whether the folder does not have its name yet, and a longer one meanwhile.
  /// - Throws: `placeTooLong`.
  package static func checkPlace(_ folder: String, making: Bool) throws(StoreError) {
    let most = making ? 459 : 501
    guard let real = try? Path.realAsFarAsThere(folder), real.utf8.count > most else { return }
    throw .placeTooLong(path: folder, most: most)
  }
}

extension Store {
  /// Whether what was opened lies where it was opened no more: the folder was moved, removed or replaced.
  package var hasMoved: Bool {
    guard !folder.isEmpty, isOpen else { return false }
    var moved: CInt = 0
    return sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }

  /// The same by a second look: what could not be looked at is no other file.
  /// - Throws: what the disk says.
  var isReplaced: Bool {
    get throws { try hasMoved && (Path.status(Path.join(folder, Store.fileName)) == nil || hasMoved) }
  }
}
