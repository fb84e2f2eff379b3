internal import SeaCore
internal import SeaEngine

/// Which records, in which order, and how many of them. A property that no record has is NULL in its condition; but a name that is much like
/// that of another property, and that the type does not know, is a slip, and an error. It is a value, and asks nothing itself:
///
///     let birds = try await database.fetch(Bird.all.where("seen > \(3)").order(by: "-seen", "name").limit(10))
public struct Query<Element>: Sendable {
  let type: String?
  private var condition: Condition?
  private var order: [String] = []
  private(set) var most: Int?
  private var target: String?
  private var after: String?
  /// Whether a name that is much like that of a property is no slip: something is going to be written under it.
  var takesSlips = false
  /// Told of the records that are passed over; nil if the first of them ends the query.
  private var tellSkipped: (@Sendable (String, any Error) -> Void)?
  /// Whether the type that is wished asks a record for a property of this name.
  private let asks: @Sendable (String, StoredRecord) -> Bool
  private let make: @Sendable (StoredRecord) throws -> Element
  /// The same of a record where it lies.
  private let makeInPlace: @Sendable (RecordBytes, inout BodyDecoding) throws -> Element

  init(
    type: String?, asks: @escaping @Sendable (String, StoredRecord) -> Bool = { _, _ in false },
    _ make: @escaping @Sendable (StoredRecord) throws -> Element,
    inPlace: @escaping @Sendable (RecordBytes, inout BodyDecoding) throws -> Element
  ) {
    (self.type, self.asks, self.make, makeInPlace) = (type, asks, make, inPlace)
  }

  /// Those for which the condition holds, too.
  public func `where`(_ condition: Condition) -> Query {
    var query = self
    query.condition = self.condition.map { $0.and(condition) } ?? condition
    return query
  }

  /// Ordered by properties, the first first; each from the smallest, or behind `-` from the greatest. A property of a record that a
  /// reference leads to is `owner->name`. Records that are equal, and all without an order, come by their ids.
  public func order(by properties: String...) -> Query {
    var query = self
    query.order = properties
    return query
  }

  /// At most so many.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.most = max(0, count)
    return query
  }

  /// Those that refer to the record with this id, from any property: the other end of a reference.
  public func referring(to id: String) -> Query {
    var query = self
    query.target = id
    return query
  }

  /// Those whose ids come behind this one: for pages without an order.
  public func after(_ id: String) -> Query {
    var query = self
    query.after = id
    return query
  }

  /// Passes over records that the type cannot be made of, as somebody else may have written; without this the first of them ends the query,
  /// and a list that follows it. They are no part of a limit; `count` and `ids`, which make nothing, count them.
  /// - Parameter tell: called with the id and the error, which names the property, on a thread of the database; by a list that follows, each
  ///   time that such a record has changed.
  public func skippingUndecodable(_ tell: @escaping @Sendable (_ id: String, _ error: any Error) -> Void) -> Query {
    var query = self
    query.tellSkipped = tell
    return query
  }

  /// - Returns: nil of a record that is passed over.
  func element(_ record: StoredRecord) throws -> Element? {
    guard let tellSkipped else { return try make(record) }
    do { return try make(record) } catch {
      tellSkipped(record.id, SeaError.of(error))
      return nil
    }
  }

  /// The same of a record where it lies.
  func element(_ record: RecordBytes, _ decoding: inout BodyDecoding) throws -> Element? {
    guard let tellSkipped else { return try makeInPlace(record, &decoding) }
    do { return try makeInPlace(record, &decoding) } catch {
      tellSkipped(String(decoding: record.id, as: UTF8.self), SeaError.of(error))
      return nil
    }
  }

  /// How many are taken at most, where the engine cannot count them: which of them are passed over it does not know.
  var mostMade: Int? { tellSkipped == nil ? nil : most }

  func core(_ engine: SeaEngine.Database) throws -> RecordQuery {
    var filter = RecordFilter()
    (filter.type, filter.refersTo, filter.after) = (type, target, after)
    let condition = condition.map { RecordQuery.Condition($0.sql, $0.values) }
    var query = try RecordQuery(
      filter, condition, sort: order.isEmpty ? nil : order.joined(separator: ","),
      limit: tellSkipped == nil ? most : nil,
      isProperty: { try engine.queries.hasProperty($0, of: type) })
    // What a type may have, no record needs to have yet.
    query.takesNames = true
    query.refusesSlips = try !takesSlips && engine.queries.hasRecords(of: type)
    return query
  }

  /// Whether a name that no record has yet is one that the type has.
  func knows(_ name: String, _ engine: SeaEngine.Database) throws -> Bool {
    guard let type else { return false }
    var filter = RecordFilter()
    filter.type = type
    var knows = false
    try engine.records.forEach(filter) {
      knows = try StoredRecord($0).map { asks(name, $0) } ?? false
      return false
    }
    return knows
  }
}

extension SeaRecord {
  /// All records of the type.
  public static var all: Query<Self> {
    Query(type: recordType, asks: { NameSearch.finds($0, Self.self, in: $1) }) {
      try $0.decoded(as: Self.self)
    } inPlace: {
      try $1.decode(Self.self, $0)
    }
  }
}

extension Query where Element == Record {
  /// All records of a type, or all that there are.
  public static func records(of type: String? = nil) -> Query {
    Query(type: type) {
      Record($0)
    } inPlace: { record, _ in
      Record(try StoredRecord(record))
    }
  }
}

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
