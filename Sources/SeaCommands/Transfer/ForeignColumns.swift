import SeaCore
import SeaEngine

final class ForeignColumns {
  let heading: TableHeading
  private let table: ForeignTable
  private let limits: RecordLimits
  private let prefix: String
  private let isForeign: Bool
  private var keys: [Int] = []
  /// The kinds of the key values in the first row. Other rows must have the same kinds, because 1 and '1' would result
  /// in the same id.
  private var keyKinds: [String?] = []
  private var readings: [Reading] = []
  private var encoder = CellEncoder()

  private enum Reading {
    case plain
    case asked(ColumnType)
    /// Only text is converted, because no type was set on the command line.
    case texts(ColumnType)
    /// The values 0 and 1 become false and true.
    case truth
  }

  /// Column types that only `sea dump` declares, and the type of the text in such columns. They consist of two words,
  /// because other programs use the single words for arbitrary text.
  static let declared: [String: CellType] = [
    "DIGITS TEXT": .int, "DECIMAL TEXT": .decimal, "DATE TEXT": .date, "DAY TEXT": .day, "REF TEXT": .ref,
    "COUNTER TEXT": .counter, "ELEMENTS TEXT": .set, "JSON TEXT": .json,
  ]

  /// - Parameters:
  ///   - type: the type of the records; nil for none.
  ///   - kinds: the detected kinds of text in each column, if detection was requested.
  ///   - makesIDs: whether a record without an id gets one from the primary key.
  init(
    _ table: ForeignTable, type: String?, _ wishes: ColumnOptions, _ limits: RecordLimits, kinds: [ColumnKind],
    makesIDs: Bool
  ) throws(ColumnFault) {
    (self.table, self.limits) = (table, limits)
    prefix = type.map { $0 + "/" } ?? ""
    isForeign = wishes.isForeign
    heading = try TableHeading(table.columns.map { TableHeading.plain($0.name) }, wishes) { _ in nil }
    readings = table.columns.enumerated().map { k, column in
      let declared = column.declared.uppercased()
      if declared == "BOOLEAN" { return .truth }
      if let type = ForeignColumns.declared[declared] { return .texts(ColumnType(type)) }
      return k < kinds.count && kinds[k].type != .string ? .texts(ColumnType(kinds[k].type)) : .plain
    }
    for one in heading.properties { if let type = one.type { readings[one.column] = .asked(type) } }
    guard makesIDs, heading.id == nil else { return }
    keys = table.columns.indices.filter { table.columns[$0].keyPlace != nil }
      .sorted { table.columns[$0].keyPlace! < table.columns[$1].keyPlace! }
    keyKinds = keys.map { _ in nil }
  }

  /// The number of dates that lost digits after the millisecond.
  var cut: Int { encoder.cut }

  func record(_ rows: any ForeignRows, into writer: inout ByteWriter) throws -> RecordInput {
    var input = RecordInput()
    if let id = heading.id { input.id = try name(rows, id) } else if !keys.isEmpty { input.id = try madeID(rows) }
    if let type = heading.type, !rows.isNull(type) { input.type = try name(rows, type) }
    let start = writer.count
    var present = 0
    for one in heading.properties where !rows.isNull(one.column) { present += 1 }
    writer.cborMap(present)
    encoder.begin()
    for one in heading.properties where !rows.isNull(one.column) {
      writer.append(one.head)
      do { try write(rows.cell(one.column), readings[one.column], into: &writer) } catch let misfit as Misfit {
        throw misfit.fault(of: one.name)
      } catch ForeignFault.badText {
        throw TableFault.noUnicode(column: one.name)
      }
    }
    input.body = start..<writer.count
    input.hasReferences = encoder.hasReferences
    input.needsState = encoder.needsState
    return input
  }

  // MARK: - Values

  private enum Misfit: Error {
    case type(ColumnType, text: String)
    case cell(ColumnType, CellFault, [UInt8])
    case tooLong

    func fault(of column: String) -> TableFault {
      switch self {
      case .type(let type, let text): .badCell(column: column, type: type.name, text: text, .form, proposals: [])
      case .cell(let type, let fault, let cell): cell.withUnsafeBufferPointer { type.fault(fault, column: column, $0) }
      case .tooLong: .dataTooLong(column: column)
      }
    }
  }

  private func write(_ cell: ForeignCell, _ reading: Reading, into writer: inout ByteWriter) throws {
    let type: ColumnType? =
      switch (reading, cell) {
      case (.asked(let type), _), (.texts(let type), .text): type
      case (.truth, .integer(0...1)): ColumnType(.bool)
      default: nil
      }
    switch (cell, type?.kind) {
    case (.null, _): break
    case (.text(let text), .string?), (.text(let text), nil): writer.cborText(text)
    case (.data(let data), .data?), (.data(let data), nil):
      guard data.count <= limits.maxData else { throw Misfit.tooLong }
      writer.cborData(UnsafeRawBufferPointer(data))
    case (.integer(let number), .number?), (.integer(let number), nil): writer.cborInt(number)
    case (.double(let number), .number?), (.double(let number), nil):
      guard number.isFinite else { throw Misfit.type(ColumnType(.number), text: "\(number)") }
      writer.cborNumber(number)
    default:
      guard let type else { break }
      switch cell {
      case .text(let text): try write(text, type, into: &writer)
      case .data(let data): throw Misfit.type(type, text: "\(Count(data.count, "byte")) of data")
      case .integer(let number): try write("\(number)", type.ofNumbers, into: &writer)
      case .double(let number): try write("\(number)", type.ofNumbers, into: &writer)
      case .null: break
      }
    }
  }

  private func write(_ text: String, _ type: ColumnType, into writer: inout ByteWriter) throws {
    var text = text
    try text.withUTF8 { try write($0, type, into: &writer) }
  }

  private func write(_ text: UnsafeBufferPointer<UInt8>, _ type: ColumnType, into writer: inout ByteWriter) throws {
    do throws(CellFault) { try encoder.write(text, type, limits, into: &writer) } catch {
      throw Misfit.cell(type, error, Array(text))
    }
  }

  // MARK: - Names

  private func name(_ rows: any ForeignRows, _ column: Int) throws -> String {
    let cell = try rows.cell(column)
    if isForeign, column == heading.id, case .integer(let number) = cell, number >= 0 { return "\(number)" }
    guard case .text(let bytes) = cell, !bytes.isEmpty else {
      throw TableFault.emptyID
    }
    do throws(CoreError) { try Name.check(bytes) } catch {
      guard case .badName(let fault, let text) = error else { throw error }
      throw TableFault.badName(text, fault)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns an id: the type and the values of the primary key, joined with slashes. Characters that an id must not
  /// contain, and slashes inside a value, become `%` and two hex digits.
  private func madeID(_ rows: any ForeignRows) throws -> String {
    var id = ByteWriter(capacity: 64)
    id.append(prefix)
    for (k, column) in keys.enumerated() {
      if k > 0 { id.byte(0x2F) }
      let kind: String
      switch try rows.cell(column) {
      case .integer(let number):
        kind = "integer"
        id.append("\(number)")
      case .text(let text):
        kind = "text"
        for byte in text {
          guard byte <= 0x20 || byte == 0x25 || byte == 0x2F || byte == 0x7F else { id.byte(byte); continue }
          id.append("%" + Hex.text([byte]))
        }
      case .data(let data):
        kind = "data"
        id.append(Hex.text(UnsafeRawBufferPointer(data)))
      default: throw TableFault.noKeyValue(table.columns[column].name)
      }
      guard keyKinds[k] ?? kind == kind else {
        throw TableFault.mixedKey(table.columns[column].name, [keyKinds[k] ?? "", kind])
      }
      keyKinds[k] = kind
    }
    do throws(CoreError) { try Name.check(id.bytes) } catch {
      guard case .badName(let fault, let text) = error else { throw error }
      throw TableFault.badName(text, fault)
    }
    return String(decoding: id.bytes, as: UTF8.self)
  }
}
