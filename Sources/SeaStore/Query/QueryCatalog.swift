import SeaCore

/// What there is to ask for: the types of live records, and the properties that they have.
package struct QueryCatalog: Sendable {
  package struct Column: Sendable {
    package let name: String
    package fileprivate(set) var kinds: Set<PropertyKind>
    /// Other names that differ from it in case alone, which SQL does not tell apart.
    package fileprivate(set) var others: [String] = []

    /// What kinds of value SQL would compare without a word though they are nothing alike; one or none mostly.
    package var classes: Set<ValueClass> { Set(kinds.map(ValueClass.init)) }
  }

  package struct Table: Sendable {
    /// Nil of records without a type.
    package let type: String?
    /// By their names in lower case.
    package fileprivate(set) var columns: [String: Column] = [:]
    /// The keys of the shapes, with the properties in the order in which they stand in a body.
    fileprivate(set) var shapes: [(key: Int64, properties: [String])] = []
    package fileprivate(set) var others: [String] = []

    /// In the order of the encoding.
    package var sortedColumns: [Column] {
      columns.values.sorted { Members.precedes($0.name, $1.name) }
    }

    fileprivate mutating func add(_ key: Int64, _ shape: Shape) {
      for (name, kind) in shape.properties { add(name, [kind]) }
      shapes.append((key, shape.properties.map(\.name)))
    }

    fileprivate mutating func add(_ name: String, _ kinds: Set<PropertyKind>) {
      let folded = SQLText.folded(name)
      guard let known = columns[folded] else {
        columns[folded] = Column(name: name, kinds: kinds)
        return
      }
      columns[folded]!.kinds.formUnion(kinds)
      if known.name != name, !known.others.contains(name) { columns[folded]!.others.append(name) }
    }
  }

  /// By their names in lower case. Records without a type are in `untyped`.
  package private(set) var tables: [String: Table] = [:]
  package private(set) var untyped = Table(type: nil)

  init(_ records: RecordTable) throws {
    try records.forEachShape { key, shape in
      guard let type = shape.type else { return untyped.add(key, shape) }
      let folded = SQLText.folded(type)
      var table = tables.removeValue(forKey: folded) ?? Table(type: type)
      if table.type != type, !table.others.contains(type) { table.others.append(type) }
      table.add(key, shape)
      tables[folded] = table
    }
  }

  /// All records as one table, with those of the properties whose names are among these.
  func all(_ names: Set<String>) -> Table {
    var all = Table(type: nil)
    for table in [untyped] + tables.values {
      for (folded, column) in table.columns where names.contains(folded) {
        for name in [column.name] + column.others { all.add(name, column.kinds) }
      }
      all.shapes += table.shapes
    }
    return all
  }
}
