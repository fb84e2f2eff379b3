internal import SeaCore
internal import SeaEngine

/// A selection of records, with an optional condition, order and limit. A query runs only when its records are fetched:
///
///     let birds = try await database.fetch(Bird.all.where("seen > \(3)").order(by: "-seen", "name").limit(10))
///
/// In a condition, a property that no record has is treated as NULL. However, an unknown name that closely resembles
/// another property of the type is an error, because it is probably a typo.
public struct Query<Element>: Sendable {
  let type: String?
  private var condition: Condition?
  private var order: [String] = []
  private(set) var maximumCount: Int?
  private var target: String?
  private var after: String?
  /// Whether to accept unknown names that resemble another property, because later records may introduce them.
  var acceptsLikelyTypos = false
  /// A closure that is called for records that cannot be decoded; nil if the first such record ends the query.
  private var reportSkipped: (@Sendable (String, any Error) -> Void)?
  /// Returns whether the type reads a property with this name from a record.
  private let readsProperty: @Sendable (String, StoredRecord) -> Bool
  private let decode: @Sendable (StoredRecord) throws -> Element
  private let makeInPlace: @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element

  init(
    type: String?, readsProperty: @escaping @Sendable (String, StoredRecord) -> Bool = { _, _ in false },
    _ make: @escaping @Sendable (StoredRecord) throws -> Element,
    inPlace: @escaping @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element
  ) {
    (self.type, self.readsProperty, self.decode, makeInPlace) = (type, readsProperty, make, inPlace)
  }

  /// Returns the query with an additional condition.
  public func `where`(_ condition: Condition) -> Query {
    var query = self
    query.condition = self.condition.map { $0.and(condition) } ?? condition
    return query
  }

  /// Returns the query ordered by properties, the most significant one first, instead of by id. The prefix `-` means
  /// descending order, and `owner->name` is the `name` of the record that `owner` refers to. Strings are ordered by their
  /// letters, then by accents and other marks, and then by case.
  public func order(by properties: String...) -> Query {
    var query = self
    query.order = properties
    return query
  }

  /// Returns the query with a maximum number of records.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.maximumCount = max(0, count)
    return query
  }

  /// Returns the query restricted to records that refer to the record with this id in any property.
  public func referring(to id: String) -> Query {
    var query = self
    query.target = id
    return query
  }

  /// Returns the query restricted to records whose ids come after this id, for reading an unordered result page by
  /// page.
  public func after(_ id: String) -> Query {
    var query = self
    query.after = id
    return query
  }

  /// Returns the query with records skipped that cannot be decoded as the type. Without this call, the first such
  /// record ends the query with an error. Skipped records do not count toward a limit, but `count` and `ids` include
  /// them.
  /// - Parameter report: receives the id and the error, which names the property, on a thread of the database. A live
  ///   list calls this closure again each time a skipped record changes.
  public func skippingUndecodable(_ report: @escaping @Sendable (_ id: String, _ error: any Error) -> Void) -> Query {
    var query = self
    query.reportSkipped = report
    return query
  }

  /// - Returns: nil to skip the record.
  func element(_ record: StoredRecord) throws -> Element? {
    guard let reportSkipped else { return try decode(record) }
    do { return try decode(record) } catch {
      reportSkipped(record.id, SeaError.of(error))
      return nil
    }
  }

  func element(_ record: BorrowedRecord, _ decoding: inout BodyDecoding) throws -> Element? {
    guard let reportSkipped else { return try makeInPlace(record, &decoding) }
    do { return try makeInPlace(record, &decoding) } catch {
      reportSkipped(String(decoding: record.id, as: UTF8.self), SeaError.of(error))
      return nil
    }
  }

  /// The limit, if it must be applied after decoding because the engine does not know which records are skipped.
  var decodedLimit: Int? { reportSkipped == nil ? nil : maximumCount }

  func core(_ engine: SeaEngine.Database) throws -> RecordQuery {
    var filter = RecordFilter()
    (filter.type, filter.refersTo, filter.after) = (type, target, after)
    let condition = condition.map { RecordQuery.Condition($0.sql, $0.values) }
    var query = try RecordQuery(
      filter, condition, sort: order.isEmpty ? nil : order.joined(separator: ","),
      limit: reportSkipped == nil ? maximumCount : nil,
      isProperty: { try engine.queries.hasProperty($0, of: type) })
    // A type can have properties that no record has yet.
    query.allowsUnknownNames = true
    query.rejectsTypos = try !acceptsLikelyTypos && engine.queries.hasRecords(of: type)
    return query
  }

  func knows(_ name: String, _ engine: SeaEngine.Database) throws -> Bool {
    guard let type else { return false }
    var filter = RecordFilter()
    filter.type = type
    var knows = false
    try engine.records.forEach(filter) {
      knows = try StoredRecord($0).map { readsProperty(name, $0) } ?? false
      return false
    }
    return knows
  }
}

extension SeaRecord {
  /// A query for all records of the type.
  public static var all: Query<Self> {
    Query(type: recordType, readsProperty: { NameSearch.finds($0, Self.self, in: $1) }) {
      try $0.decoded(as: Self.self)
    } inPlace: {
      try $1.decode(Self.self, $0)
    }
  }
}

extension Query where Element == Record {
  /// Returns a query for all records of a type; nil for records of all types.
  public static func records(of type: String? = nil) -> Query {
    Query(type: type) {
      Record($0)
    } inPlace: { record, _ in
      Record(try StoredRecord(record))
    }
  }
}

/// A decoder that finds out whether a type reads a property with a given name.
struct NameSearch: Decoder {
  private final class Found { var isThere = false }

  private let name: String
  private let found: Found
  private let decoder: any Decoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func finds(_ name: String, _ type: (some SeaRecord).Type, in record: StoredRecord) -> Bool {
    let search = NameSearch(name: name, found: Found(), decoder: record.decoder(as: type))
    // Even if decoding fails, the properties that were read before the failure count.
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

    private func recordSkip(_ key: Key) -> Key {
      if UTF8Text.equal(key.stringValue, search.name) { search.found.isThere = true }
      return key
    }

    func contains(_ key: Key) -> Bool { known.contains(recordSkip(key)) }
    func decodeNil(forKey key: Key) throws -> Bool { try known.decodeNil(forKey: recordSkip(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
      try known.decode(type, forKey: recordSkip(key))
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
      try known.decode(type, forKey: recordSkip(key))
    }
    func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
      try known.decode(type, forKey: recordSkip(key))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try known.nestedContainer(keyedBy: type, forKey: recordSkip(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try known.nestedUnkeyedContainer(forKey: recordSkip(key))
    }

    /// The properties of a superclass are stored in the same record.
    func superDecoder() throws -> any Decoder {
      NameSearch(name: search.name, found: search.found, decoder: try known.superDecoder())
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try known.superDecoder(forKey: recordSkip(key)) }
  }
}
