import SeaCore

/// A fault in a file of tables, or in a row.
package enum TableFault: Error, Equatable, Sendable {
  case noHeader
  /// There is a single column, and its name contains this separator.
  case oneColumn(String)
  case duplicateColumn(String)
  case badColumn(String, NameFault)
  case noSuchColumn(String, similar: String?)
  case uneven(have: Int, want: Int)
  case quoteInside
  case textAfterQuote
  case unclosedQuote
  case badEscape
  case carriageReturn
  case nul
  case notUTF8
  case utf16
  case tooLong(limit: Int)
  case emptyID
  /// An invalid id or type.
  case badName(String, NameFault)
  case emptyKey(String, similar: String?)
  case otherType(have: String, want: String)
  case severalOfKey(String, [String])
  /// The text of a cell is invalid for the requested type.
  case badCell(column: String, type: String, text: String)
  /// A text for a property of another kind, with the type to request for the column.
  case otherKind(id: String, column: String, have: String, type: String)
  case dataTooLong(column: String)
  case noUnicode(column: String)
  /// A primary key that is empty or a fraction.
  case noKeyValue(String)
  case mixedKey(String, [String])
}
