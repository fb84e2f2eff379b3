internal import SeaCore

/// Encodes typed records, with a separate encoder for each value.
final class RecordEncoder: Encoder {
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  fileprivate var result: Field?
  private let isWhole: Bool
  /// An empty `ObjectBox` that can be reused for the record's properties.
  private var spare: ObjectBox?

  fileprivate init(path: [any CodingKey], isWhole: Bool = false) {
    codingPath = path
    self.isWhole = isWhole
  }

  /// Returns the properties of a record, without its id and revision.
  static func properties(of record: some SeaRecord, in spare: ObjectBox? = nil) throws -> ObjectBox {
    let encoder = RecordEncoder(path: [])
    encoder.spare = spare
    try record.encode(to: encoder)
    guard case .object(let box)? = encoder.result else {
      throw SeaError(.badData, "\(type(of: record)) is encoded as a single value, but a record needs properties")
    }
    try box.removeReserved(of: record)
    return box
  }

  static func field<Content: Encodable>(of value: Content, path: [any CodingKey]) throws -> Field {
    guard path.count <= Value.mostDepth else {
      throw SeaError(.badData, "nested too deeply").within([path[0].stringValue])
    }
    if let special = value as? any FieldConvertible { return try special.field() }
    if let convertible = value as? any ValueConvertible {
      return Field.value(convertible.value.stored).keeping((value as? any ReferenceHolder)?.kept ?? [])
    }
    let encoder = RecordEncoder(path: path, isWhole: value is any StringDictionary)
    try value.encode(to: encoder)
    // A struct without properties encodes nothing.
    return encoder.result ?? .object(ObjectBox(isWhole: false))
  }

  static func value(of value: some Encodable) throws -> SeaCore.Value {
    try field(of: value, path: []).applied(to: nil, at: ["", ""]) ?? .null
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let box: ObjectBox
    if case .object(let known)? = result { box = known } else { box = spare ?? ObjectBox(isWhole: isWhole) }
    result = .object(box)
    return KeyedEncodingContainer(KeyedWriting(box: box, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let box: ArrayBox
    if case .array(let known)? = result { box = known } else { box = ArrayBox() }
    result = .array(box)
    return Unkeyed(box: box, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }
}

private struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: ObjectBox
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) { box.set(key.stringValue, .unset) }
  // Plain values are encoded immediately.
  mutating func encode(_ value: Bool, forKey key: Key) { box.set(key.stringValue) { $0.byte(value ? 0xF5 : 0xF4) } }
  mutating func encode(_ value: String, forKey key: Key) { box.set(key.stringValue) { $0.cborText(value) } }
  mutating func encode(_ value: Double, forKey key: Key) {
    guard value.isFinite else { return box.set(key.stringValue, .value(.double(value))) }
    box.set(key.stringValue) { $0.cborNumber(value) }
  }
  mutating func encode(_ value: Int, forKey key: Key) { box.set(key.stringValue) { $0.cborInt(Int64(value)) } }
  mutating func encode(_ value: Int8, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: Int16, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: Int32, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: Int64, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: UInt8, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: UInt16, forKey key: Key) { encode(Int(value), forKey: key) }
  mutating func encode(_ value: UInt32, forKey key: Key) { encode(Int(value), forKey: key) }

  mutating func encode(_ value: Int128, forKey key: Key) { box.set(key.stringValue, .value(value.value.stored)) }
  mutating func encode(_ value: UInt128, forKey key: Key) { box.set(key.stringValue, .value(value.value.stored)) }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    box.set(key.stringValue, try RecordEncoder.field(of: value, path: codingPath + [key]))
  }

  // An explicit nil removes the property.
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }
  mutating func encodeIfPresent(_ value: Float?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }
  mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }
  mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) { put(value.map { .value($0.value.stored) }, key) }

  mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    put(try value.map { try RecordEncoder.field(of: $0, path: codingPath + [key]) }, key)
  }

  private func put(_ field: Field?, _ key: Key) { box.set(key.stringValue, field ?? .unset) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let nested = ObjectBox(isWhole: false)
    box.set(key.stringValue, .object(nested))
    return KeyedEncodingContainer(KeyedWriting<Nested>(box: nested, codingPath: codingPath + [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = ArrayBox()
    box.set(key.stringValue, .array(nested))
    return Unkeyed(box: nested, codingPath: codingPath + [key])
  }

  /// The properties of a superclass are stored in the same record.
  mutating func superEncoder() -> any Encoder { sharing() }
  mutating func superEncoder(forKey key: Key) -> any Encoder {
    let encoder = RecordEncoder(path: codingPath + [key])
    let nested = ObjectBox(isWhole: false)
    encoder.result = .object(nested)
    box.set(key.stringValue, .object(nested))
    return encoder
  }

  private func sharing() -> RecordEncoder {
    let encoder = RecordEncoder(path: codingPath)
    encoder.result = .object(box)
    return encoder
  }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let box: ArrayBox
  let codingPath: [any CodingKey]
  var count: Int { box.fields.count }

  mutating func encodeNil() { box.fields.append(.value(.null)) }

  mutating func encode(_ value: Int128) { box.fields.append(.value(value.value.stored)) }
  mutating func encode(_ value: UInt128) { box.fields.append(.value(value.value.stored)) }

  mutating func encode(_ value: some Encodable) throws {
    box.fields.append(try RecordEncoder.field(of: value, path: codingPath + [PlaceKey(count)]))
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    let nested = ObjectBox(isWhole: false)
    let path = codingPath + [PlaceKey(count)]
    box.fields.append(.object(nested))
    return KeyedEncodingContainer(KeyedWriting<Nested>(box: nested, codingPath: path))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let nested = ArrayBox()
    let path = codingPath + [PlaceKey(count)]
    box.fields.append(.array(nested))
    return Unkeyed(box: nested, codingPath: path)
  }

  mutating func superEncoder() -> any Encoder {
    let encoder = RecordEncoder(path: codingPath + [PlaceKey(count)])
    let nested = ObjectBox(isWhole: false)
    encoder.result = .object(nested)
    box.fields.append(.object(nested))
    return encoder
  }
}

private struct Single: SingleValueEncodingContainer {
  let encoder: RecordEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.result = .value(.null) }

  mutating func encode(_ value: Int128) { encoder.result = .value(value.value.stored) }
  mutating func encode(_ value: UInt128) { encoder.result = .value(value.value.stored) }

  mutating func encode(_ value: some Encodable) throws {
    encoder.result = try RecordEncoder.field(of: value, path: codingPath)
  }
}

struct PlaceKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }

  init(_ place: Int) { intValue = place }
  init?(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { intValue = Int(stringValue) }
}
