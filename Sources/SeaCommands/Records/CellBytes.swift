import SeaCore
import SeaEngine
import SeaWords

/// Cells of records as they lie, for columns that are the id, the type or a property: nothing is looked up by its name.
final class CellBytes {
  private enum Column { case id, type, property(Int) }

  private let columns: [Column]
  private let places: [Int64: [Int]]
  private var line = ByteWriter(capacity: 1 << 10)
  private var cell = ByteWriter(capacity: 256)
  private var ranges: [Range<Int>] = []

  /// - Returns: nil if a column is anything else.
  init?(_ selections: [Selection], _ database: Database) throws {
    var names: [String] = []
    var columns: [Column] = []
    for one in selections {
      if one.isID {
        columns.append(.id)
      } else if one.text == "_type" {
        columns.append(.type)
      } else if let name = one.plainProperty {
        columns.append(.property(names.count))
        names.append(name)
      } else {
        return nil
      }
    }
    self.columns = columns
    places = try database.queries.places(of: names)
  }

  /// Hands on a line of CSV, until the next one.
  /// - Parameter see: is given the value of each cell, and of which column it is.
  func csv(
    _ record: RecordBytes, seeing see: RecordOutput.Watch?, _ write: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    let places = places[record.shape] ?? []
    try record.values((places.max() ?? -1) + 1, into: &ranges)
    line.truncate(to: 0)
    for (k, column) in columns.enumerated() {
      if k > 0 { line.byte(0x2C) }
      switch column {
      case .id: Escape.csv(record.id, into: &line)
      case .type: if let type = record.type { Escape.csv(type, into: &line) }
      case .property(let property):
        let place = places[property]
        guard place >= 0, place < ranges.count, let body = record.body else { continue }
        cell.truncate(to: 0)
        let value = UnsafeBufferPointer(rebasing: body[ranges[place]])
        try see?(k, value)
        try JSONWriter.writePlain(value: value, into: &cell)
        Escape.csv(cell.bytes, into: &line)
      }
    }
    line.byte(0x0A)
    try write(line.bytes)
  }
}
