import SeaCore

/// A table that a query can use, containing either the records of one type or all records. Its columns are the
/// properties.
final class QueryTable {
  /// The columns that every table has before the properties, in this order.
  enum Fixed: Int32, CaseIterable {
    case id, type, rev, created, createdBy, modified, modifiedBy, conflict, json

    var name: String {
      switch self {
      case .id: "_id"
      case .type: "_type"
      case .rev: "_rev"
      case .created: "_created"
      case .createdBy: "_created_by"
      case .modified: "_modified"
      case .modifiedBy: "_modified_by"
      case .conflict: "_conflict"
      case .json: "json"
      }
    }

    static let count = allCases.count

    /// Whether a table has a fixed column with that name. The table of a type has no JSON column.
    static func has(_ name: SQLName, isAll: Bool) -> Bool {
      allCases.contains { SQLText.folded($0.name) == name && (isAll || $0 != .json) }
    }

    var kind: ValueClass? {
      switch self {
      case .created, .modified: .dates
      case .conflict: .numbers
      default: nil
      }
    }
  }

  /// A property column. `Property` is a class because passing one reference per value is cheaper than passing all
  /// fields.
  final class Property {
    let name: String
    let isExact: Bool
    let column: QueryCatalog.Column?
    /// The path that a value index uses, unless the path is simply a property of the record.
    let path: PropertyPath?
    /// The text index that `MATCH` searches through this column, if any.
    let text: KeptIndex?
    /// Other spellings of the name, from indexes, that differ only in case, which SQL ignores.
    fileprivate(set) var others: [String] = []
    init(
      name: String, isExact: Bool = false, column: QueryCatalog.Column? = nil, path: PropertyPath? = nil,
      text: KeptIndex? = nil
    ) {
      (self.name, self.isExact, self.column, self.path, self.text) = (name, isExact, column, path, text)
    }

    /// The affinity that applies to comparisons with values that have no affinity.
    var affinity: Affinity {
      guard !isExact, let kind = column?.kinds.onlyClass else { return .none }
      if kind == .numbers { return .number }
      return [.text, .dates, .days].contains(kind) ? .text : .none
    }
  }

  /// The affinities of SQLite (https://sqlite.org/datatype3.html#comparison_expressions).
  enum Affinity: String { case none = " BLOB", number = " NUMERIC", text = " TEXT" }

  let name: String
  let isAll: Bool
  let catalog: QueryCatalog.Table
  let properties: [Property]
  /// The properties that have the same name as an index column because a later record introduced the property.
  private let claimed: Set<SQLName>
  /// The number of properties without a column because the table already has the maximum number.
  let leftOut: Int
  let source: QuerySource
  let records: RecordTable
  /// For each shape, the positions of the properties in a body, with -1 for missing properties.
  private var places: [Int64: [Int]] = [:]
  @exclusivity(unchecked) private var last: (shape: Int64, places: [Int]?) = (-1, nil)
  private(set) var shapeKeys: [Int64] = []
  private(set) lazy var shapeSet = Set(shapeKeys)
  /// Whether the statement joins several tables. Otherwise, the sizes of tables do not matter.
  var isJoined: Bool { leastCount != nil }
  var isSmallest: Bool { leastCount.map { $0 == count } ?? false }
  var leastCount: Int?
  /// The estimated number of records that share the same value of a join property, assuming that each record in the
  /// smallest table has a different value.
  var share: Double { leastCount.map { max(1, Double(count) / Double(max(1, $0))) } ?? 10 }
  /// The number of records. Counting costs a hundredth of reading all records, which is too much for a query that uses
  /// an index to find one record.
  private(set) lazy var count = (try? records.shapes.count(shapes: isAll ? nil : shapeKeys)) ?? 1_000_000

  /// The maximum number of columns, which is below SQLite's limit.
  static let mostColumns = 1900
  /// The maximum size in bytes of all names in a declaration, in which each name appears twice, in quotes.
  private static let mostBytes = 200_000

  /// - Parameters:
  ///   - names: the names in the query, in lower case. If there are too many properties, only these become columns.
  ///   - exact: properties requested with all digits, in lower case.
  ///   - extra: columns that are empty.
  init(
    _ name: String, _ catalog: QueryCatalog.Table, isAll: Bool, names: Set<SQLName>, exact: Set<SQLName>,
    extra: [String], _ indexes: [KeptIndex],
    _ records: RecordTable, _ source: QuerySource
  ) {
    self.name = name
    self.isAll = isAll
    self.catalog = catalog
    self.records = records
    self.source = source
    let isTooMuch =
      catalog.columns.count > QueryTable.mostColumns / 2
      || catalog.columns.values.reduce(0) { $0 + $1.name.utf8.count } > QueryTable.mostBytes
    var columns =
      isTooMuch
      ? catalog.columns.filter { names.contains($0.key) }.map(\.value).sorted { Members.precedes($0.name, $1.name) }
      : catalog.sortedColumns
    if isAll { columns.removeAll { SQLText.folded($0.name) == "json" } }
    leftOut = isAll ? 0 : catalog.columns.count - min(columns.count, QueryTable.mostColumns / 2)
    var properties = columns.prefix(QueryTable.mostColumns / 2).map { Property(name: $0.name, column: $0) }
    properties += properties.filter { exact.contains(SQLText.folded($0.name)) }.map {
      Property(name: $0.name, isExact: true, column: $0.column)
    }
    let known = Set(columns.map { SQLText.folded($0.name) })
    var claimed: Set<SQLName> = []
    func add(_ property: Property) {
      let folded = SQLText.folded(property.name)
      guard !known.contains(folded) else {
        claimed.insert(folded)
        return
      }
      guard let at = properties.firstIndex(where: { SQLText.folded($0.name) == folded }) else {
        return properties.append(property)
      }
      let isKnown = ([properties[at].name] + properties[at].others).contains { UTF8Text.equal($0, property.name) }
      if !isKnown { properties[at].others.append(property.name) }
    }
    for index in indexes {
      if index.definition.kind == .text {
        add(Property(name: "_" + index.name, text: index))
      } else {
        for path in index.definition.paths where path.names.count > 1 { add(Property(name: path.pointer, path: path)) }
      }
    }
    // Columns that exist only in other tables are empty in this table.
    properties += extra.filter { name in
      let folded = SQLText.folded(name)
      return !Fixed.has(folded, isAll: isAll) && !properties.contains { SQLText.folded($0.name) == folded }
    }.map { Property(name: $0) }
    self.properties = properties
    self.claimed = claimed
    // Value indexes describe only the present state.
    if records.connection.past == nil {
      for index in indexes where index.definition.kind == .values { self.indexes.append((index, positions(of: index))) }
    }
    shapeKeys = catalog.shapes.map(\.key)
    let columnPlaces = ColumnPlaces(self.properties.map { $0.column == nil ? nil : $0.name })
    for (key, names) in catalog.shapes { places[key] = columnPlaces.find(names) }
  }

  /// Returns the position of a column's property in bodies of a shape: -1 if the bodies lack the property, nil if the
  /// shape is new.
  func position(of property: Int, in shape: Int64) -> Int? {
    if last.shape != shape { last = (shape, places[shape]) }
    return last.places?[property]
  }

  /// The value indexes and, for each of their paths, the property column if there is one.
  private(set) var indexes: [(index: KeptIndex, properties: [Int?])] = []
  private(set) var choices: [IndexChoice] = []

  /// - Returns: the position in `choices`.
  func add(_ choice: IndexChoice) -> Int {
    choices.append(choice)
    return choices.count - 1
  }

  private func positions(of index: KeptIndex) -> [Int?] {
    index.definition.paths.map { path in
      properties.firstIndex { property in
        guard !property.isExact, property.text == nil else { return false }
        if let own = property.path { return UTF8Text.equal(own.pointer, path.pointer) }
        return path.names.count == 1 && property.column != nil && UTF8Text.equal(property.name, path.names[0])
      }
    }
  }

  /// A closure that throws if a limit is exceeded. Code that reads many records or long records between two SQLite
  /// steps must call this closure.
  var checkLimits: () throws -> Void = {}

  /// Returns all index paths that a column name could stand for, if there are several.
  func twins(of column: String) -> [String]? {
    guard hasTwins else { return nil }
    let folded = SQLText.folded(column)
    return properties.first { !$0.others.isEmpty && SQLText.folded($0.name) == folded }.map { [$0.name] + $0.others }
  }

  /// Whether the column name could mean either a property or an index column.
  func isClaimed(_ column: String) -> Bool { !claimed.isEmpty && claimed.contains(SQLText.folded(column)) }

  private lazy var hasTwins = properties.contains { !$0.others.isEmpty }

  /// Cached index results for values from other rows.
  var found: [Int: [[UInt8]: [Int64]]] = [:]
  var foundCount = 0
  private var joins: [Int: JoinIndex] = [:]

  func index(_ property: Int) throws -> JoinIndex {
    if let known = joins[property] { return known }
    let made = try JoinIndex(self, properties[property])
    joins[property] = made
    return made
  }

  /// The statement that declares the columns. The declared type determines how numbers and strings are compared. Of the
  /// fixed columns, `*` includes only the id and, in the table of all records, the type and JSON.
  var declaration: String {
    var parts = Fixed.allCases.compactMap { fixed -> String? in
      switch fixed {
      case .id: "\(fixed.name) TEXT NOT NULL"
      case .type: "\(fixed.name) TEXT" + (isAll ? "" : " HIDDEN")
      case .conflict: "\(fixed.name) INTEGER HIDDEN"
      case .json: isAll ? "\(fixed.name) TEXT" : nil
      default: "\(fixed.name) TEXT HIDDEN"
      }
    }
    for property in properties {
      let name = SQLText.quoted(property.name + (property.isExact ? ExactArguments.mark : ""))
      let isHidden = isAll || property.isExact || property.path != nil || property.text != nil
      parts.append(name + property.affinity.rawValue + (isHidden ? " HIDDEN" : ""))
    }
    return "CREATE TABLE x(" + parts.joined(separator: ",") + ")"
  }

  func has(_ column: SQLName) -> Bool {
    Fixed.has(column, isAll: isAll) || properties.contains { SQLText.folded($0.name) == column }
  }

  func property(_ column: Int32) -> Int { Int(column) - (isAll ? Fixed.count : Fixed.count - 1) }
}
