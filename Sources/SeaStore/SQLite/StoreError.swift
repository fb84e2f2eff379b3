import CSQLite
import SeaSystem

/// What the store could not do, as facts.
package enum StoreError: Error, Equatable {
  /// The file is there but is no database of ours, or a damaged one.
  case damaged(String)
  /// Written by a newer program.
  case newer(Int)
  /// Written by an older program, before the first release.
  case older(Int)
  case full
  case readOnly
  /// Another process kept the file busy for longer than the wait.
  case busy
  case io(String)
  /// Another process is the writer; its own words about itself, and for how many milliseconds.
  case locked(text: String, milliseconds: Int64)
  case system(SystemError)
  /// A database cannot lie at so long a path.
  case placeTooLong(path: String, most: Int)
  /// The file is gone from a folder that has others.
  case missing(path: String)
  /// Another file stands where this one was opened.
  case replaced(path: String)
  /// A statement of our own is wrong: a defect.
  case defect(String)

  init(_ code: Int32, _ message: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    // No statement of ours breaks a rule of the tables or names what is not there, unless the file is damaged.
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_TOOBIG:
      self = .damaged(message)
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL: self = .io(message)
    default: self = .defect(message)
    }
  }
}
