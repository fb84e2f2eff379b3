internal import SeaCore

struct StoredDecoder: Decoder {
  let value: SeaCore.Value
  let codingPath: [any CodingKey]
  /// The id, the revision and the type, if the value is a record.
  var record: (id: String, revision: String?, type: any SeaRecord.Type)?
  /// The type and the name of the property, if the value is a property of a record.
  var owner: (type: any SeaRecord.Type, property: String)?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: SeaCore.Value, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  func decode<Wanted: Decodable>(_ type: Wanted.Type, from value: SeaCore.Value) throws -> Wanted {
    try StoredDecoder(value, at: codingPath).read(type)
  }

  func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    do { return try readStored(type) } catch DecodingError.typeMismatch(let found, let context) {
      guard let owner, let converted = owner.type.convert(Value(stored: value), of: owner.property) else {
        throw DecodingError.typeMismatch(found, context)
      }
      return try StoredDecoder(converted.stored, at: codingPath).readStored(type)
    }
  }

  private func readStored<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    if let special = type as? any FieldConvertible.Type { return try cast(special.read(value, self)) }
    // Dictionaries and arrays are decoded element by element, so that an error can name the element.
    let isWalked = type is any StringDictionary.Type || type is any PlainArray.Type && type != [UInt8].self
    if !isWalked, let convertible = type as? any ValueConvertible.Type {
      guard let read = convertible.init(Value(stored: value)) else { throw mismatch(type, value) }
      return try cast(read)
    }
    return try Wanted(from: self)
  }

  private func cast<Wanted>(_ value: Any) throws -> Wanted {
    guard let wanted = value as? Wanted else { throw mismatch(Wanted.self, self.value) }
    return wanted
  }

  func mismatch(_ wanted: Any.Type, _ value: SeaCore.Value) -> DecodingError {
    .typeMismatch(
      wanted, DecodingError.Context(codingPath: codingPath, debugDescription: "\(value.kindName) is not \(wanted)"))
  }

  static func missing(_ key: any CodingKey, at path: [any CodingKey]) -> DecodingError {
    .keyNotFound(key, DecodingError.Context(codingPath: path, debugDescription: "the value is missing"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.unlabeled.members else { throw mismatch([String: Any].self, value) }
    return KeyedDecodingContainer(KeyedReading(members: members, codingPath: codingPath, record: record))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value.unlabeled.unpacked {
    case .array(let values): return UnkeyedReading(values: values, codingPath: codingPath)
    case .set(let set): return UnkeyedReading(values: set.elements, codingPath: codingPath)
    case .setDraft(let values): return UnkeyedReading(values: values, codingPath: codingPath)
    default: throw mismatch([Any].self, value)
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleReading(decoder: self) }
}

/// A container that provides a decoder for each of its values.
protocol NestingContainer: KeyedDecodingContainerProtocol {
  func decoder(_ key: Key) throws -> StoredDecoder
}

extension NestingContainer {
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct KeyedReading<Key: CodingKey>: NestingContainer {
  let members: Members
  let codingPath: [any CodingKey]
  let record: (id: String, revision: String?, type: any SeaRecord.Type)?

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  private func find(_ key: Key) -> SeaCore.Value? {
    let name = key.stringValue
    if let record {
      if name == "id" || name == "_id" { return .string(record.id) }
      if name == "_rev" { return record.revision.map { .string($0) } }
    }
    return members[name]
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  private func found(_ key: Key) throws -> SeaCore.Value {
    if let value = find(key) { return value }
    if let record, let value = try GrownType.value(of: key.stringValue, in: record.type) { return value }
    throw StoredDecoder.missing(key, at: codingPath)
  }

  func decoder(_ key: Key) throws -> StoredDecoder {
    var decoder = StoredDecoder(try found(key), at: codingPath + [key])
    if let record { decoder.owner = (record.type, key.stringValue) }
    return decoder
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard case .null? = find(key) else { return find(key) == nil }
    return true
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard case .string(let text) = try found(key).unlabeled else { return try decoder(key).read(type) }
    return text
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    guard case .integer(let number) = try found(key), let read = Int(exactly: number) else {
      return try decoder(key).read(type)
    }
    return read
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    guard case .double(let number) = try found(key) else { return try decoder(key).read(type) }
    return number
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    guard case .bool(let read) = try found(key) else { return try decoder(key).read(type) }
    return read
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).read(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key).read(type) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
    if let type = type as? any EmptyIfMissing.Type, find(key) == nil { return type.whenMissing as! Wanted }
    return try decoder(key).read(type)
  }

  /// The properties of a superclass are stored in the same record.
  func superDecoder() -> any Decoder {
    var decoder = StoredDecoder(.dictionary(members), at: codingPath)
    decoder.record = record
    return decoder
  }
}

private struct UnkeyedReading: UnkeyedDecodingContainer {
  let values: [SeaCore.Value]
  let codingPath: [any CodingKey]
  var currentIndex = 0

  init(values: [SeaCore.Value], codingPath: [any CodingKey]) {
    self.values = values
    self.codingPath = codingPath
  }

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  private mutating func next() throws -> StoredDecoder {
    let path = codingPath + [PlaceKey(currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self, DecodingError.Context(codingPath: path, debugDescription: "the array has no more elements"))
    }
    defer { currentIndex += 1 }
    return StoredDecoder(values[currentIndex], at: path)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = values[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try whole(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try whole(type) }
  mutating func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted { try whole(type) }

  private mutating func whole<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    let at = currentIndex
    do { return try next().read(type) } catch {
      currentIndex = at
      throw error
    }
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct SingleReading: SingleValueDecodingContainer {
  let decoder: StoredDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    if case .null = decoder.value { true } else { false }
  }

  func decode(_ type: Int128.Type) throws -> Int128 { try decoder.read(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.read(type) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted { try decoder.read(type) }
}

extension SeaCore.Value {
  fileprivate var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .bigInteger: "an integer"
    case .double: "a double"
    case .decimal: "a decimal"
    case .string: "a text"
    case .date: "a date"
    case .day: "a day"
    case .data: "data"
    case .array, .packed: "an array"
    case .dictionary: "a dictionary"
    case .reference: "a reference"
    case .asset: "an asset"
    case .counter, .counterDraft: "a counter"
    case .set, .setDraft: "a set"
    case .labeled(let value, _): value.kindName
    }
  }
}
