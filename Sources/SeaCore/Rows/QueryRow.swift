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

/// A row of a result, valid until the next row is read.
package protocol QueryRow {
  /// The distinct names of the columns.
  var columns: [String] { get }
  func value(_ column: Int) -> QueryValue
  /// The bytes of a text or of data, or the digits of a number.
  func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8>
}

/// A notice about a query that is still answered.
package enum QueryNotice: Equatable, Sendable {
  /// No record has such a property or type.
  case noProperty(String)
  case noType(String)
  /// No record has the type that a write names, but an existing type is similar.
  case newType(String, similar: String)
  /// Values of several kinds in one column.
  case severalKinds(table: String, column: String, kinds: [ValueClass])
  /// A value that is not a number is compared with a number.
  case notNumbers(table: String, column: String, kind: ValueClass)
  /// The text that is compared with a column or path differs from all its values, for example a text that is not a
  /// date.
  case unlike(column: String, kind: ValueClass, text: String)
  /// This number of properties of a table are not columns when all are requested.
  case leftOut(table: String, count: Int)
  /// A property with the name of a general column, which hides it.
  case hidden(String)
  /// Properties whose names differ only in case. The column shows the first one.
  case sameButCase([String])
}

/// Kinds of values that SQL compares sensibly with each other.
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

  /// The singular, as `kind` prints it.
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
