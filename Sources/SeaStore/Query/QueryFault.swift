import SeaCore

package enum QueryFault: Error, Equatable {
  case bad(String)
  /// A column that no table has, with a similar name, if any.
  case unknownColumn(String, similar: String?)
  case unknownType(String, similar: String?)
  /// A type name that cannot be a table name, because SQLite reserves it or has a function of that name.
  case reservedType(String)
  /// A name that is both a property and a different path of an index.
  case ambiguousPath(String)
  /// Properties or types whose names differ only in case.
  case ambiguousCase([String], isType: Bool)
  /// The statement would write, or would read something other than records.
  case refused(String)
  /// The statement is not a query. The value is its first word.
  case noQuery(String)
  case severalStatements
  case noStatement
  case noCondition
  /// `MATCH` is used without a text index. The value contains the columns that have a text index.
  case noTextIndex(known: [String])
  /// The index cannot choose the records for `MATCH`, for example with OR or NOT.
  case matchBesideOthers
  /// A parameter has no value. `given` is the name of a value that no parameter uses.
  case missingParameter(String, given: String? = nil)
  case unusedParameter(String)
  /// The argument of `exact` or a similar function is not a property of a table.
  case notExact(String)
  /// A column has values of several kinds, in a statement that selects records to change.
  case mixedKinds(column: String, kinds: [ValueClass])
  /// A column without numbers is compared with a number, in a statement that selects records to change.
  case notNumbers(column: String, kind: ValueClass)
  /// A column or path is compared with a value of another kind, in a statement that selects records to change.
  case unlike(column: String, kind: ValueClass, text: String)
  case badPattern(String, PatternFault)
  case tooMuch(Limit)
  /// An error at run time, with the message of SQLite or of a function.
  case failed(String)

  package enum Limit: Equatable, Sendable {
    case seconds(Int), memory, length
    /// The system has no more memory, although the query has not reached its limit.
    case systemMemory
  }
}
