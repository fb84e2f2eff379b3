internal import SeaCore

/// Reads a record as a type and looks whether that asks for a property of a name: what a type may have no record needs to have.
struct NameSearch: Decoder {
  private final class Found { var isThere = false }

  private let name: String
  private let found: Found
  private let decoder: any Decoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func finds(_ name: String, _ type: (some SeaRecord).Type, in record: StoredRecord) -> Bool {
    let search = NameSearch(name: name, found: Found(), decoder: record.decoder)
    // What cannot be read has asked for all up to there.
    _ = try? type.init(from: search)
    return search.found.isThere
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keys(search: self, known: try decoder.container(keyedBy: type)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { try decoder.singleValueContainer() }

  private struct Keys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let search: NameSearch
    let known: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { known.codingPath }
    var allKeys: [Key] { known.allKeys }

    private func note(_ key: Key) -> Key {
      if UTF8Text.equal(key.stringValue, search.name) { search.found.isThere = true }
      return key
    }

    func contains(_ key: Key) -> Bool { known.contains(note(key)) }
    func decodeNil(forKey key: Key) throws -> Bool { try known.decodeNil(forKey: note(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try known.decode(type, forKey: note(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try known.decode(type, forKey: note(key)) }
    func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
      try known.decode(type, forKey: note(key))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try known.nestedContainer(keyedBy: type, forKey: note(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try known.nestedUnkeyedContainer(forKey: note(key))
    }

    /// A class reads what it has from its superclass from the same record.
    func superDecoder() throws -> any Decoder {
      NameSearch(name: search.name, found: search.found, decoder: try known.superDecoder())
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try known.superDecoder(forKey: note(key)) }
  }
}
