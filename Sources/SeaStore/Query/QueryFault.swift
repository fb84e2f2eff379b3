import SeaCore

/// The reason why a query fails.
package enum QueryFault: Error, Equatable {
  /// A syntax error, with SQLite's message.
  case bad(String)
  /// No table has this column; with a similar name, if any.
  case unknownColumn(String, similar: String?)
  case unknownType(String, similar: String?)
  /// A type whose name cannot be that of a table, because SQLite reserves it or has a function of that name.
  case reservedType(String)
  /// A column that is both a property and a different path of an index.
  case ambiguousPath(String)
  /// Properties or types whose names differ only in case.
  case ambiguousCase([String], isType: Bool)
  /// The statement would write, or would read something other than records.
  case refused(String)
  /// The first word of a statement other than a query.
  case noQuery(String)
  case severalStatements
  case noStatement
  /// The condition is empty.
  case noCondition
  /// `MATCH` is used without a text index; with the columns of the text indexes that the tables have.
  case noTextIndex(known: [String])
  /// The index cannot choose the records for `MATCH`, for example with OR or NOT.
  case matchBesideOthers
  /// A parameter without a value, and the name of a value that no parameter uses.
  case missingParameter(String, given: String? = nil)
  case unusedParameter(String)
  /// The argument of `exact` or a similar function is not a property of a table.
  case notExact(String)
  /// A column with values of several kinds, in a statement that selects records to change.
  case mixedKinds(column: String, kinds: [ValueClass])
  /// A column without numbers is compared with a number, in a statement that selects records to change.
  case notNumbers(column: String, kind: ValueClass)
  /// A column or path is compared with a value of another kind, in a statement that selects records to change.
  case unlike(column: String, kind: ValueClass, text: String)
  /// An invalid pattern for `regexp`.
  case badPattern(String, PatternFault)
  /// The statement exceeded a limit.
  case tooMuch(Limit)
  /// An error at run time, with the message of SQLite or of a function.
  case failed(String)

  package enum Limit: Equatable, Sendable {
    case seconds(Int), memory, length
    /// The system has no more memory, although the limit is not reached.
    case systemMemory
  }
}
