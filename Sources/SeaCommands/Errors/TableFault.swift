import SeaCore

package enum TableFault: Error, Equatable, Sendable {
  case noHeader
  /// The header consists of a single column whose name contains this separator.
  case oneColumn(String)
  /// The rows have several cells with each of these separators.
  case severalSigns([String])
  /// `column` is the number of the second column. The first is 1.
  case duplicateColumn(String, column: Int)
  /// The header cell of this column is empty. The first is 1.
  case unnamedColumn(Int)
  case badColumn(String, NameFault)
  case noSuchColumn(String, similar: String?)
  case uneven(have: Int, want: Int)
  case quoteInside
  case textAfterQuote
  case unclosedQuote
  case badEscape
  case carriageReturn
  case nul
  /// `likely` is the encoding that the text seems to have.
  case notUTF8(likely: TextEncoding?)
  /// UTF-16 that is neither requested nor marked.
  case utf16
  case badUTF16
  case tooLong(limit: Int)
  case emptyID
  case badName(String, NameFault)
  case emptyKey(String, similar: String?)
  case otherType(have: String, want: String)
  case severalOfKey(String, [String])
  /// `proposals` are types whose form the cell has.
  case badCell(column: String, type: String, text: String, CellFault, proposals: [String])
  /// A cell of a sheet that has an error such as `#N/A`.
  case errorCell(column: String, text: String)
  /// Text for a property that has another kind of value; `type` is the type to set for the column.
  case otherKind(id: String, column: String, have: String, type: String)
  case dataTooLong(column: String)
  case noUnicode(column: String)
  /// A primary key that is empty or not a whole number.
  case noKeyValue(String)
  case mixedKey(String, [String])
}

package enum CellFault: Error, Equatable, Sendable {
  /// The text does not have the form of the type.
  case form
  /// The clocks of the zone were moved forward past this local time.
  case skipped(zone: String)
  /// The clocks of the zone showed this local time twice.
  case repeated(zone: String)
}
