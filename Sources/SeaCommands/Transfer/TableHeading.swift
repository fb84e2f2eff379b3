import SeaCore
import SeaEngine

struct ColumnOptions {
  /// The new names of columns. `#2` is the second column, unless a column has this name.
  var names = NameMap()
  var skipsUnnamed = false
  /// Whether ids may be integers.
  var isForeign = false
  var types: [String: ColumnType] = [:]
  var isRelaxed = false
  var separator: UInt8?

  /// Returns an error if a column option does not match any table.
  /// - Parameter names: the column names in the file.
  func missing(names: [String], _ headings: [TableHeading]) -> TableFault? {
    let properties = headings.flatMap { $0.properties.map(\.name) }
    let wanted = types.keys.filter { name in !(properties + names).contains { UTF8Text.equal($0, name) } }
    let places = names.indices.map { "#\($0 + 1)" }
    return (wanted + Set(self.names.old).subtracting(names).subtracting(places)).min().map {
      .noSuchColumn($0, similar: Similarity.nearest(to: $0, among: names))
    }
  }
}

struct ColumnFault: Error {
  var column: Int
  var fault: TableFault
}

/// The roles of table columns by name: the id, the type, or properties.
struct TableHeading {
  struct Property {
    var name: String
    var head: [UInt8]
    var column: Int
    /// The type of the cells; nil if neither an option nor detection sets it.
    var type: ColumnType?
  }

  private(set) var id: Int?
  private(set) var type: Int?
  private(set) var properties: [Property] = []

  init(_ names: [String], _ wishes: ColumnOptions, type: (Int) -> CellType?) throws(ColumnFault) {
    var seen: Set<[UInt8]> = []
    let numbered = Set(names.filter { $0.hasPrefix("#") })
    for (k, given) in names.enumerated() {
      let place = "#\(k + 1)"
      let new = wishes.names.name(given) ?? (numbered.contains(place) ? nil : wishes.names.name(place))
      let name = new ?? given
      if name.isEmpty {
        if new != nil || wishes.skipsUnnamed { continue }
        throw ColumnFault(column: k, fault: .unnamedColumn(k + 1))
      }
      guard seen.insert(Array(name.utf8)).inserted else {
        throw ColumnFault(column: k, fault: .duplicateColumn(name, column: k + 1))
      }
      switch name {
      case "_id": id = k
      case "_type": self.type = k
      // `dump` and `query` also print these columns, but they are ignored in input.
      case "_rev", "_conflicts": break
      default:
        do throws(CoreError) { try Name.checkProperty(name) } catch {
          guard case .badName(let fault, _) = error else { continue }
          throw ColumnFault(column: k, fault: .badColumn(name, fault))
        }
        var head = ByteWriter(capacity: 64)
        head.cborText(name)
        let wanted = wishes.types[name] ?? wishes.types[given] ?? type(k).map { ColumnType($0) }
        properties.append(Property(name: name, head: head.array(), column: k, type: wanted))
      }
    }
    properties.sort { Members.precedes($0.name, $1.name) }
  }

  /// Removes the prefix that a dump adds to names that SQLite could not distinguish, such as `_2:`.
  static func plain(_ name: String) -> String {
    let rest = name.utf8.dropFirst().drop { (0x30...0x39).contains($0) }
    guard name.hasPrefix("_"), rest.first == 0x3A, rest.startIndex > name.utf8.index(after: name.startIndex) else {
      return name
    }
    return String(rest.dropFirst()) ?? name
  }
}
