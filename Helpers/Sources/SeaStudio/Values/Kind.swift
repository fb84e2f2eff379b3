import SeaKit

/// The kinds of values, with the words that `sea set` has for them where people know these words.
enum Kind: String, CaseIterable, Sendable {
  case text, number, decimal, day, date
  case boolean = "yes/no"
  case reference, file, counter, set, data
  case list = "array"
  case group = "dictionary"
  case null

  init(_ value: Value) {
    switch value.unlabeled {
    case .null, .labeled: self = .null
    case .bool: self = .boolean
    case .integer, .bigInteger, .double: self = .number
    case .decimal: self = .decimal
    case .string: self = .text
    case .date: self = .date
    case .day: self = .day
    case .data: self = .data
    case .array: self = .list
    case .dictionary: self = .group
    case .reference: self = .reference
    case .asset: self = .file
    case .counter: self = .counter
    case .set: self = .set
    }
  }

  /// The kinds that the value of a new property can have. Files have a row of their own.
  static let new: [Kind] = [.text, .number, .decimal, .day, .date, .boolean, .reference, .counter, .set]

  /// The kinds whose value is one line of text in a form.
  static let elements: [Kind] = [.text, .number, .decimal, .day, .date, .boolean, .reference]

  var isNumber: Bool { [.number, .decimal, .counter].contains(self) }

  var explanation: String {
    switch self {
    case .text: "any text"
    case .number: "such as 12 or 4.5"
    case .decimal: "keeps all its digits, such as 12.50"
    case .day: "without a time, such as 2026-03-01"
    case .date: "a point in time in UTC, such as 2026-03-01T12:30:00Z"
    case .boolean: "yes or no"
    case .reference: "another record, by its name or id"
    case .file: "a photo or another file"
    case .counter: "adds up what all instances count"
    case .set: "elements that all instances add and remove"
    case .data: "bytes in the record"
    case .list: "values in an order"
    case .group: "properties inside a property"
    case .null: "no value"
    }
  }

  /// The TYPE of `sea set KEY:TYPE=TEXT`; nil if none is needed.
  var typeWord: String? {
    switch self {
    case .decimal, .day, .date, .counter, .set: rawValue
    case .reference: "ref"
    default: nil
    }
  }
}

/// A value that a person has entered wrongly.
struct WrongValue: Error {
  let text: String
  /// The records that the text can mean.
  var choices: [Choice] = []

  struct Choice: Sendable {
    let id: String
    let title: String
  }
}

extension Value {
  /// The value as one text, for the field of a form.
  var fieldText: String {
    switch self {
    case .null: ""
    case .bool(let value): value ? "yes" : "no"
    case .integer(let value): String(value)
    case .bigInteger(let value): value.description
    case .double(let value): Value.digits(value)
    case .decimal(let value): value.description
    case .string(let value): value
    case .date(let value): value.description
    case .day(let value): value.description
    case .data(let value): "\(value.count) bytes"
    case .array(let values): values.map(\.fieldText).joined(separator: ", ")
    case .dictionary(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.fieldText)" }.joined(separator: ", ")
    case .reference(let reference): reference.id
    case .asset(let asset): "\(asset.mimeType), \(Amount.size(asset.size))"
    case .counter(let value): String(value)
    case .set(let values): values.map(\.fieldText).sorted().joined(separator: ", ")
    case .labeled(let value, _): value.fieldText
    }
  }

  private static func digits(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Reads the text of a field.
  init(_ text: String, as kind: Kind) throws(WrongValue) {
    let trimmed = Value.trimmed(text)
    switch kind {
    case .text: self = .string(text)
    case .number: self = try Value.number(trimmed)
    case .decimal:
      guard let value = ExactDecimal(trimmed) else { throw WrongValue(text: "'\(trimmed)' is not a decimal number") }
      self = .decimal(value)
    case .day:
      guard let value = Day(trimmed) else {
        throw WrongValue(text: "'\(trimmed)' is not a day; write it like 2026-03-01")
      }
      self = .day(value)
    case .date:
      guard let value = Timestamp(trimmed) else {
        throw WrongValue(text: "'\(trimmed)' is not a date; write it like 2026-03-01T12:30:00Z")
      }
      self = .date(value)
    case .boolean:
      switch trimmed.lowercased() {
      case "yes", "true": self = .bool(true)
      case "no", "false": self = .bool(false)
      default: throw WrongValue(text: "'\(trimmed)' is neither yes nor no")
      }
    case .reference:
      guard !text.isEmpty else { throw WrongValue(text: "the id of a record is missing") }
      self = .reference(RecordReference(text))
    case .counter:
      guard let value = Int128(trimmed.hasPrefix("+") ? String(trimmed.dropFirst()) : trimmed) else {
        throw WrongValue(text: "'\(trimmed)' is not a whole number")
      }
      self = .counter(value)
    default: throw WrongValue(text: "a value of this kind cannot be entered as text")
    }
  }

  private static func number(_ text: String) throws(WrongValue) -> Value {
    let unsigned = text.drop { $0 == "-" }
    if !unsigned.isEmpty, unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let value = Int64(text) { return .integer(value) }
      if let value = BigInteger(text) { return .bigInteger(value) }
    }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
      default: false
      }
    }
    guard isPlain, let value = Double(text), value.isFinite else {
      throw WrongValue(text: "'\(text)' is not a number; write it like 12 or 4.5")
    }
    return .double(value)
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while let first = text.first, first == " " || first == "\t" || first.isNewline { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" || last.isNewline { text.removeLast() }
    return String(text)
  }
}
