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
  /// A table of the schema of types, by its whole name within one pair of quotes.
  case quotedSchema(type: String)
  /// In double quotes, as names are, stands what is no column.
  case quotedText(String)
  /// In single quotes, as texts are, stands what has to be a name.
  case nameAsText(String)
  /// A path with dots where SQL has the name of a column.
  case dotted(name: String, column: String, names: [String], isReference: Bool)
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
  /// An index of text, by its column, is asked for in another way than by `MATCH`.
  case noMatch(String)
  /// `MATCH` stands where the index cannot choose the records: beside OR, or behind NOT.
  case matchBesideOthers
  /// What is gone into as JSON is none: the ids of references, or texts.
  case notJSON(column: String, path: String, isReference: Bool)
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
  /// JSON as `->` gives it beside what is none, in what is going to write.
  case unlikeJSON(path: String, text: String)
  /// What `kind` or its like gives is compared with a word that it never gives.
  case noKind(function: String, word: String, known: [String])
  /// A function of records or sets that is given a text where a property has to be.
  case textArgument(function: String, text: String)
  /// The same with a property that has neither.
  case wrongArgument(function: String, column: String, kinds: [ValueClass], isReference: Bool)
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
