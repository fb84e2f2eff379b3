import SeaCore

package struct QueryCatalog: Sendable {
  package struct Column: Sendable {
    package let name: String
    package fileprivate(set) var kinds: PropertyKinds
    /// Other spellings of the name that differ only in case, which SQL ignores.
    package fileprivate(set) var others: [String] = []
  }

  package struct Table: Sendable {
    package let type: String?
    package fileprivate(set) var columns: [SQLName: Column] = [:]
    /// The keys of the shapes, each with its properties in the order in which a body contains them.
    fileprivate(set) var shapes: [(key: Int64, properties: [String])] = []
    package fileprivate(set) var others: [String] = []

    /// The columns in the order in which a body encodes them.
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

  /// Tables, keyed by name in lower case. Each entry contains the types whose names differ only in case. Records
  /// without a type are in `untyped`.
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

  /// - Parameter type: the intended type if the names of several types differ only in case.
  func table(_ name: SQLName, meaning type: String?) -> Table? {
    guard let all = tables[name], var table = all.first else { return nil }
    if let type, let meant = all.first(where: { UTF8Text.equal($0.type ?? "", type) }) { return meant }
    table.others = all.dropFirst().compactMap(\.type)
    return table
  }

  var names: [String] {
    ([untyped] + tables.values.joined()).flatMap { $0.columns.values.flatMap { [$0.name] + $0.others } }
  }

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

/// The kinds of values that a property has. A bit mask is used because creating several `Set` types at run time would
/// take longer than a query that uses an index.
package struct PropertyKinds: Equatable, Sendable {
  private var bits: UInt16

  init(_ kind: PropertyKind) { bits = 1 << UInt16(kind.rawValue) }

  mutating func formUnion(_ others: PropertyKinds) { bits |= others.bits }

  /// The kind that all values have; nil if there are several kinds.
  var only: PropertyKind? { bits.nonzeroBitCount == 1 ? PropertyKinds.first(bits) : nil }

  /// The SQL class that all values have; nil if there are several classes, because comparing these in SQL succeeds but
  /// means nothing.
  package var onlyClass: ValueClass? {
    var found: ValueClass?
    for kind in all {
      let one = ValueClass(kind)
      if let found, found != one { return nil }
      found = one
    }
    return found
  }

  package var classes: [ValueClass] {
    var found: [ValueClass] = []
    for kind in all where !found.contains(ValueClass(kind)) { found.append(ValueClass(kind)) }
    return found.sorted { $0.rawValue < $1.rawValue }
  }

  var all: some Sequence<PropertyKind> {
    sequence(state: bits) { (rest: inout UInt16) -> PropertyKind? in
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return PropertyKinds.first(rest)
    }
  }

  private static func first(_ bits: UInt16) -> PropertyKind? {
    PropertyKind(rawValue: UInt8(bits.trailingZeroBitCount))
  }
}
