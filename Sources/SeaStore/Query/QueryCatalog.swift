import SeaCore

/// What there is to ask for: the types of live records, and the properties that they have.
package struct QueryCatalog: Sendable {
  package struct Column: Sendable {
    package let name: String
    package fileprivate(set) var kinds: PropertyKinds
    /// Other names that differ from it in case alone, which SQL does not tell apart.
    package fileprivate(set) var others: [String] = []
  }

  package struct Table: Sendable {
    /// Nil of records without a type.
    package let type: String?
    /// By their names in lower case.
    package fileprivate(set) var columns: [SQLName: Column] = [:]
    /// The keys of the shapes, with the properties in the order in which they stand in a body.
    fileprivate(set) var shapes: [(key: Int64, properties: [String])] = []
    package fileprivate(set) var others: [String] = []

    /// In the order of the encoding.
    package var sortedColumns: [Column] {
      columns.values.sorted { Members.precedes($0.name, $1.name) }
    }

    fileprivate mutating func add(_ key: Int64, _ shape: Shape) {
      for (name, kind) in shape.properties { add(name, PropertyKinds(kind)) }
      shapes.append((key, shape.properties.map(\.name)))
    }

    fileprivate mutating func add(_ name: String, _ kinds: PropertyKinds) {
      let folded = SQLText.folded(name)
      guard let known = columns[folded] else {
        columns[folded] = Column(name: name, kinds: kinds)
        return
      }
      columns[folded]!.kinds.formUnion(kinds)
      let isKnown = ([known.name] + known.others).contains { UTF8Text.equal($0, name) }
      if !isKnown { columns[folded]!.others.append(name) }
    }
  }

  /// By their names in lower case, in each those that differ in case alone. Records without a type are in `untyped`.
  private var tables: [SQLName: [Table]] = [:]
  package private(set) var untyped = Table(type: nil)

  init(_ records: RecordTable) throws {
    try records.shapes.forEachKey { key, shape in
      guard let type = shape.type else { return untyped.add(key, shape) }
      let name = SQLName(type)
      var all = tables.removeValue(forKey: name) ?? []
      let at = all.firstIndex { UTF8Text.equal($0.type ?? "", type) } ?? all.count
      if at == all.count { all.append(Table(type: type)) }
      all[at].add(key, shape)
      tables[name] = all
    }
  }

  package var types: [String] { tables.values.joined().compactMap(\.type).sorted() }

  /// The table of a name.
  /// - Parameter type: the one that is meant, of several that differ in case alone.
  func table(_ name: SQLName, meaning type: String?) -> Table? {
    guard let all = tables[name], var table = all.first else { return nil }
    if let type, let meant = all.first(where: { UTF8Text.equal($0.type ?? "", type) }) { return meant }
    table.others = all.dropFirst().compactMap(\.type)
    return table
  }

  /// The names of all properties.
  var names: [String] {
    ([untyped] + tables.values.joined()).flatMap { $0.columns.values.flatMap { [$0.name] + $0.others } }
  }

  /// All records as one table, with those of the properties whose names are among these.
  func all(_ names: Set<SQLName>) -> Table {
    var all = Table(type: nil)
    for table in [untyped] + tables.values.joined() {
      for (folded, column) in table.columns where names.contains(folded) {
        for name in [column.name] + column.others { all.add(name, column.kinds) }
      }
      all.shapes += table.shapes
    }
    return all
  }
}
