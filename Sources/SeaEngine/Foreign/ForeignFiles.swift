import SeaCore
import SeaStore

/// Files with tables that other programs have made or will read. They are not part of the database.
package enum ForeignFiles {
  /// Opens a SQLite file for reading, without creating or changing other files.
  /// - Throws: `ForeignFault`; `SystemError` if it cannot be read.
  package static func open(_ path: String) throws -> any ForeignFile { try SQLiteFile(path) }

  /// Whether a file begins like a SQLite file; false if it does not exist or is not a file.
  package static func isSQLite(_ path: String) throws -> Bool { try SQLiteFile.isOne(path) }

  /// Creates the content of an empty SQLite file.
  package static func create(_ path: String) throws -> any ForeignWriter { try SQLiteWriter(path) }
}
