import SeaCore

/// An error in a table or in one of its rows.
package enum TableFault: Error, Equatable, Sendable {
  case noHeader
  /// The header has a single column, and the column name contains this separator.
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
  case badName(String, NameFault)
  case emptyKey(String, similar: String?)
  case otherType(have: String, want: String)
  case severalOfKey(String, [String])
  case badCell(column: String, type: String, text: String)
  /// Text for a property of another kind; `type` is the type to request for the column.
  case otherKind(id: String, column: String, have: String, type: String)
  case dataTooLong(column: String)
  case noUnicode(column: String)
  /// A primary key that is empty or not a whole number.
  case noKeyValue(String)
  case mixedKey(String, [String])
}
