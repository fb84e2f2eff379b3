import CSQLite
import SeaSystem

/// Failures of the store.
package enum StoreError: Error, Equatable {
  /// The file exists but is not a database of Sea, or is damaged.
  case damaged(String)
  /// A newer program wrote the file.
  case newer(Int)
  /// An older program, before the first release, wrote the file.
  case older(Int)
  case full
  case readOnly
  /// Another process kept the file busy for longer than the timeout.
  case busy
  case io(String)
  /// Another process holds the writer lock: its description of itself, and how long it has held the lock.
  case locked(text: String, milliseconds: Int64)
  case system(SystemError)
  /// The path is too long for a database.
  case placeTooLong(path: String, most: Int)
  /// The file is missing from a folder that contains others of its files.
  case missing(path: String)
  /// Another file has replaced the one that was opened.
  case replaced(path: String)
  /// A statement of this program is wrong, which is a bug.
  case defect(String)

  init(_ code: Int32, _ message: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    // Statements of this program neither violate a constraint nor name a missing table, unless the file is damaged.
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_TOOBIG:
      self = .damaged(message)
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL: self = .io(message)
    default: self = .defect(message)
    }
  }
}
