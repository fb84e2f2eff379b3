import SeaCore
import SeaEngine

final class TableColumns {
  private let reader: TableReader
  private let limits: RecordLimits
  private let isRelaxed: Bool
  private let isSheet: Bool
  private let skipsUnnamed: Bool
  private let count: Int
  /// For each property of a sheet, whether days without a time were read, and times, which are read as UTC.
  private var seen: [(days: Bool, times: Bool)] = []
  /// The names around which blanks were removed.
  let trimmed: [String]
  let heading: TableHeading
  private var encoder = CellEncoder()
  /// For each text property without a type option, the type that fits all cells inspected so far.
  private var seeming: [FittingTypes?] = []
  private var inspections = 100_000

  /// Reads the first row of `reader`.
  /// - Parameter kinds: the detected kinds of the columns, by column index.
  init(_ reader: TableReader, _ wishes: ColumnOptions, _ limits: RecordLimits, kinds: [ColumnKind] = []) throws {
    (self.reader, self.limits, isRelaxed) = (reader, limits, wishes.isRelaxed)
    guard try reader.next() else { throw CommandError.table(name: reader.name, line: 1, column: 1, .noHeader) }
    var trimmed: [String] = []
    var names = reader.cells.map { cell in
      guard let name = reader.withoutBlanks(cell) else { return reader.text(cell) }
      trimmed.append(name)
      return name
    }
    self.trimmed = trimmed
    isSheet = reader.form == .sheet
    skipsUnnamed = wishes.skipsUnnamed
    if isSheet {
      // In a sheet, `--map` can name columns after the last heading.
      let last = wishes.names.old.compactMap { $0.hasPrefix("#") ? Int($0.dropFirst()) : nil }.max() ?? 0
      while names.count < min(last, SheetCell.lastColumn) { names.append("") }
    }
    count = names.count
    if wishes.separator == nil, let mark = reader.otherSeparator { throw reader.fault(.oneColumn(mark)) }
    do throws(ColumnFault) {
      heading = try TableHeading(names, wishes) { [isSheet] k in
        let type = k < kinds.count ? kinds[k].type : nil
        return isSheet && type == .string ? nil : type
      }
    } catch {
      throw reader.fault(error.fault, cell: error.column)
    }
    seeming = heading.properties.map { one in
      let isText = one.type == nil || one.type?.kind == .string && wishes.types[one.name] == nil
      return isText ? FittingTypes(detects: !kinds.isEmpty) : nil
    }
    seen = heading.properties.map { _ in (false, false) }
    if let missing = wishes.missing(names: names, [heading]) { throw reader.fault(missing) }
  }

  private struct FittingTypes {
    var isSeen = false
    var isDate = true
    var isDay = true
    /// The examples whose signs fit all cells. Empty without `--detect-types`.
    var examples: [String]
    var hasPoint = false
    var hasComma = false

    init(detects: Bool) { examples = detects ? FittingTypes.formats.map(\.example) : [] }

    private static let formats: [(example: String, format: NumberFormat?)] = ["1.234,50", "1,234.50"].map {
      ($0, NumberFormat($0, isInteger: false))
    }

    /// The types to propose. There are two if all points or commas can separate thousands.
    var types: [String] {
      if !isSeen { return [] }
      if isDay || isDate { return [isDay ? "day" : "date"] }
      if !hasPoint, !hasComma { return [] }
      return examples == ["1,234.50"] && !hasComma ? ["decimal"] : examples.map { "decimal[\($0)]" }
    }

    mutating func see(_ cell: UnsafeBufferPointer<UInt8>) {
      isSeen = true
      isDate = isDate && cell.count >= 10 && cell[4] == 0x2D && cell[7] == 0x2D && Instant.parse(cell) != nil
      isDay = isDate && isDay && cell.count == 10
      if examples.isEmpty { return }
      hasPoint = hasPoint || cell.contains(0x2E)
      hasComma = hasComma || cell.contains(0x2C)
      let digits = cell.first == 0x2D ? cell.dropFirst() : cell[...]
      let isZero = digits.first == 0x30 && digits.dropFirst().first.map { $0 != 0x2E && $0 != 0x2C } ?? false
      let isNumber = !isZero && digits.allSatisfy { $0 == 0x2E || $0 == 0x2C || $0 &- 0x30 < 10 }
      let text = String(decoding: cell, as: UTF8.self)
      examples = FittingTypes.formats.filter {
        isNumber && examples.contains($0.example) && $0.format?.plain(text) != nil
      }.map(\.example)
    }
  }

  /// The number of dates that lost digits after the millisecond.
  var cut: Int { encoder.cut }

  /// The text columns with other values, and the types to propose.
  var others: [(name: String, types: [String])] {
    zip(heading.properties, seeming).map { ($0.name, $1?.types ?? []) }.filter { !$0.1.isEmpty }
  }

  private func inspect(_ cell: UnsafeBufferPointer<UInt8>, _ property: Int) {
    guard inspections > 0, var one = seeming[property] else { return }
    inspections -= 1
    one.see(cell)
    seeming[property] = one.isDate || !one.examples.isEmpty ? one : nil
  }

  static func kinds(_ reader: TableReader) throws -> [ColumnKind] {
    guard try reader.next() else { return [] }
    var kinds = Array(repeating: ColumnKind(), count: reader.cells.count)
    while true {
      do { guard try reader.next() else { return kinds } } catch CommandError.table { continue }
      for (k, cell) in reader.cells.enumerated() where k < kinds.count && !reader.isAbsent(cell) {
        // Spreadsheets that write thousands with points separate columns by semicolons.
        kinds[k].see(reader.bytes(cell), mayGroup: reader.separator == UInt8(ascii: ";"))
      }
    }
  }

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
    for (k, one) in heading.properties.enumerated()
    where one.column < cells.count && !reader.isAbsent(cells[one.column]) {
      writer.append(one.head)
      let cell = reader.bytes(cells[one.column])
      let own = try ownType(one.column, one.name)
      if own == .string { inspect(cell, k) }
      let type = one.type ?? (own == .string ? .string : ColumnType(own))
      if own == .day, type.kind == .day { seen[k].days = true }
      do throws(CellFault) {
        if own == .date, type.kind == .date, type.isPlain {
          try writeTime(cell, k, into: &writer)
        } else {
          try encoder.write(cell, type, limits, into: &writer)
        }
      } catch {
        throw reader.fault(type.fault(error, column: one.name, cell), cell: one.column)
      }
    }
    input.body = start..<writer.count
    input.hasReferences = encoder.hasReferences
    input.needsState = encoder.needsState
    return input
  }

  /// Returns the type that a cell has without an option. In a sheet, only texts are quoted.
  private func ownType(_ column: Int, _ name: String) throws -> CellType {
    guard isSheet, !reader.cells[column].isQuoted else { return .string }
    let cell = reader.bytes(reader.cells[column])
    guard let type = SheetCell.type(cell) else {
      throw reader.fault(.errorCell(column: name, text: String(decoding: cell, as: UTF8.self)), cell: column)
    }
    return type
  }

  /// The properties with times that were read as UTC, and those that also have days without a time.
  var times: (all: [String], mixed: [String]) {
    let all = zip(heading.properties, seen).filter(\.1.times)
    return (all.map(\.0.name), all.filter(\.1.days).map(\.0.name))
  }

  /// Writes a date of a sheet. If it has no time zone, it is read as UTC.
  private func writeTime(
    _ cell: UnsafeBufferPointer<UInt8>, _ property: Int, into writer: inout ByteWriter
  ) throws(CellFault) {
    var text = String(decoding: cell, as: UTF8.self)
    if !text.hasSuffix("Z") {
      text += "Z"
      seen[property].times = true
    }
    let date = Array(text.utf8)
    try date.withUnsafeBufferPointer { bytes throws(CellFault) in
      try encoder.write(bytes, ColumnType(.date), limits, into: &writer)
    }
  }

  private func name(_ column: Int) throws -> String {
    _ = try ownType(column, "_id")
    let cell = reader.bytes(reader.cells[column])
    do throws(CoreError) { try Name.check(cell) } catch {
      guard case .badName(let fault, let text) = error else { throw error }
      throw reader.fault(.badName(text, fault), cell: column)
    }
    return String(decoding: cell, as: UTF8.self)
  }

  private func checkUneven(_ cells: [TableReader.Cell]) throws {
    if isSheet {
      guard !skipsUnnamed, let extra = cells.indices.dropFirst(count).first(where: { !reader.isAbsent(cells[$0]) })
      else { return }
      throw reader.fault(.unnamedColumn(extra + 1), cell: extra)
    }
    if isRelaxed, cells.count < count || cells[count...].allSatisfy(reader.isAbsent) { return }
    throw reader.fault(.uneven(have: cells.count, want: count))
  }
}
