package enum QueryValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  /// The decimal digits of a number that SQL cannot compare, because it has neither 64 bits nor the digits of a double.
  case digits(String)
  case text(String)
  case data([UInt8])
  case json(String)

  /// Returns a number as SQL has it: a double if it is printed with the same digits, otherwise the digits.
  package static func real(_ digits: String) -> QueryValue {
    guard let real = Double(digits) else { return .digits(digits) }
    guard real.isFinite, let exact = try? Value.json(digits), let shown = try? Value.json("\(real)") else {
      return .double(real)
    }
    return Value.compareNumbers(exact, shown) == 0 ? .double(real) : .digits(digits)
  }
}

/// A row of a query result, valid until the next row is read.
package protocol QueryRow {
  var columns: [String] { get }
  func value(_ column: Int) -> QueryValue
  /// Returns the bytes of a string or data, or the digits of a number.
  func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8>
}

/// A notice about a possible mistake in a query that can still be answered.
package enum QueryNotice: Equatable, Sendable {
  /// No record has the named property. `noType` says the same about a type.
  case noProperty(String)
  case noType(String)
  /// No record has the type that is to be written, but a similar type exists.
  case newType(String, similar: String)
  case severalKinds(table: String, column: String, kinds: [ValueClass])
  /// A value that is not a number is compared with a number.
  case notNumbers(table: String, column: String, kind: ValueClass)
  /// A column or path is compared with a string that has a different form, for example one that is not a date.
  case unlike(column: String, kind: ValueClass, text: String)
  /// All columns were requested, but this number of properties did not get one.
  case leftOut(table: String, count: Int)
  /// A property has the same name as a built-in column, which hides the property.
  case hidden(String)
  /// The names of several properties differ only in case. The column shows the first of these properties.
  case sameButCase([String])
}

/// The kinds of values that SQL can compare with each other in a meaningful way.
package enum ValueClass: String, Sendable {
  case numbers, booleans, text, dates, days, data, json

  package init(_ kind: PropertyKind) {
    self =
      switch kind {
      case .number, .counter: .numbers
      case .boolean: .booleans
      case .text, .reference: .text
      case .date: .dates
      case .day: .days
      case .data: .data
      case .array, .set, .dictionary, .asset: .json
      }
  }

  package var word: String {
    switch self {
    case .numbers: "number"
    case .booleans: "boolean"
    case .text: "text"
    case .dates: "date"
    case .days: "day"
    case .data: "data"
    case .json: "json"
    }
  }
}
