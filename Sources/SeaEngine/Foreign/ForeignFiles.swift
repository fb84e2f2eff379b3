import SeaCore
import SeaStore

/// Opens and creates the table files of other programs.
package enum ForeignFiles {
  /// Opens an SQLite file for reading, without creating or changing any other file.
  /// - Throws: `ForeignFault`; `SystemError` if the file cannot be read.
  package static func open(_ path: String) throws -> any ForeignFile { try SQLiteFile(path) }

  /// Returns whether a file exists and begins like an SQLite file.
  package static func isSQLite(_ path: String) throws -> Bool { try SQLiteFile.isOne(path) }

  package static func create(_ path: String) throws -> any ForeignWriter { try SQLiteWriter(path) }
}
