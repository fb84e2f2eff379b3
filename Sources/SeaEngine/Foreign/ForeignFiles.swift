import SeaCore
import SeaStore

/// Opens and creates files with tables for other programs.
package enum ForeignFiles {
  /// Opens a SQLite file for reading, without creating or changing other files.
  /// - Throws: `ForeignFault`; `SystemError` if the file cannot be read.
  package static func open(_ path: String) throws -> any ForeignFile { try SQLiteFile(path) }

  /// Returns whether a file exists and begins like a SQLite file.
  package static func isSQLite(_ path: String) throws -> Bool { try SQLiteFile.isOne(path) }

  package static func create(_ path: String) throws -> any ForeignWriter { try SQLiteWriter(path) }
}
