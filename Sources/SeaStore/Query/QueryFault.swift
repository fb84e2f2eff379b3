import SeaCore

/// Why a query cannot be answered.
package enum QueryFault: Error, Equatable {
  /// SQLite does not understand it; its own words.
  case bad(String)
  /// There is no such column in any of the tables; one with a similar name, if there is one.
  case unknownColumn(String, similar: String?)
  case unknownType(String, similar: String?)
  /// In double quotes, as names are, stands what is no column.
  case quotedText(String)
  /// In single quotes, as texts are, stands what has to be a name.
  case nameAsText(String)
  /// Properties, or types, whose names differ in case alone.
  case ambiguousCase([String], isType: Bool)
  /// It would change something, or look at what is none of its business.
  case refused(String)
  case severalStatements
  case noStatement
  /// No value for a parameter, or a value for none.
  case missingParameter(String)
  case unusedParameter(String)
  /// `exact` and its like are given what is no property of a table.
  case notExact(String)
  /// A column with values of several kinds, in what is going to write.
  case mixedKinds(column: String, kinds: [ValueClass])
  /// A column without numbers that is compared with one, in what is going to write.
  case notNumbers(column: String, kind: ValueClass)
  /// A limit that it ran into while it worked.
  case tooMuch(Limit)
  /// What went wrong with the values; SQLite's own words, or those of a function.
  case failed(String)

  package enum Limit: Equatable, Sendable { case seconds(Int), memory, length }
}
