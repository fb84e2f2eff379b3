internal import SeaCore

/// Makes types of rows: each column is whatever of what it may have been the type can be made of.
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
      // What it is first is what people see in it.
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
    guard let place = row.place(of: key.stringValue) else { throw StoredDecoder.missing(key, at: []) }
    return row.cells[place]
  }

  /// What is JSON or one value, to be walked through.
  func decoder(_ key: Key) throws -> StoredDecoder {
    StoredDecoder(try cell(key).candidates.first ?? .null, at: [key])
  }

  func contains(_ key: Key) -> Bool { row.place(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try cell(key) == .null }

  private func read<Wanted: Decodable>(_ type: Wanted.Type, _ key: Key) throws -> Wanted {
    try RowDecoder.read(type, cell(key), at: [key])
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted { try read(type, key) }

  func superDecoder() -> any Decoder { RowDecoder(row: row) }
}
