internal import SeaCore

/// Decodes the records of one query directly from their stored bytes, on one thread. Values that are not plain are
/// decoded by `StoredDecoder`.
final class BodyDecoder: Decoder {
  fileprivate let index = BodyIndex()
  @exclusivity(unchecked) fileprivate var id = ""
  @exclusivity(unchecked) fileprivate var revision: RevisionID?
  private let type: any SeaRecord.Type
  /// A copy of the bytes, made if the caller keeps a decoding container.
  @exclusivity(unchecked) private var kept: UnsafeMutableBufferPointer<UInt8>?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ type: any SeaRecord.Type) { self.type = type }

  deinit { kept?.deallocate() }

  /// - Throws: `SeaError` that names the record and the property.
  fileprivate func decode<Wanted: SeaRecord>(_ record: BorrowedRecord) throws -> Wanted {
    try index.read(record.body)
    id = String(decoding: record.id, as: UTF8.self)
    revision = record.revision
    do { return try Wanted(from: self) } catch let error as DecodingError { throw SeaError(error, record: id) }
  }

  fileprivate func keep(_ record: BorrowedRecord) throws {
    guard let body = record.body else { return }
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: body.count)
    _ = copy.initialize(from: body)
    kept = copy
    try index.read(UnsafeBufferPointer(copy))
  }

  /// Returns a decoder for the whole record, for types that do not read properties by name.
  fileprivate func whole() throws -> StoredDecoder {
    var decoder = StoredDecoder(.dictionary(try index.members()))
    decoder.record = (id, revision?.description, type)
    return decoder
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(BodyReading(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try whole().unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { try whole().singleValueContainer() }

  // MARK: - Properties

  fileprivate enum Found {
    case place(Int)
    case own(String)
    case nothing
  }

  /// Finds a property by name. The names `id` and `_id` stand for the id of the record, and `_rev` for its revision.
  fileprivate func find(_ name: String) -> Found {
    if name.utf8.count <= 4 {
      if name == "id" || name == "_id" { return .own(id) }
      if name == "_rev" { return revision.map { .own($0.description) } ?? .nothing }
    }
    return index.find(name).map { .place($0) } ?? .nothing
  }

  fileprivate func decoder(_ key: some CodingKey) throws -> StoredDecoder {
    switch find(key.stringValue) {
    case .place(let place):
      var decoder = StoredDecoder(try index.value(place), at: [key])
      decoder.owner = (type, key.stringValue)
      return decoder
    case .own(let text): return StoredDecoder(.string(text), at: [key])
    case .nothing:
      if let value = try GrownType.value(of: key.stringValue, in: type) { return StoredDecoder(value, at: [key]) }
      throw StoredDecoder.missing(key, at: [])
    }
  }
}

/// Reuses one decoder for all records of a query, which have one type.
struct BodyDecoding {
  private var decoder: BodyDecoder?

  /// - Throws: `SeaError` that names the record and the property.
  mutating func decode<Wanted: SeaRecord>(_ type: Wanted.Type, _ record: BorrowedRecord) throws -> Wanted {
    if decoder == nil { decoder = BodyDecoder(type) }
    defer {
      // If the caller keeps a decoding container, it gets a copy of the bytes, and the next record gets a new decoder.
      if !isKnownUniquelyReferenced(&decoder) {
        try? decoder?.keep(record)
        decoder = nil
      }
    }
    return try decoder!.decode(record)
  }
}

private struct BodyReading<Key: CodingKey>: NestingContainer {
  let decoder: BodyDecoder
  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { (0..<decoder.index.count).compactMap { Key(stringValue: decoder.index.name($0)) } }

  /// - Returns: nil if there is no such property, or if `read` expects a different kind of value.
  @inline(__always) private func plain<Plain>(_ key: Key, _ read: (BodyIndex, Int) -> Plain?) -> Plain? {
    guard case .place(let place) = decoder.find(key.stringValue) else { return nil }
    return read(decoder.index, place)
  }

  @inline(__always) private func optional<Plain: Decodable>(
    _ key: Key, _ read: (BodyIndex, Int) -> Plain?
  ) throws -> Plain? {
    switch decoder.find(key.stringValue) {
    case .place(let place):
      if let value = read(decoder.index, place) { return value }
      return decoder.index.isNull(place) ? nil : try decoder.decoder(key).read(Plain.self)
    case .own: return try decoder.decoder(key).read(Plain.self)
    case .nothing: return nil
    }
  }

  @inline(__always) private func whole<Number: FixedWidthInteger>(_ index: BodyIndex, _ place: Int) -> Number? {
    index.integer(place).flatMap { Number(exactly: $0) }
  }

  @inline(__always) private func double(_ index: BodyIndex, _ place: Int) -> Double? {
    index.double(place) ?? index.integer(place).flatMap { Double(exactly: $0) }
  }

  func contains(_ key: Key) -> Bool {
    if case .nothing = decoder.find(key.stringValue) { false } else { true }
  }

  func decodeNil(forKey key: Key) -> Bool {
    switch decoder.find(key.stringValue) {
    case .place(let place): decoder.index.isNull(place)
    case .own: false
    case .nothing: true
    }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    switch decoder.find(key.stringValue) {
    case .place(let place): if let text = decoder.index.text(place) { return text }
    case .own(let text): return text
    case .nothing: break
    }
    return try decoder.decoder(key).read(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try plain(key) { $0.bool($1) } ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try plain(key, double) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try plain(key, whole) ?? decoder.decoder(key).read(type)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder.decoder(key).read(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder.decoder(key).read(type) }

  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
    if let type = type as? any EmptyIfMissing.Type, !contains(key) { return type.whenMissing as! Wanted }
    return try decoder.decoder(key).read(type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try optional(key) { $0.text($1) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) { $0.bool($1) } }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(key, double) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(key, whole) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(key, whole) }

  func decoder(_ key: Key) throws -> StoredDecoder { try decoder.decoder(key) }

  /// The properties of a superclass are stored in the same record.
  func superDecoder() -> any Decoder { decoder }
}
