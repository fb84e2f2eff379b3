import SeaCore
import SeaStore

/// Files of tables that other programs have made, or are to read. They are no part of the database: nothing here knows of records.
package enum ForeignFiles {
  /// Opens a SQLite file to read it; nothing beside it is made or written.
  /// - Throws: `ForeignFault`; `SystemError` if it cannot be read at all.
  package static func open(_ path: String) throws -> any ForeignFile { try SQLiteFile(path) }

  /// Whether a file begins as one of SQLite does. What is not there, or no file, does not.
  package static func isSQLite(_ path: String) throws -> Bool { try SQLiteFile.isOne(path) }

  /// Makes a SQLite file of one that is empty.
  package static func create(_ path: String) throws -> any ForeignWriter { try SQLiteWriter(path) }
}
