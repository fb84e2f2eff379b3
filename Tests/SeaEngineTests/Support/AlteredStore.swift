import CSQLite
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport

extension Database {
  /// Changes the store with plain SQL, bypassing Sea.
  func alter(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let opened = sqlite3_open_v2(Path.join(path, Store.fileName), &handle, SQLITE_OPEN_READWRITE, nil)
    guard opened == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw StoreError.damaged(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "not opened")
    }
  }
}
