internal import SeaCore
internal import SeaEngine

/// A selection of records, with an optional condition, order and limit. A query runs only when its records are fetched:
///
///     let birds = try await database.fetch(Bird.all.where("seen > \(3)").order(by: "-seen", "name").limit(10))
///
/// In conditions and orders that are strings, a name that no record has is NULL, because later records may have it. A
/// ``Property`` lets the compiler check names and types.
public struct Query<Element>: Sendable {
  let types: [String]
  private var condition: Condition?
  private var order: [SortTerm] = []
  private(set) var maximumCount: Int?
  private var target: String?
  private var after: String?
  /// Whether a name that no record has is an error.
  private var checksNames = false
  /// A closure that is called for records that cannot be decoded; nil if the first such record ends the query.
  private(set) var reportSkipped: (@Sendable (String, any Error) -> Void)?
  private let decode: @Sendable (StoredRecord) throws -> Element
  private let makeInPlace: @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element

  init(
    types: [String], _ make: @escaping @Sendable (StoredRecord) throws -> Element,
    inPlace: @escaping @Sendable (BorrowedRecord, inout BodyDecoding) throws -> Element
  ) {
    (self.types, self.decode, makeInPlace) = (types, make, inPlace)
  }

  /// Returns the query with an additional condition.
  public func `where`(_ condition: Condition) -> Query {
    var query = self
    query.condition = self.condition.map { $0.joined(.and, condition) } ?? condition
    return query
  }

  /// Returns the query ordered by properties, the most significant one first, instead of by id. The prefix `-` means
  /// descending order, and `owner->name` is the `name` of the record that `owner` refers to. `nest.height` is the
  /// `height` in the struct `nest`, unless a property has that name. Strings are ordered by their letters, then by
  /// accents and other marks, and then by case.
  public func order(by properties: String...) -> Query { ordered(by: properties.map { .text($0) }) }

  func ordered(by order: [SortTerm]) -> Query {
    var query = self
    query.order = order
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

  /// Returns the query with the names in its condition checked, as in `sea query`. Use this for conditions that people
  /// type. An unknown name that resembles a known one is an error that suggests it; for other possible mistakes, see
  /// ``ReadTransaction/notices(about:)``.
  public func checkingNames() -> Query {
    var query = self
    query.checksNames = true
    return query
  }

  /// Returns the query with records skipped that cannot be decoded as the type. Without this call, the first such
  /// record ends the query with an error. Skipped records do not count toward a limit, but `count` and `ids` include
  /// them.
  ///
  /// Live lists skip such records without this call, see ``LiveList/unreadable``.
  /// - Parameter report: receives the id and the error, which names the property, on a thread of the database. A live
  ///   list calls this closure again each time a skipped record changes.
  public func skippingUndecodable(_ report: @escaping @Sendable (_ id: String, _ error: any Error) -> Void) -> Query {
    var query = self
    query.reportSkipped = report
    return query
  }

  /// - Returns: nil to skip the record.
  func element(_ record: StoredRecord) throws -> Element? { try unlessSkipped(record.id) { try decode(record) } }

  /// Passes the element of a record to `body`, unless the record is skipped.
  func visit(
    _ record: BorrowedRecord, _ decoding: inout BodyDecoding, _ body: (consuming Element) throws -> Void
  ) throws {
    guard let reportSkipped else { return try body(makeInPlace(record, &decoding)) }
    let element: Element
    do { element = try makeInPlace(record, &decoding) } catch {
      return reportSkipped(String(decoding: record.id, as: UTF8.self), SeaError.of(error))
    }
    try body(element)
  }

  func unlessSkipped<Result>(_ id: @autoclosure () -> String, _ make: () throws -> Result) throws -> Result? {
    guard let reportSkipped else { return try make() }
    do { return try make() } catch {
      reportSkipped(id(), SeaError.of(error))
      return nil
    }
  }

  /// The limit, if it must be applied after decoding because the engine does not know which records are skipped.
  var decodedLimit: Int? { reportSkipped == nil ? nil : maximumCount }

  /// Whether the query selects all records or all records of a type, by id.
  var isWhole: Bool {
    condition == nil && order.isEmpty && maximumCount == nil && target == nil && after == nil
  }

  func core(_ engine: SeaEngine.Database) throws -> RecordQuery {
    var filter = RecordFilter()
    (filter.types, filter.refersTo, filter.after) = (types, target, after)
    let condition = try condition?.rendered()
    var query = try RecordQuery(
      filter, condition.map { RecordQuery.Condition($0.sql, $0.values) },
      limit: reportSkipped == nil ? maximumCount : nil)
    query.sort = try order.map { try $0.key { try engine.queries.hasProperty($0, of: types) } }
    // A type can have properties that no record has yet.
    query.allowsUnknownNames = !checksNames
    return query
  }
}

enum SortTerm: Sendable {
  /// A selection with a leading `-` for descending order.
  case text(String)
  /// The names of a `Property`.
  case names([String], isDescending: Bool)

  func key(_ isProperty: (String) throws -> Bool) throws -> (key: Selection, isDescending: Bool) {
    switch self {
    case .names(let names, let isDescending): return (Selection(names: names), isDescending)
    case .text(let text):
      let isDescending = text.utf8.first == 0x2D
      let name = String(text.dropFirst(isDescending ? 1 : 0))
      // The name of a property can also have another meaning, such as `id` or `nest.height`.
      if let plain = try? Selection(name), let property = plain.plainProperty, UTF8Text.equal(property, name) {
        return (plain, isDescending)
      }
      return (try isProperty(name) ? Selection(names: [name]) : Selection(name), isDescending)
    }
  }
}

extension SeaRecord {
  /// A query for all records of the type.
  public static var all: Query<Self> {
    Query(types: [recordType]) {
      try $0.decoded(as: Self.self)
    } inPlace: {
      try $1.decode(Self.self, $0)
    }
  }
}

extension Query where Element == Record {
  /// Returns a query for all records of a type; nil for records of all types.
  public static func records(of type: String? = nil) -> Query { records(of: type.map { [$0] } ?? []) }

  /// Returns a query for all records of these types, in the order of their ids; none for records of all types. A
  /// condition can use the properties of every type.
  public static func records(of types: [String]) -> Query {
    Query(types: types) {
      Record($0)
    } inPlace: { record, _ in
      Record(try StoredRecord(record))
    }
  }
}
