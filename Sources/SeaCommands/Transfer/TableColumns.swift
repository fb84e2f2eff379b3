import SeaCore
import SeaKit

/// What the columns of a table mean, and the record that a row becomes.
final class TableColumns {
  private let reader: TableReader
  private let limits: RecordLimits
  private let isRelaxed: Bool
  private let count: Int
  private let heading: TableHeading
  private var encoder = CellEncoder()

  /// Reads the first row of `reader`.
  /// - Parameter kinds: the type of each column that has none, by its place.
  init(_ reader: TableReader, _ wishes: TableWishes, _ limits: RecordLimits, kinds: [ColumnKind] = []) throws {
    (self.reader, self.limits, isRelaxed) = (reader, limits, wishes.isRelaxed)
    guard try reader.next() else { throw CommandError.table(name: reader.name, line: 1, column: 1, .noHeader) }
    count = reader.cells.count
    let names = reader.cells.map(reader.text)
    if wishes.separator == nil, let mark = reader.otherSeparator { throw reader.fault(.oneColumn(mark)) }
    do throws(ColumnFault) {
      heading = try TableHeading(names, wishes) { $0 < kinds.count ? kinds[$0].type : nil }
    } catch {
      throw reader.fault(error.fault, cell: error.column)
    }
    if let missing = wishes.missing(names: names, [heading]) { throw reader.fault(.noSuchColumn(missing)) }
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
    if let id = heading.id {
      guard id < cells.count, cells[id].start < cells[id].end else { throw reader.fault(.emptyID, cell: id) }
      input.id = try name(id)
    }
    if let type = heading.type, type < cells.count, !reader.isAbsent(cells[type]) { input.type = try name(type) }
    let start = writer.count
    var present = 0
    for one in heading.properties where one.column < cells.count && !reader.isAbsent(cells[one.column]) { present += 1 }
    writer.cborMap(present)
    encoder.begin()
    for one in heading.properties where one.column < cells.count && !reader.isAbsent(cells[one.column]) {
      writer.append(one.head)
      let cell = reader.bytes(cells[one.column])
      guard encoder.write(cell, one.type ?? .string, limits, into: &writer) else {
        let text = String(decoding: cell.prefix(40), as: UTF8.self)
        throw reader.fault(
          .badCell(column: one.name, type: (one.type ?? .string).rawValue, text: Escape.shown(text)), cell: one.column)
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
