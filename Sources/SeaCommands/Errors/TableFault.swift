import SeaCore

/// What is wrong with a file of tables, or a row of it.
package enum TableFault: Error, Equatable, Sendable {
  case noHeader
  /// A heading of one column, with what may stand between columns in its name.
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
  /// An id or a type.
  case badName(String, NameFault)
  case emptyKey(String, similar: String?)
  case otherType(have: String, want: String)
  case severalOfKey(String, [String])
  /// The text of a cell is no value of the type that was asked for.
  case badCell(column: String, type: String, text: String)
  /// Text for a property that is of another kind; the type that its cells would have.
  case otherKind(id: String, column: String, have: String, type: String)
  case dataTooLong(column: String)
  case noUnicode(column: String)
  /// A column of the primary key has nothing in it, or a fraction.
  case noKeyValue(String)
  case mixedKey(String, [String])
}
