internal import SeaCore
internal import SeaEngine

/// A selection of records, with an optional condition, order and limit. A query runs only when its records are fetched:
///
///     let birds = try await database.fetch(Bird.all.where("seen > \(3)").order(by: "-seen", "name").limit(10))
///
/// A property that no record has is NULL, because later records may have it.
public struct Query<Element>: Sendable {
  let type: String?
  private var condition: Condition?
  private var order: [String] = []
  private(set) var maximumCount: Int?
  private var target: String?
  private var after: String?
  /// A closure that is called for records that cannot be decoded; nil if the first such record ends the query.
  private var reportSkipped: (@Sendable (String, any Error) -> Void)?
  private let decode: @Sendable (StoredRecord) throws -> Element
  private let makeInPlace: @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element

  init(
    type: String?, _ make: @escaping @Sendable (StoredRecord) throws -> Element,
    inPlace: @escaping @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element
  ) {
    (self.type, self.decode, makeInPlace) = (type, make, inPlace)
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
    return query
  }
}

extension SeaRecord {
  /// A query for all records of the type.
  public static var all: Query<Self> {
    Query(type: recordType) {
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
