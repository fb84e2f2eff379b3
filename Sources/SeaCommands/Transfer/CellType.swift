import SeaCore
import SeaEngine

enum CellType: String, CaseIterable {
  case string, number, bool, int, decimal, date, day, data, ref, counter, set, json

  static let names = allCases.map(\.rawValue)

  init?(ofKind name: String) {
    switch name {
    case "true or false": self = .bool
    case "a number": self = .number
    case "a date": self = .date
    case "a day": self = .day
    case "data": self = .data
    case "a reference": self = .ref
    case "a counter": self = .counter
    case "a set": self = .set
    case "an array", "a dictionary", "an asset": self = .json
    default: return nil
    }
  }

  /// Writes the JSON for a cell. Returns false if the text of the cell does not fit this type.
  fileprivate func json(_ cell: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter) -> Bool {
    func form(_ name: String) -> Bool {
      writer.append(Field.object([name: .string(String(decoding: cell, as: UTF8.self))]).encoded)
      return true
    }
    func form(_ name: StaticString, orSelf first: UInt8) -> Bool {
      // Accept both the form that `sea dump` writes and the bare value.
      if cell.first == 0x7B { return cell.starts(with: Array("{\"\(name)\":".utf8)) && copy() }
      guard first == 0 || cell.first == first else { return false }
      writer.append("{\"\(name)\":")
      writer.append(cell)
      writer.byte(0x7D)
      return true
    }
    func copy() -> Bool {
      writer.append(cell)
      return true
    }
    switch self {
    case .json: return copy()
    case .number: return cell.first.map { $0 == 0x2D || (0x30...0x39).contains($0) } ?? false && copy()
    case .bool:
      guard let flag = CellType.flag(cell, orDigit: true) else { return false }
      writer.append(flag ? "true" : "false")
      return true
    case .int: return form("$int")
    case .decimal: return form("$decimal")
    case .date: return form("$date")
    case .day: return form("$day")
    case .data: return form("$data")
    case .ref: return form("$ref")
    case .counter: return form("$counter", orSelf: 0)
    case .set: return form("$set", orSelf: 0x5B)
    case .string: return false
    }
  }
}

extension CellType {
  /// Returns the boolean that JSON, a spreadsheet or Python writes as these letters; nil for other text.
  fileprivate static func flag(_ cell: UnsafeBufferPointer<UInt8>, orDigit: Bool = false) -> Bool? {
    switch String(decoding: cell.prefix(6), as: UTF8.self) {
    case "true", "TRUE", "True": true
    case "false", "FALSE", "False": false
    case "1" where orDigit: true
    case "0" where orDigit: false
    default: nil
    }
  }
}

struct CellEncoder: ~Copyable {
  private var tape = JSONTape()
  private var json = ByteWriter(capacity: 256)
  private(set) var hasReferences = false
  private(set) var needsState = false
  /// The number of dates that lost digits after the millisecond.
  private(set) var cut = 0

  mutating func begin() { (hasReferences, needsState) = (false, false) }

  mutating func write(
    _ cell: UnsafeBufferPointer<UInt8>, _ type: ColumnType, _ limits: RecordLimits, into writer: inout ByteWriter
  ) throws(CellFault) {
    if type.kind == .string { return writer.cborText(cell) }
    guard var plain = try type.plain(cell) else {
      guard write(cell, type.kind, limits, into: &writer) else { throw .form }
      return
    }
    let isWritten = plain.text.withUTF8 { write($0, type.kind, limits, into: &writer) }
    guard isWritten else { throw .form }
    if plain.isCut { cut += 1 }
  }

  private mutating func write(
    _ cell: UnsafeBufferPointer<UInt8>, _ type: CellType, _ limits: RecordLimits, into writer: inout ByteWriter
  ) -> Bool {
    json.truncate(to: 0)
    guard type.json(cell, into: &json) else { return false }
    do throws(CoreError) {
      guard try JSONTape.skipSpace(json.bytes, from: tape.parse(json.bytes, at: 0)) == json.count else { return false }
      let said = try encodeValue(tape, json.bytes, into: &writer, limits: limits)
      if said.hasReferences { hasReferences = true }
      // As in JSON, null removes the property. This requires the current state of the record.
      if said.needsState || tape.isNull { needsState = true }
    } catch {
      return false
    }
    return true
  }
}

/// The type that fits all cells of a column that were read so far, for `--detect-types`.
///
/// A column is text unless every cell can be converted and printed unchanged, except for the case of true and false.
/// Leading or trailing zeros, `+`, exponents and numbers of more than 15 digits make it a text column.
struct ColumnKind {
  private(set) var isNumber = true
  private(set) var isBool = true
  private(set) var isDay = true
  private(set) var isSeen = false
  /// Whether there are points, and whether all of them could separate thousands.
  private var (hasPoint, isGrouped) = (false, true)

  var type: CellType {
    if !isSeen || hasPoint && isGrouped { return .string }
    return isNumber ? .number : isBool ? .bool : isDay ? .day : .string
  }

  private static let groups = NumberFormat("1.234", isInteger: true)

  /// - Parameter mayGroup: whether points can separate thousands in this file.
  mutating func see(_ cell: UnsafeBufferPointer<UInt8>, mayGroup: Bool = false) {
    isSeen = true
    if isNumber { isNumber = ColumnKind.isNumber(cell) }
    if mayGroup, isNumber, isGrouped, cell.contains(0x2E) {
      hasPoint = true
      isGrouped = ColumnKind.groups?.plain(String(decoding: cell, as: UTF8.self)) != nil
    }
    if isBool { isBool = CellType.flag(cell) != nil }
    if isDay { isDay = CalendarDay.parse(cell) != nil }
  }

  static func isNumber(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
    var k = cell.first == 0x2D ? 1 : 0
    let first = k
    while k < cell.count, (0x30...0x39).contains(cell[k]) { k += 1 }
    let whole = k - first
    guard whole > 0, whole == 1 || cell[first] != 0x30, cell.count - first <= 16 else { return false }
    if k == cell.count { return whole <= 15 && (first == 0 || cell[first] != 0x30) }
    guard cell[k] == 0x2E, k + 1 < cell.count, cell[cell.count - 1] != 0x30 else { return false }
    guard cell[(k + 1)...].allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    let text = String(decoding: cell, as: UTF8.self)
    guard let value = try? Value.json(text), let printed = try? value.json() else { return false }
    return UTF8Text.equal(printed, text)
  }
}
