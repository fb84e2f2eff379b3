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
  }

  struct Property {
    var name: String
    var isExact = false
    var column: QueryCatalog.Column?
  }

  let name: String
  /// Whether it is the table of all records.
  let isAll: Bool
  let catalog: QueryCatalog.Table
  let properties: [Property]
  let source: QuerySource
  let records: RecordTable
  /// Of a shape, for each property its place in the body, or -1.
  private var places: [Int64: [Int]] = [:]
  @exclusivity(unchecked) private var last: (shape: Int64, places: [Int]?) = (-1, nil)
  private(set) var shapeKeys: [Int64] = []
  private(set) lazy var shapeSet = Set(shapeKeys)
  /// Whether the statement has other tables, so that it matters which of them is larger.
  var isJoined = false
  /// How many records there are. Counting them costs a hundredth of reading them.
  private(set) lazy var count = (try? records.count(shapes: isAll ? nil : shapeKeys)) ?? 1_000_000

  /// SQLite has no more columns.
  static let mostColumns = 1900
  /// Bytes of names that a declaration has room for, twice and quoted.
  private static let mostBytes = 200_000

  /// - Parameters:
  ///   - names: in lower case, what the query names; of more properties than a table can have columns only these are columns.
  ///   - exact: in lower case, the properties that are asked for with every digit.
  ///   - extra: columns that are empty.
  init(
    _ name: String, _ catalog: QueryCatalog.Table, isAll: Bool, names: Set<SQLName>, exact: Set<SQLName>,
    extra: [String],
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
    var properties = columns.prefix(QueryTable.mostColumns / 2).map { Property(name: $0.name, column: $0) }
    properties += properties.filter { exact.contains(SQLText.folded($0.name)) }.map {
      Property(name: $0.name, isExact: true, column: $0.column)
    }
    properties += extra.map { Property(name: $0) }
    self.properties = properties
    shapeKeys = catalog.shapes.map(\.key)
    let places = ColumnPlaces(self.properties.map { $0.column == nil ? nil : $0.name })
    for (key, names) in catalog.shapes { self.places[key] = places.find(names) }
  }

  /// Where the property of a column stands in bodies of a shape: -1 if they do not have it, nil if the shape is new.
  func place(of property: Int, in shape: Int64) -> Int? {
    if last.shape != shape { last = (shape, places[shape]) }
    return last.places?[property]
  }

  private var indexes: [Int: JoinIndex] = [:]

  /// Which records have which value of a property.
  func index(_ property: Int) throws -> JoinIndex {
    if let known = indexes[property] { return known }
    let made = try JoinIndex(self, properties[property])
    indexes[property] = made
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
      var type = ""
      if !property.isExact, let column = property.column {
        let classes = column.classes
        type = classes == [.numbers] ? " NUMERIC" : classes == [.text] || classes == [.dates] ? " TEXT" : ""
      }
      parts.append(name + type + (isAll || property.isExact ? " HIDDEN" : ""))
    }
    return "CREATE TABLE x(" + parts.joined(separator: ",") + ")"
  }

  /// What a column number means.
  func property(_ column: Int32) -> Int { Int(column) - (isAll ? Fixed.allCases.count : Fixed.allCases.count - 1) }
}
