import SeaCore

/// One table of a query: records of a type, or all of them, with the properties as columns.
final class QueryTable {
  /// The columns that every table has, in their order, before the properties.
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

    /// Whether a table has one of that name: of a type it has no JSON.
    static func has(_ name: SQLName, isAll: Bool) -> Bool {
      allCases.contains { SQLText.folded($0.name) == name && (isAll || $0 != .json) }
    }

    /// What its values are, where they are no texts of every kind.
    var kind: ValueClass? {
      switch self {
      case .created, .modified: .dates
      case .conflict: .numbers
      default: nil
      }
    }
  }

  /// Handed about for every value of every row: a reference costs less than its parts.
  final class Property {
    let name: String
    let isExact: Bool
    let column: QueryCatalog.Column?
    /// What an index of values is of, where that is no property of the record itself.
    let path: PropertyPath?
    /// The index of text that `MATCH` searches, if it stands for one.
    let text: KeptIndex?
    /// Of what comes from indexes, other names that differ from it in case alone, which SQL does not tell apart.
    fileprivate(set) var others: [String] = []
    init(
      name: String, isExact: Bool = false, column: QueryCatalog.Column? = nil, path: PropertyPath? = nil,
      text: KeptIndex? = nil
    ) {
      (self.name, self.isExact, self.column, self.path, self.text) = (name, isExact, column, path, text)
    }

    /// How SQLite compares it with what has no type of its own.
    var affinity: Affinity {
      guard !isExact, let kind = column?.kinds.onlyClass else { return .none }
      if kind == .numbers { return .number }
      return kind == .text || kind == .dates ? .text : .none
    }
  }

  /// https://sqlite.org/datatype3.html#comparison_expressions
  enum Affinity: String { case none = " BLOB", number = " NUMERIC", text = " TEXT" }

  let name: String
  /// Whether it is the table of all records.
  let isAll: Bool
  let catalog: QueryCatalog.Table
  let properties: [Property]
  /// The properties whose names are also what an index gives a column: somebody may have made such a record after the index.
  private let claimed: Set<SQLName>
  /// How many properties are no columns, as there is no room for them.
  let leftOut: Int
  let source: QuerySource
  let records: RecordTable
  /// Of a shape, for each property its place in the body, or -1.
  private var places: [Int64: [Int]] = [:]
  @exclusivity(unchecked) private var last: (shape: Int64, places: [Int]?) = (-1, nil)
  private(set) var shapeKeys: [Int64] = []
  private(set) lazy var shapeSet = Set(shapeKeys)
  /// Whether the statement has other tables, so that it matters which of them is larger.
  var isJoined: Bool { leastCount != nil }
  /// Whether no table of a statement with several has fewer records.
  var isSmallest: Bool { leastCount.map { $0 == count } ?? false }
  /// Of the tables of a statement with several, how many records the smallest has.
  var leastCount: Int?
  /// How many records have one value of a property by which tables are joined: each record of the smallest table has one of its own,
  /// as far as can be told before anything is read.
  var share: Double { leastCount.map { max(1, Double(count) / Double(max(1, $0))) } ?? 10 }
  /// How many records there are. Counting them costs a hundredth of reading them, which is too much for what finds one by an index.
  private(set) lazy var count = (try? records.shapes.count(shapes: isAll ? nil : shapeKeys)) ?? 1_000_000

  /// SQLite has no more columns.
  static let mostColumns = 1900
  /// Bytes of names that a declaration has room for, twice and quoted.
  private static let mostBytes = 200_000

  /// - Parameters:
  ///   - names: in lower case, what the query names; of more properties than a table can have columns only these are columns.
  ///   - exact: in lower case, the properties that are asked for with every digit.
  ///   - extra: columns that are empty.
  ///   - indexes: those of its type.
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
    // Another table may lack what this one has.
    properties += extra.filter { name in
      let folded = SQLText.folded(name)
      return !Fixed.has(folded, isAll: isAll) && !properties.contains { SQLText.folded($0.name) == folded }
    }.map { Property(name: $0) }
    self.properties = properties
    self.claimed = claimed
    // What they say is of now.
    if records.connection.past == nil {
      for index in indexes where index.definition.kind == .values { self.indexes.append((index, places(of: index))) }
    }
    shapeKeys = catalog.shapes.map(\.key)
    let columnPlaces = ColumnPlaces(self.properties.map { $0.column == nil ? nil : $0.name })
    for (key, names) in catalog.shapes { places[key] = columnPlaces.find(names) }
  }

  /// Where the property of a column stands in bodies of a shape: -1 if they do not have it, nil if the shape is new.
  func place(of property: Int, in shape: Int64) -> Int? {
    if last.shape != shape { last = (shape, places[shape]) }
    return last.places?[property]
  }

  /// The indexes of values, and for each of their paths the property that it is; nil if it is none.
  private(set) var indexes: [(index: KeptIndex, properties: [Int?])] = []
  /// The ways through indexes that SQLite was offered.
  private(set) var choices: [IndexChoice] = []

  /// - Returns: where it stands among the choices.
  func note(_ choice: IndexChoice) -> Int {
    choices.append(choice)
    return choices.count - 1
  }

  private func places(of index: KeptIndex) -> [Int?] {
    index.definition.paths.map { path in
      properties.firstIndex { property in
        guard !property.isExact, property.text == nil else { return false }
        if let own = property.path { return UTF8Text.equal(own.pointer, path.pointer) }
        return path.names.count == 1 && property.column != nil && UTF8Text.equal(property.name, path.names[0])
      }
    }
  }

  /// Ends what takes too much: for what reads many records, or long ones, between two steps of SQLite.
  var checkLimits: () throws -> Void = {}

  /// What a column may mean that an index has added, where that is several things.
  func twins(of column: String) -> [String]? {
    guard hasTwins else { return nil }
    let folded = SQLText.folded(column)
    return properties.first { !$0.others.isEmpty && SQLText.folded($0.name) == folded }.map { [$0.name] + $0.others }
  }

  /// Whether a column may mean a property, and what an index has added.
  func isClaimed(_ column: String) -> Bool { !claimed.isEmpty && claimed.contains(SQLText.folded(column)) }

  private lazy var hasTwins = properties.contains { !$0.others.isEmpty }

  /// Of an index what was found for the values of other rows.
  var found: [Int: [[UInt8]: [Int64]]] = [:]
  var foundCount = 0
  private var joins: [Int: JoinIndex] = [:]

  /// Which records have which value of a property.
  func index(_ property: Int) throws -> JoinIndex {
    if let known = joins[property] { return known }
    let made = try JoinIndex(self, properties[property])
    joins[property] = made
    return made
  }

  /// The statement that tells SQLite of the columns. Numbers and texts are compared as such whatever the other side is written as; of
  /// the fixed columns a `*` shows the id alone, and in the table of all records type and JSON.
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

  /// Whether it has a column of that name.
  func has(_ column: SQLName) -> Bool {
    Fixed.has(column, isAll: isAll) || properties.contains { SQLText.folded($0.name) == column }
  }

  /// What a column number means.
  func property(_ column: Int32) -> Int { Int(column) - (isAll ? Fixed.count : Fixed.count - 1) }
}
