/// A value of SQL.
package enum QueryValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case data([UInt8])
  /// A text that is JSON.
  case json(String)
}

/// A row of a result, until the next one comes.
package protocol QueryRow {
  /// The names of the columns; no two of them are the same.
  var columns: [String] { get }
  func value(_ column: Int) -> QueryValue
  /// The bytes of a text or of data; of a number its digits.
  func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8>
}

/// What a query should be told of, though it is answered.
package enum QueryNotice: Equatable, Sendable {
  /// No record has such a property, or such a type.
  case noProperty(String)
  case noType(String)
  /// No record was of a type that is given for what is written, and one is much like it.
  case newType(String, similar: String)
  /// Values of several kinds in one column, and how many records have each.
  case severalKinds(table: String, column: String, kinds: [ValueClass])
  /// What is no number is compared with one.
  case notNumbers(table: String, column: String, kind: ValueClass)
  /// What stands beside a column or path is like none of its values: beside dates a text that is none.
  case unlike(column: String, kind: ValueClass, text: String)
  /// Of a table so many properties are no columns where all are asked for.
  case leftOut(table: String, count: Int)
  /// A property that a column of all records has the name of, and that is not shown by it.
  case hidden(String)
  /// Properties that SQL does not tell apart, of which the first is the column.
  case sameButCase([String])
}

/// Kinds of values that SQL compares with each other in a sensible way.
package enum ValueClass: String, Sendable {
  case numbers, booleans, text, dates, data, json

  package init(_ kind: PropertyKind) {
    self =
      switch kind {
      case .number, .counter: .numbers
      case .boolean: .booleans
      case .text, .reference: .text
      case .date: .dates
      case .data: .data
      case .array, .set, .dictionary, .asset: .json
      }
  }

  /// One of them, as `kind` says it.
  package var word: String {
    switch self {
    case .numbers: "number"
    case .booleans: "boolean"
    case .text: "text"
    case .dates: "date"
    case .data: "data"
    case .json: "json"
    }
  }
}
