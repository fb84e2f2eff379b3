/// A table in a file that another program has made.
package struct ForeignTable: Sendable {
  package struct Column: Sendable {
    package var name: String
    /// The declared type as it was written; may be empty.
    package var declared: String
    /// Its place in the primary key, from 1; nil if it is no part of it.
    package var keyPlace: Int?
    /// What a row says that does not say it itself: then it takes no room in the file.
    package var hasDefault: Bool

    package init(name: String, declared: String, keyPlace: Int?, hasDefault: Bool) {
      (self.name, self.declared, self.keyPlace, self.hasDefault) = (name, declared, keyPlace, hasDefault)
    }
  }

  package var name: String
  package var columns: [Column]
  /// Columns that are computed when they are read: they are not among the others, as nothing of the file is run.
  package var computed: [String]

  package init(name: String, columns: [Column], computed: [String]) {
    (self.name, self.columns, self.computed) = (name, columns, computed)
  }
}

/// What stands in a cell. A text is UTF-8; bytes are valid until the next cell.
package enum ForeignCell {
  case null
  case integer(Int64)
  case double(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case data(UnsafeBufferPointer<UInt8>)
}

/// The rows of one table, one after the other.
package protocol ForeignRows: AnyObject {
  /// Goes to the next row; false at the end.
  /// - Throws: `ForeignFault`.
  func next() throws -> Bool
  func isNull(_ column: Int) -> Bool
  /// - Throws: `ForeignFault.badText`.
  func cell(_ column: Int) throws -> ForeignCell
}

/// A file of tables that is read from one state of it.
package protocol ForeignFile: AnyObject {
  var tables: [ForeignTable] { get }
  /// Tables that have no rows of their own to be read.
  var leftOut: [String] { get }
  /// About how much of the file was read, of how much there is: bytes.
  var read: Int64 { get }
  var size: Int64 { get }
  func rows(of table: ForeignTable) throws -> any ForeignRows
  /// To be called behind the last row.
  /// - Throws: `ForeignFault.changed` if what was read may be of several states.
  func end() throws
}

/// Why a file of another program cannot be read.
package enum ForeignFault: Error, Equatable {
  case notSQLite
  /// It is the database that is written to.
  case ownDatabase
  /// This file, beside it, has changes that belong to it.
  case unfinished(String)
  /// Somebody wrote to it meanwhile.
  case changed
  /// Somebody kept it locked.
  case busy
  /// SQLite cannot read it, whole or damaged; its own words.
  case unreadable(String)
  /// Reading what tables there are takes too much memory or time.
  case tooMuch
  /// Pages are read again and again: there is more than the file can have, or rows do not rise.
  case endless
  /// A name that is no Unicode.
  case badName
  /// A text that is no Unicode.
  case badText
}

/// A file of tables in the making. The first column of each table is its primary key.
package protocol ForeignWriter: AnyObject {
  /// - Returns: what stands for the table.
  func add(table: String, _ columns: [(name: String, declared: String)]) throws -> Int
  /// Gives a cell of the next row of a table what stands in it; others have nothing.
  func set(_ table: Int, _ column: Int, _ cell: ForeignCell)
  /// Writes the row.
  func insert(_ table: Int) throws
  /// Nothing comes any more. The file is whole, but nobody has waited for the disk.
  func end() throws
}
