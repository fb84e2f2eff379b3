import SeaCore
import SeaKit

/// What the columns of a table mean, and the record that a row becomes.
final class TableColumns {
  private struct Property {
    var name: String
    /// The name as it stands in a body.
    var head: [UInt8]
    var column: Int
    var type: CellType
  }

  private let reader: TableReader
  private let limits: RecordLimits
  private let isRelaxed: Bool
  private let count: Int
  private var id: Int?
  private var type: Int?
  /// In the order of the encoding.
  private var properties: [Property] = []
  private var encoder = CellEncoder()

  /// What is said of columns on the command line.
  struct Wishes {
    /// Other names; empty to leave a column out.
    var names: [String: String] = [:]
    var types: [String: CellType] = [:]
    var isRelaxed = false
  }

  /// Reads the first row of `reader`.
  /// - Parameter kinds: the type of each column that has none, by its place.
  init(_ reader: TableReader, _ wishes: Wishes, _ limits: RecordLimits, kinds: [ColumnKind] = []) throws {
    (self.reader, self.limits, isRelaxed) = (reader, limits, wishes.isRelaxed)
    guard try reader.next() else { throw CommandError.table(name: reader.name, line: 1, column: 1, .noHeader) }
    count = reader.cells.count
    var seen: Set<[UInt8]> = []
    var unused = Set(wishes.names.keys)
    for (k, cell) in reader.cells.enumerated() {
      let given = reader.text(cell)
      unused.remove(given)
      let name = wishes.names[given] ?? given
      if name.isEmpty, !given.isEmpty { continue }
      guard seen.insert(Array(name.utf8)).inserted else { throw reader.fault(.duplicateColumn(name), cell: k) }
      switch name {
      case "_id": id = k
      case "_type": type = k
      // What dump and query print beside the record, and what says nothing here.
      case "_rev", "_conflicts": break
      default:
        do throws(CoreError) { try Name.checkProperty(name) } catch {
          guard case .badName(let fault, _) = error else { throw error }
          throw reader.fault(.badColumn(name, fault), cell: k)
        }
        var head = ByteWriter(capacity: 64)
        head.cborText(name)
        let type = wishes.types[name] ?? (k < kinds.count ? kinds[k].type : .string)
        properties.append(Property(name: name, head: head.array(), column: k, type: type))
      }
    }
    let wanted = wishes.types.keys.filter { name in !properties.contains { UTF8Text.equal($0.name, name) } }
    if let missing = (wanted + unused).min() { throw reader.fault(.noSuchColumn(missing)) }
    properties.sort { Members.precedes($0.name, $1.name) }
  }

  /// Goes through what is left of the table and says what the columns are.
  static func kinds(_ reader: TableReader) throws -> [ColumnKind] {
    guard try reader.next() else { return [] }
    var kinds = Array(repeating: ColumnKind(), count: reader.cells.count)
    while true {
      do { guard try reader.next() else { return kinds } } catch is CommandError { continue }
      for (k, cell) in reader.cells.enumerated() where k < kinds.count && !reader.isAbsent(cell) {
        kinds[k].see(reader.bytes(cell))
      }
    }
  }

  /// Writes the row that was read.
  func record(into writer: inout ByteWriter) throws -> RecordInput {
    let cells = reader.cells
    if cells.count != count { try checkUneven(cells) }
    var input = RecordInput()
    if let id {
      guard id < cells.count, cells[id].start < cells[id].end else { throw reader.fault(.emptyID, cell: id) }
      input.id = try name(id)
    }
    if let type, type < cells.count, !reader.isAbsent(cells[type]) { input.type = try name(type) }
    let start = writer.count
    var present = 0
    for one in properties where one.column < cells.count && !reader.isAbsent(cells[one.column]) { present += 1 }
    writer.cborMap(present)
    encoder.begin()
    for one in properties where one.column < cells.count && !reader.isAbsent(cells[one.column]) {
      writer.append(one.head)
      let cell = reader.bytes(cells[one.column])
      guard encoder.write(cell, one.type, limits, into: &writer) else {
        let text = String(decoding: cell.prefix(40), as: UTF8.self)
        throw reader.fault(
          .badCell(column: one.name, type: one.type.rawValue, text: Escape.shown(text)), cell: one.column)
      }
    }
    input.body = start..<writer.count
    input.hasReferences = encoder.hasReferences
    input.needsState = encoder.needsState
    return input
  }

  private func name(_ column: Int) throws -> String {
    let cell = reader.bytes(reader.cells[column])
    do throws(CoreError) { try Name.check(cell) } catch {
      guard case .badName(let fault, let text) = error else { throw error }
      throw reader.fault(.badName(text, fault), cell: column)
    }
    return String(decoding: cell, as: UTF8.self)
  }

  private func checkUneven(_ cells: [TableReader.Cell]) throws {
    if isRelaxed, cells.count < count || cells[count...].allSatisfy(reader.isAbsent) { return }
    throw reader.fault(.uneven(have: cells.count, want: count))
  }
}
