internal import SeaCore
internal import SeaEngine

/// A property of a record type, for conditions, orders and columns that the compiler checks:
///
///     struct Ship: SeaRecord {
///       static let recordType = "ship"
///       var id = RecordID.new()
///       var name: String
///       var tons: Double?
///       var owner: Reference<Person>?
///
///       static let name = Property("name", \Self.name)
///       static let tons = Property("tons", \Self.tons)
///       static let owner = Property("owner", \Self.owner)
///     }
///
///     let heavy = Ship.all.where(Ship.tons > 100 && Ship.owner[Person.name] != "Ann").order(by: Ship.tons.descending)
///     let rows = try await database.fetch(heavy, Ship.name, Ship.tons)
///
/// A comparison with a missing property is false, and so is `<` with nil. As in Swift, `!=` is true if only one side is
/// nil, and `!` turns false into true. Strings are compared by their bytes. A condition has at most 1,000 values. For a
/// value inside a struct, use the string forms, such as `.where("nest ->> 'height' > \(3)")` and
/// `.order(by: "nest.height")`.
public struct Property<Root: SeaRecord, Content: Codable & Sendable>: Sendable {
  /// The name of the property. If references are followed, the names of the properties that lead to it come first.
  let names: [String]
  /// The type of the record that has the property.
  private let owner: any SeaRecord.Type

  /// Creates a property.
  /// - Parameters:
  ///   - name: the name of the property in the record, which is that of its `CodingKey`. The name `id` stands for the
  ///     id of the record.
  ///   - path: the property in Swift, which determines the types.
  public init(_ name: String, _ path: KeyPath<Root, Content>) { self.init(name) }

  /// Creates a property that the type does not have in Swift, such as `Property<Ship, Timestamp>("_modified")`; see
  /// sea-query(7).
  public init(_ name: String) { self.init([UTF8Text.equal(name, "id") ? "_id" : name], of: Root.self) }

  private init(_ names: [String], of owner: any SeaRecord.Type) { (self.names, self.owner) = (names, owner) }

  private func following<Target, Known, Other>(_ property: Property<Target, Known>) -> Property<Root, Other?> {
    Property<Root, Other?>(names + property.names, of: property.owner)
  }

  /// A property of the record that this property refers to; nil if there is no such record.
  public subscript<Target, Other>(_ property: Property<Target, Other>) -> Property<Root, Other?>
  where Content == Reference<Target> { following(property) }
  /// A property of the record that this property refers to; nil if there is no such record.
  public subscript<Target, Other>(_ property: Property<Target, Other?>) -> Property<Root, Other?>
  where Content == Reference<Target> { following(property) }
  /// A property of the record that this property refers to; nil if there is no such record.
  public subscript<Target, Other>(_ property: Property<Target, Other>) -> Property<Root, Other?>
  where Content == Reference<Target>? { following(property) }
  /// A property of the record that this property refers to; nil if there is no such record.
  public subscript<Target, Other>(_ property: Property<Target, Other?>) -> Property<Root, Other?>
  where Content == Reference<Target>? { following(property) }
}

// MARK: - Conditions

/// A condition on the properties of a record type; see ``Property``.
public struct RecordCondition<Root: SeaRecord>: Sendable {
  let condition: Condition

  fileprivate init(_ parts: [Condition.Part]) { condition = Condition(parts: parts) }
  private init(_ condition: Condition) { self.condition = condition }

  /// Returns the condition that both conditions are true.
  public static func && (a: Self, b: Self) -> Self { Self(a.condition.joined(.and, b.condition)) }
  /// Returns the condition that at least one of the conditions is true.
  public static func || (a: Self, b: Self) -> Self { Self(a.condition.joined(.or, b.condition)) }
  /// Returns the condition that the condition is not true.
  public static prefix func ! (a: Self) -> Self { Self(a.condition.negated) }
}

extension Property {
  /// Returns the condition that the property has this value or, for nil, is missing.
  public static func == (property: Self, value: Content) -> RecordCondition<Root> {
    property.compared(" = ", value, withNothing: " IS NULL")
  }

  /// Returns the condition that the property does not have this value or, for nil, is not missing.
  public static func != (property: Self, value: Content) -> RecordCondition<Root> {
    property.compared(" IS NOT ", value, withNothing: " IS NOT NULL")
  }

  /// Returns the condition that the property is less than a value, in the order of SQL.
  public static func < (property: Self, value: Content) -> RecordCondition<Root> { property.compared(" < ", value) }
  /// Returns the condition that the property is at most a value, in the order of SQL.
  public static func <= (property: Self, value: Content) -> RecordCondition<Root> { property.compared(" <= ", value) }
  /// Returns the condition that the property is greater than a value, in the order of SQL.
  public static func > (property: Self, value: Content) -> RecordCondition<Root> { property.compared(" > ", value) }
  /// Returns the condition that the property is at least a value, in the order of SQL.
  public static func >= (property: Self, value: Content) -> RecordCondition<Root> { property.compared(" >= ", value) }

  private func compared(
    _ sign: String, _ value: Content, withNothing: String? = nil
  ) -> RecordCondition<Root> {
    let bound = Condition.Part(value)
    if let withNothing, case .value(.null) = bound { return RecordCondition([.sql(expression + withNothing)]) }
    return RecordCondition([.sql(expression + sign), bound])
  }

  private func has(_ element: some Encodable) -> RecordCondition<Root> {
    RecordCondition([.sql("has(\(expression), "), Condition.Part(element), .sql(")")])
  }

  /// Returns the condition that the array contains an element.
  public func contains(_ element: Content.Element) -> RecordCondition<Root>
  where Content: Sequence, Content.Element: Encodable { has(element) }
  /// Returns the condition that the array contains an element.
  public func contains<List: Sequence>(_ element: List.Element) -> RecordCondition<Root>
  where Content == List?, List.Element: Encodable { has(element) }
  /// Returns the condition that the set contains an element.
  public func contains<Element>(_ element: Element) -> RecordCondition<Root>
  where Content == MergeSet<Element> { has(element) }
  /// Returns the condition that the set contains an element.
  public func contains<Element>(_ element: Element) -> RecordCondition<Root>
  where Content == MergeSet<Element>? { has(element) }

  /// Returns the condition that the string begins with a prefix, compared by bytes.
  public func hasPrefix(_ prefix: String) -> RecordCondition<Root> where Content == String { begins(prefix) }
  /// Returns the condition that the string begins with a prefix, compared by bytes.
  public func hasPrefix(_ prefix: String) -> RecordCondition<Root> where Content == String? { begins(prefix) }

  /// The strings with a prefix are a range, so that an index can be used.
  private func begins(_ prefix: String) -> RecordCondition<Root> {
    var end = Array(prefix.unicodeScalars)
    while end.last?.value == 0x10FFFF { end.removeLast() }
    // Any data comes after all strings.
    var upper = QueryValue.data([])
    if let last = end.popLast() {
      // The surrogates are not characters.
      end.append(Unicode.Scalar(last.value + 1) ?? "\u{E000}")
      var text = String.UnicodeScalarView()
      text.append(contentsOf: end)
      upper = .text(String(text))
    }
    return RecordCondition([
      .sql("\(expression) >= "), .value(.text(prefix)), .sql(" AND \(expression) < "), .value(upper),
    ])
  }

  fileprivate func isOne(of values: some Sequence<some Encodable>) -> RecordCondition<Root> {
    var parts: [Condition.Part] = []
    for value in values { parts += [.sql(parts.isEmpty ? "\(expression) IN (" : ", "), Condition.Part(value)] }
    return RecordCondition(parts.isEmpty ? [.sql("FALSE")] : parts + [.sql(")")])
  }

  /// The property in SQL.
  var expression: String {
    let column = Queries.quoted(names[0])
    guard names.count > 1 else { return column }
    var found = "\(Queries.table(of: Root.recordType)).\(column)"
    for name in names.dropFirst() {
      found =
        name.utf8.first == 0x5F
        ? "(SELECT followed.\(Queries.quoted(name)) FROM main.records followed WHERE followed._id = \(found))"
        : "prop(\(found), \(QueryWords.property(name)))"
    }
    return found
  }
}

extension Condition.Part {
  fileprivate init(_ value: some Encodable) {
    do { self = .value(QueryValue(Value(stored: try RecordEncoder.value(of: value)))) } catch {
      self = .fault(SeaError(known: error))
    }
  }
}

extension Sequence where Element: Codable & Sendable {
  /// Returns the condition that the sequence contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Element>) -> RecordCondition<Root> { property.isOne(of: self) }
  /// Returns the condition that the sequence contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Element?>) -> RecordCondition<Root> { property.isOne(of: self) }
}

extension ClosedRange where Bound: Codable & Sendable {
  /// Returns the condition that the range contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Bound>) -> RecordCondition<Root> {
    property >= lowerBound && property <= upperBound
  }
  /// Returns the condition that the range contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Bound?>) -> RecordCondition<Root> {
    property >= lowerBound && property <= upperBound
  }
}

extension Range where Bound: Codable & Sendable {
  /// Returns the condition that the range contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Bound>) -> RecordCondition<Root> {
    property >= lowerBound && property < upperBound
  }
  /// Returns the condition that the range contains the value of a property.
  public func contains<Root>(_ property: Property<Root, Bound?>) -> RecordCondition<Root> {
    property >= lowerBound && property < upperBound
  }
}

// MARK: - Queries

/// A property to order by: a ``Property``, or its `descending`.
public protocol PropertyOrdering<Root> {
  /// The record type.
  associatedtype Root: SeaRecord
  /// The order.
  var order: PropertyOrder<Root> { get }
}

/// The order of records by a property; see ``Property/descending``.
public struct PropertyOrder<Root: SeaRecord>: PropertyOrdering, Sendable {
  fileprivate let term: SortTerm
  /// The order itself.
  public var order: Self { self }
}

extension Property: PropertyOrdering {
  /// Ascending order.
  public var order: PropertyOrder<Root> { PropertyOrder(term: .names(names, isDescending: false)) }
  /// Descending order, for `Query.order(by:)`.
  public var descending: PropertyOrder<Root> { PropertyOrder(term: .names(names, isDescending: true)) }
}

extension Query where Element: SeaRecord {
  /// Returns the query with an additional condition.
  public func `where`(_ condition: RecordCondition<Element>) -> Query { self.where(condition.condition) }

  /// Returns the query ordered by properties, the most significant one first, instead of by id. Strings are ordered by
  /// their letters, then by accents and other marks, and then by case.
  public func order(by properties: any PropertyOrdering<Element>...) -> Query {
    ordered(by: properties.map { $0.order.term })
  }
}

// MARK: - Columns

extension Property {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  var selection: Selection { Selection(names: names) }

  /// Decodes a value like a property of the record.
  /// - Throws: `bad-data`.
  func read(_ value: SeaCore.Value?, of id: String) throws -> Content {
    let key = Key(stringValue: names[names.count - 1])
    func whenMissing() throws -> SeaCore.Value {
      guard let value = try GrownType.value(of: key.stringValue, in: owner) else {
        throw StoredDecoder.missing(key, at: [])
      }
      return value
    }
    if value == nil || value == .null {
      if let empty = Content.self as? any EmptyIfMissing.Type { return empty.whenMissing as! Content }
      if let optional = Content.self as? any ExpressibleByNilLiteral.Type {
        return optional.init(nilLiteral: ()) as! Content
      }
    }
    do {
      var decoder = StoredDecoder(try value ?? whenMissing(), at: [key])
      decoder.owner = (owner, key.stringValue)
      return try decoder.read(Content.self)
    } catch let error as DecodingError {
      throw SeaError(error, record: id)
    }
  }
}
