import SeaCore

package enum QueryFault: Error, Equatable {
  case bad(String)
  /// A column that no table has. The second value is a similar name, if there is one.
  case unknownColumn(String, similar: String?)
  case unknownType(String, similar: String?)
  /// A type name that cannot be a table name, because SQLite reserves it or has a function with that name.
  case reservedType(String)
  /// A name that stands for both a property and a different path in an index.
  case ambiguousPath(String)
  /// Properties or types whose names differ only in case.
  case ambiguousCase([String], isType: Bool)
  /// The statement would write to the database, or would read something other than records.
  case refused(String)
  /// The statement is not a query. The value is its first word.
  case noQuery(String)
  case severalStatements
  case noStatement
  case noCondition
  /// `MATCH` is used on a column without a text index. The value lists the columns that have one.
  case noTextIndex(known: [String])
  /// `MATCH` is used where an index cannot select the records, for example within OR or NOT.
  case matchBesideOthers
  /// A parameter has no value. `given` is the name of a value that is not used by any parameter.
  case missingParameter(String, given: String? = nil)
  case unusedParameter(String)
  /// The argument of `exact` or a similar function is not a property of any table.
  case notExact(String)
  /// A number has more digits than SQL compares.
  case tooManyDigits(String)
  /// A column has values of several kinds, in a statement that selects records to change.
  case mixedKinds(column: String, kinds: [ValueClass])
  /// A column without numbers is compared with a number, in a statement that selects records to change.
  case notNumbers(column: String, kind: ValueClass)
  /// A column or path is compared with a value of a different kind, in a statement that selects records to change.
  case unlike(column: String, kind: ValueClass, text: String)
  case badPattern(String, PatternFault)
  case tooMuch(Limit)
  /// A run-time error, with the message from SQLite or from a function.
  case failed(String)

  package enum Limit: Equatable, Sendable {
    case seconds(Int), memory, length
    /// The system is out of memory, although the query has not reached its memory limit.
    case systemMemory
  }
}
