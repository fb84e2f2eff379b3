internal import SeaCore

/// A row in the result of a statement.
///
/// SQL has fewer kinds of values than records do: a date or day is a string, a boolean is 0 or 1, a reference is an id. To
/// convert a value back, specify its type: `row["first", as: Timestamp.self]`.
public struct Row: Sendable {
  /// The names of the columns, which are unique.
  public let columns: [String]
  let cells: [QueryValue]

  init(columns: [String], cells: [QueryValue]) { (self.columns, self.cells) = (columns, cells) }

  /// The values of the columns: nulls, integers, doubles, strings, data and parsed JSON.
  public var values: [Value] { cells.map { $0.candidates.first.map { Value(stored: $0) } ?? .null } }

  /// The value of a column; nil if there is no such column.
  public subscript(_ name: String) -> Value? { index(of: name).map { values[$0] } }

  /// The value of a column, converted to a type; nil if it is missing or NULL, or cannot be converted.
  public subscript<Wanted: ValueConvertible>(_ name: String, as kind: Wanted.Type = Wanted.self) -> Wanted? {
    index(of: name).flatMap { cells[$0].value(as: kind) }
  }

  /// Decodes the row. A single value is decoded from the first column, and any other type from the columns named after
  /// its properties.
  /// - Throws: `bad-data` if the row cannot be decoded; the message names the column.
  public func decode<Wanted: Decodable>(as type: Wanted.Type = Wanted.self) throws -> Wanted {
    do { return try RowDecoder(row: self).read(type) } catch let error as DecodingError { throw SeaError(row: error) }
  }

  /// Returns the index of a column. The name `id` also matches the column `_id`.
  func index(of name: String) -> Int? {
    let exact = columns.firstIndex { UTF8Text.equal($0, name) }
    return exact ?? (name == "id" ? columns.firstIndex { UTF8Text.equal($0, "_id") } : nil)
  }
}

extension QueryValue {
  /// The record values that this SQL value may represent, most likely first; empty for NULL.
  var candidates: [SeaCore.Value] {
    switch self {
    case .null: return []
    case .integer(let number):
      let flag: [SeaCore.Value] = number == 0 || number == 1 ? [.bool(number == 1)] : []
      return [.integer(number)] + flag + [.counterDraft(Int128(number))]
    case .double(let number): return [.double(number)]
    case .text(let text):
      var all: [SeaCore.Value] = [.string(text), .reference(id: text, kind: nil)]
      if let day = Day(text) { all.append(.day(day.daysSince1970)) }
      if let date = Timestamp(text) { all.append(.date(date.milliseconds)) }
      if let number = ExactDecimal(text) { all.append(number.value.stored) }
      if let number = BigInteger(text) { all.append(number.value.stored) }
      return all
    case .data(let bytes): return [.data(bytes)]
    case .digits(let text), .json(let text):
      guard let value = try? SeaCore.Value.json(text) else { return [.string(text)] }
      guard case .array(let elements) = value else { return [value] }
      return [value, .setDraft(elements)]
    }
  }

  func value<Wanted: ValueConvertible>(as kind: Wanted.Type) -> Wanted? {
    for candidate in candidates { if let read = kind.init(Value(stored: candidate)) { return read } }
    return nil
  }
}

extension SeaError {
  fileprivate init(row error: DecodingError) {
    let (context, what) = SeaError.parts(of: error)
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    self.init(.badData, path.isEmpty ? "the row \(what)" : "the column '\(path)' \(what)", ["path": path])
  }
}

/// Decodes types from rows. Each column is decoded as the first kind of value that the type accepts.
struct RowDecoder: Decoder {
  let row: Row
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    let isOne = type is any ValueConvertible.Type && !(type is any StringDictionary.Type)
    guard isOne || type is any FieldConvertible.Type else { return try Wanted(from: self) }
    return try RowDecoder.read(type, row.cells.first ?? .null, at: [])
  }

  static func read<Wanted: Decodable>(
    _ type: Wanted.Type, _ cell: QueryValue, at path: [any CodingKey]
  ) throws -> Wanted {
    let candidates = cell.candidates
    for candidate in candidates.dropLast() {
      if let read = try? StoredDecoder(candidate, at: path).read(type) { return read }
    }
    do { return try StoredDecoder(candidates.last ?? .null, at: path).read(type) } catch {
      // Report the error for the most likely kind of value.
      guard candidates.count > 1 else { throw error }
      return try StoredDecoder(candidates[0], at: path).read(type)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ColumnReading(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try StoredDecoder(.array(row.cells.map { $0.candidates.first ?? .null })).unkeyedContainer()
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { CellReading(cell: row.cells.first ?? .null) }
}

private struct CellReading: SingleValueDecodingContainer {
  let cell: QueryValue
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { cell == .null }
  func decode(_ type: Int128.Type) throws -> Int128 { try RowDecoder.read(type, cell, at: []) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try RowDecoder.read(type, cell, at: []) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted { try RowDecoder.read(type, cell, at: []) }
}

private struct ColumnReading<Key: CodingKey>: NestingContainer {
  let row: Row
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.compactMap { Key(stringValue: $0) } }

  private func cell(_ key: Key) throws -> QueryValue {
    guard let index = row.index(of: key.stringValue) else { throw StoredDecoder.missing(key, at: []) }
    return row.cells[index]
  }

  func decoder(_ key: Key) throws -> StoredDecoder {
    StoredDecoder(try cell(key).candidates.first ?? .null, at: [key])
  }

  func contains(_ key: Key) -> Bool { row.index(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try cell(key) == .null }

  private func read<Wanted: Decodable>(_ type: Wanted.Type, _ key: Key) throws -> Wanted {
    try RowDecoder.read(type, cell(key), at: [key])
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted { try read(type, key) }

  func superDecoder() -> any Decoder { RowDecoder(row: row) }
}
