/// A table in a file of another program.
package struct ForeignTable: Sendable {
  package struct Column: Sendable {
    package var name: String
    /// The declared type as written; may be empty.
    package var declared: String
    /// The position in the primary key, from 1; nil if the column is not part of the key.
    package var keyPlace: Int?
    /// Whether the column has a default value. Rows with that value do not store it.
    package var hasDefault: Bool

    package init(name: String, declared: String, keyPlace: Int?, hasDefault: Bool) {
      (self.name, self.declared, self.keyPlace, self.hasDefault) = (name, declared, keyPlace, hasDefault)
    }
  }

  package var name: String
  package var columns: [Column]
  /// Columns that are computed when they are read. They are not in `columns`, because no code from the file is run.
  package var computed: [String]

  package init(name: String, columns: [Column], computed: [String]) {
    (self.name, self.columns, self.computed) = (name, columns, computed)
  }
}

/// The value of a cell. A text is UTF-8; bytes are valid until the next cell.
package enum ForeignCell {
  case null
  case integer(Int64)
  case double(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case data(UnsafeBufferPointer<UInt8>)
}

/// The rows of one table in sequence.
package protocol ForeignRows: AnyObject {
  /// Moves to the next row; returns false at the end.
  /// - Throws: `ForeignFault`.
  func next() throws -> Bool
  func isNull(_ column: Int) -> Bool
  /// - Throws: `ForeignFault.badText`.
  func cell(_ column: Int) throws -> ForeignCell
}

/// A file of tables that is read as one snapshot.
package protocol ForeignFile: AnyObject {
  var tables: [ForeignTable] { get }
  /// Virtual tables, which have no stored rows.
  var leftOut: [String] { get }
  /// The approximate number of bytes read, and the total.
  var read: Int64 { get }
  var size: Int64 { get }
  func rows(of table: ForeignTable) throws -> any ForeignRows
  /// The caller must call this after the last row.
  /// - Throws: `ForeignFault.changed` if the rows may come from different states of the file.
  func end() throws
}

/// The reasons why a file of another program cannot be read.
package enum ForeignFault: Error, Equatable {
  case notSQLite
  /// The file is the target database itself.
  case ownDatabase
  /// This file next to it contains changes that belong to it.
  case unfinished(String)
  /// Another program wrote to it during the read.
  case changed
  /// Another program kept it locked.
  case busy
  /// SQLite cannot read the file; the text is SQLite's message.
  case unreadable(String)
  /// Reading the schema takes too much memory or time.
  case tooMuch
  /// Pages repeat: there are more of them than the file can have, or row ids do not ascend.
  case endless
  /// A name is not valid Unicode.
  case badName
  /// A text is not valid Unicode.
  case badText
}

/// Writes a file of tables. The first column of each table is its primary key.
package protocol ForeignWriter: AnyObject {
  /// - Returns: the number of the table.
  func add(table: String, _ columns: [(name: String, declared: String)]) throws -> Int
  /// Sets a cell of the next row of a table; cells that are not set are null.
  func set(_ table: Int, _ column: Int, _ cell: ForeignCell)
  /// Writes the row.
  func insert(_ table: Int) throws
  /// Completes the file without waiting for the disk.
  func end() throws
}
