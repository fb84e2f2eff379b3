import SeaCore
import SeaEngine

/// What is said of columns on the command line.
struct TableWishes {
  /// Other names; empty to leave a column out.
  var names: [String: String] = [:]
  var types: [String: CellType] = [:]
  var isRelaxed = false
  /// What stands between cells, if that was said.
  var separator: UInt8?

  /// What is said of a column that none of the tables has.
  /// - Parameter names: the columns as they are called in the file.
  func missing(names: [String], _ headings: [TableHeading]) -> TableFault? {
    let properties = headings.flatMap { $0.properties.map(\.name) }
    let wanted = types.keys.filter { name in !(properties + names).contains { UTF8Text.equal($0, name) } }
    return (wanted + Set(self.names.keys).subtracting(names)).min().map {
      .noSuchColumn($0, similar: Similarity.nearest(to: $0, among: names))
    }
  }
}

/// What is wrong with a column, by its place.
struct ColumnFault: Error {
  var column: Int
  var fault: TableFault
}

/// What the columns of a table are by their names: the id, the type, or properties.
struct TableHeading {
  struct Property {
    var name: String
    /// The name as it stands in a body.
    var head: [UInt8]
    var column: Int
    /// Nil if nobody has said one.
    var type: CellType?
  }

  private(set) var id: Int?
  private(set) var type: Int?
  /// In the order of the encoding.
  private(set) var properties: [Property] = []

  /// - Parameter type: that of the column at a place that has none from the command line.
  init(_ names: [String], _ wishes: TableWishes, type: (Int) -> CellType?) throws(ColumnFault) {
    var seen: Set<[UInt8]> = []
    for (k, given) in names.enumerated() {
      let name = wishes.names[given] ?? given
      if name.isEmpty, !given.isEmpty { continue }
      guard seen.insert(Array(name.utf8)).inserted else { throw ColumnFault(column: k, fault: .duplicateColumn(name)) }
      switch name {
      case "_id": id = k
      case "_type": self.type = k
      // What dump and query print beside the record, and what says nothing here.
      case "_rev", "_conflicts": break
      default:
        do throws(CoreError) { try Name.checkProperty(name) } catch {
          guard case .badName(let fault, _) = error else { continue }
          throw ColumnFault(column: k, fault: .badColumn(name, fault))
        }
        var head = ByteWriter(capacity: 64)
        head.cborText(name)
        let wanted = wishes.types[name] ?? wishes.types[given] ?? type(k)
        properties.append(Property(name: name, head: head.array(), column: k, type: wanted))
      }
    }
    properties.sort { Members.precedes($0.name, $1.name) }
  }

  /// A name without the number that a dump has put before it, `_2:`, where SQLite would not have told it from another.
  static func plain(_ name: String) -> String {
    let rest = name.utf8.dropFirst().drop { (0x30...0x39).contains($0) }
    guard name.hasPrefix("_"), rest.first == 0x3A, rest.startIndex > name.utf8.index(after: name.startIndex) else {
      return name
    }
    return String(rest.dropFirst()) ?? name
  }
}
