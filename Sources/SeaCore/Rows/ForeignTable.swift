package struct ForeignTable: Sendable {
  package struct Column: Sendable {
    package var name: String
    /// The declared type as written in the schema, which can be empty.
    package var declared: String
    /// The position in the primary key, starting at 1; nil if the column is not part of the key.
    package var keyPlace: Int?
    /// Whether the column has a default value, in which case rows need not store it.
    package var hasDefault: Bool

    package init(name: String, declared: String, keyPlace: Int?, hasDefault: Bool) {
      (self.name, self.declared, self.keyPlace, self.hasDefault) = (name, declared, keyPlace, hasDefault)
    }
  }

  package var name: String
  package var columns: [Column]
  /// The names of computed columns. They are excluded from `columns`, because no code from the file is executed.
  package var computed: [String]

  package init(name: String, columns: [Column], computed: [String]) {
    (self.name, self.columns, self.computed) = (name, columns, computed)
  }
}

/// The value of a cell. Text is UTF-8. The bytes are valid until the next cell is read.
package enum ForeignCell {
  case null
  case integer(Int64)
  case double(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case data(UnsafeBufferPointer<UInt8>)
}

package protocol ForeignRows: AnyObject {
  /// - Throws: `ForeignFault`.
  func next() throws -> Bool
  func isNull(_ column: Int) -> Bool
  /// - Throws: `ForeignFault.badText` if the cell contains invalid text.
  func cell(_ column: Int) throws -> ForeignCell
}

/// A file of tables that belongs to another program, read as one snapshot.
package protocol ForeignFile: AnyObject {
  var tables: [ForeignTable] { get }
  /// The names of virtual tables, which have no stored rows.
  var leftOut: [String] { get }
  /// The approximate number of bytes read so far, out of `size`.
  var read: Int64 { get }
  var size: Int64 { get }
  func rows(of table: ForeignTable) throws -> any ForeignRows
  /// Completes the read. The caller must call `end` after the last row.
  /// - Throws: `ForeignFault.changed` if the rows could come from different states of the file.
  func end() throws
}

package enum ForeignFault: Error, Equatable {
  case notSQLite
  case ownDatabase
  /// The file is incomplete without the WAL or journal file at the given path.
  case unfinished(String)
  case changed
  case busy
  case unreadable(String)
  /// Reading the schema would take too much memory or time.
  case tooMuch
  /// The file has more pages than possible or its row ids do not increase, so the read would never end.
  case endless
  case badName
  case badText
}

/// Writes a file of tables. The first column of each table is its primary key.
package protocol ForeignWriter: AnyObject {
  func add(table: String, _ columns: [(name: String, declared: String)]) throws -> Int
  /// Sets a cell in the next row of a table. Cells that are not set are null.
  func set(_ table: Int, _ column: Int, _ cell: ForeignCell)
  func insert(_ table: Int) throws
  /// Completes the file without waiting for the disk.
  func end() throws
}
