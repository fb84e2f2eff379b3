import SeaCore

/// Why a query cannot be answered.
package enum QueryFault: Error, Equatable {
  /// SQLite does not understand it; its own words.
  case bad(String)
  /// There is no such column in any of the tables; one with a similar name, if there is one.
  case unknownColumn(String, similar: String?)
  case unknownType(String, similar: String?)
  /// A type that no table can be called by: SQLite keeps what begins with `sqlite_` for itself, and has functions of the name.
  case reservedType(String)
  /// A column that is a property, and that an index has added for something else.
  case ambiguousPath(String)
  /// Properties, or types, whose names differ in case alone.
  case ambiguousCase([String], isType: Bool)
  /// It would change something, or look at what is none of its business.
  case refused(String)
  /// What a statement begins with that is no query.
  case noQuery(String)
  case severalStatements
  case noStatement
  /// The condition of a query says nothing.
  case noCondition
  /// `MATCH` stands where there is no index of text; those that the tables have, by their columns.
  case noTextIndex(known: [String])
  /// `MATCH` stands where the index cannot choose the records: beside OR, or behind NOT.
  case matchBesideOthers
  /// No value for a parameter, and the name of one that is given and not asked for; or a value for none.
  case missingParameter(String, given: String? = nil)
  case unusedParameter(String)
  /// `exact` and its like are given what is no property of a table.
  case notExact(String)
  /// A column with values of several kinds, in what is going to write.
  case mixedKinds(column: String, kinds: [ValueClass])
  /// A column without numbers that is compared with one, in what is going to write.
  case notNumbers(column: String, kind: ValueClass)
  /// A column or path that stands beside what is like none of its values, in what is going to write.
  case unlike(column: String, kind: ValueClass, text: String)
  /// What `regexp` is given as a pattern.
  case badPattern(String, PatternFault)
  /// A limit that it ran into while it worked.
  case tooMuch(Limit)
  /// What went wrong with the values; SQLite's own words, or those of a function.
  case failed(String)

  package enum Limit: Equatable, Sendable {
    case seconds(Int), memory, length
    /// The system gives no more, though that would be less.
    case systemMemory
  }
}
