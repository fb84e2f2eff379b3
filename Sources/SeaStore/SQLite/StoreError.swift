import CSQLite
import SeaSystem

package enum StoreError: Error, Equatable {
  /// The file exists but is damaged or is not a Sea database.
  case damaged(String)
  case newer(Int)
  /// An older program, from before the first release, wrote the file.
  case older(Int)
  case full
  case readOnly
  /// Another process used the file for longer than the timeout.
  case busy
  case io(String)
  /// Another process holds the writer lock. The values are its description of itself, and the time since it took the
  /// lock.
  case locked(text: String, milliseconds: Int64)
  case system(SystemError)
  case placeTooLong(path: String, most: Int)
  /// The file is missing from a folder that contains other files of the database.
  case missing(path: String)
  /// Another file has replaced the file that was opened.
  case replaced(path: String)
  /// One of the program's SQL statements is wrong, which is a bug.
  case defect(String)

  init(_ code: Int32, _ message: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    // The program's SQL statements neither violate a constraint nor name a missing table, unless the file is damaged.
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_TOOBIG:
      self = .damaged(message)
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL: self = .io(message)
    default: self = .defect(message)
    }
  }
}
