import CSQLite
import SeaSystem

package enum StoreError: Error, Equatable {
  case damaged(String)
  case newer(Int)
  /// The file was written by an older version of the program, from before the first release.
  case older(Int)
  case full
  case readOnly
  /// Another process has been using the file for longer than the timeout.
  case busy
  case io(String)
  /// Another process holds the writer lock. The values are the other process's description of itself, and the time
  /// since it acquired the lock.
  case locked(text: String, milliseconds: Int64)
  case system(SystemError)
  case pathTooLong(path: String, most: Int)
  /// The file is missing from a folder that contains other database files.
  case missing(path: String)
  /// The file that was opened has been replaced with another file.
  case replaced(path: String)
  case defect(String)

  init(_ code: Int32, _ message: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    // The program's SQL statements can violate a constraint or name a missing table only if the file is damaged.
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_TOOBIG:
      self = .damaged(message)
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL: self = .io(message)
    default: self = .defect(message)
    }
  }
}
