import SeaCore
import SeaSystem

/// Prints the rows of a sheet as CSV while they are read. Each row of the sheet is one row of CSV. Texts are quoted, and
/// numbers, `true` and `false`, days and dates are not. Errors and invalid days are not quoted either and begin with `#`.
final class SheetReader: XMLReader {
  private static let mostOutput = 4 << 30
  /// A row of XML can be short although its only cell is in the last column.
  private static let mostEmptyCells = 1 << 28
  private static let commas = [UInt8](repeating: 0x2C, count: CellName.lastColumn)
  private static let piece = 1 << 16
  /// No number or error is longer.
  private static let longestValue = 1 << 10

  private let strings: SharedStrings
  private let styles: Styles
  private let from1904: Bool
  private let output: File
  private var buffer = ByteWriter(capacity: SheetReader.piece)
  private var written = 0
  private var emptyCells = 0

  private var isInData = false
  private var (row, column) = (0, 0)
  private var isInRow = false
  /// The rows that have been ended, and the cells of the current row that have been printed or left out.
  private var (ended, printed) = (0, 0)
  private var cell: (name: String?, type: String, style: String)?
  private var value: [UInt8] = []
  private var text = RichText()
  private var isInValue = false
  private var isInText = false

  init(_ strings: SharedStrings, _ styles: Styles, from1904: Bool, output: File) {
    (self.strings, self.styles, self.from1904, self.output) = (strings, styles, from1904, output)
  }

  func begin(_ name: String, _ attributes: XMLAttributes) throws {
    switch name {
    case "sheetData": isInData = true
    case "row" where isInData && !isInRow: try beginRow(attributes["r"])
    case "c" where isInRow && cell == nil: try beginCell(attributes["r"], attributes)
    case "v" where cell != nil: isInValue = true
    case "is" where cell != nil: isInText = true
    default: if isInText { text.begin(name, attributes) }
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    if isInText { try text.append(bytes) }
    guard isInValue else { return }
    guard value.count + bytes.count <= RichText.longest else { throw fault("a text is too long") }
    value.append(contentsOf: bytes)
  }

  func end(_ name: String) throws {
    switch name {
    case "sheetData": isInData = false
    case "row" where isInRow && cell == nil: isInRow = false
    case "c" where cell != nil: try endCell()
    case "v": isInValue = false
    case "is": isInText = false
    default: if isInText { text.end(name) }
    }
  }

  /// Writes the remaining output. Call this once after the end of the sheet.
  func finish() throws {
    if printed > 0 { buffer.byte(0x0A) }
    try flush()
  }

  // MARK: - Rows and cells

  private func beginRow(_ name: String?) throws {
    guard let next = name.map(CellName.row) ?? row + 1, next > row, next <= CellName.lastRow else {
      throw Refusal("row '\(name ?? "\(row + 1)")' is not valid after row \(row)")
    }
    (row, column, isInRow) = (next, 0, true)
  }

  private func beginCell(_ name: String?, _ attributes: XMLAttributes) throws {
    if let name {
      guard let next = CellName(name), next.row == row, next.column > column else {
        throw Refusal("cell '\(name)' is not valid in row \(row) after column \(column)")
      }
      column = next.column
    } else {
      guard column < CellName.lastColumn else { throw Refusal("row \(row) has too many cells") }
      column += 1
    }
    cell = (name, attributes["t"] ?? "n", attributes["s"] ?? "0")
    (value, text) = ([], RichText())
  }

  private func endCell() throws {
    guard let (_, type, style) = cell else { return }
    defer { (cell, isInValue, isInText) = (nil, false, false) }
    switch type {
    case "inlineStr": return try printText(text.bytes)
    case "str": return try printText(RichText.unescaped(value[...]))
    default: break
    }
    // Numbers can have blanks around them.
    var trimmed = value.drop { $0 <= 0x20 }
    while let last = trimmed.last, last <= 0x20 { trimmed.removeLast() }
    guard trimmed.count <= SheetReader.longestValue else { throw fault("a value is too long") }
    let stored = String(decoding: trimmed, as: UTF8.self)
    if stored.isEmpty { return }
    switch type {
    case "s":
      guard let number = Int(stored), let text = strings.text(number) else {
        throw fault("text '\(stored)' is missing")
      }
      if !text.isEmpty { try print { $0.quoted(text) } }
    case "b":
      guard let word = ["0": "false", "1": "true", "false": "false", "true": "true"][stored] else {
        throw fault("'\(stored)' is not true or false")
      }
      try print(word)
    case "e":
      let isPlain = stored.hasPrefix("#") && stored.utf8.count <= 32 && stored.utf8.allSatisfy(SheetReader.isOfError)
      try print(isPlain ? stored : "#ERROR")
    case "d": try print(date(stored))
    case "n": try print(number(stored, style))
    default: throw fault("cells of type '\(type)' are unknown")
    }
  }

  private static func isOfError(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || "#/!?_".utf8.contains(byte)
  }

  private func number(_ stored: String, _ style: String) throws -> String {
    guard let number = CellNumber.value(stored) else { throw fault("'\(stored)' is not a number") }
    guard let format = style.isEmpty ? .number : Int(style).flatMap(styles.format) else {
      throw fault("style '\(style)' does not exist")
    }
    let text = CellNumber.text(stored, number)
    if format == .number { return text }
    guard let found = SerialDay.text(number, format, from1904: from1904) else {
      let isLeapDay = number == 60 && !from1904
      return isLeapDay ? "#1900-02-29" : "#" + text
    }
    return found.isTime ? "\"\(found.text)\"" : found.text
  }

  /// A date in the form of ISO 8601, which few programs write.
  private func date(_ stored: String) throws -> String {
    if CalendarDay.parse(stored) != nil { return stored }
    if Instant.parse("2000-01-01T\(stored)Z") != nil { return "\"\(stored)\"" }
    let isZoned = stored.hasSuffix("Z")
    guard let time = Instant.parse(isZoned ? stored : stored + "Z") else { throw fault("'\(stored)' is not a date") }
    let text = Instant.text(time)
    return isZoned ? text : String(text.dropLast())
  }

  private func fault(_ words: String) -> Refusal { Refusal("\(cell?.name ?? "row \(row)"): \(words)") }

  // MARK: - Output

  private func printText(_ text: [UInt8]) throws {
    if !text.isEmpty { try text.withUnsafeBufferPointer { text in try print { $0.quoted(text) } } }
  }

  private func print(_ text: String) throws { try print { $0.append(text) } }

  private func print(_ body: (inout ByteWriter) -> Void) throws {
    while ended < row - 1 {
      buffer.byte(0x0A)
      (ended, printed) = (ended + 1, 0)
    }
    let commas = column - max(printed, 1)
    SheetReader.commas.withUnsafeBufferPointer { buffer.append($0.baseAddress!, count: commas) }
    emptyCells += column - printed - 1
    guard emptyCells <= SheetReader.mostEmptyCells else { throw fault("the sheet has too many empty cells") }
    printed = column
    body(&buffer)
    if buffer.count >= SheetReader.piece { try flush() }
  }

  private func flush() throws {
    written += buffer.count
    guard written <= SheetReader.mostOutput else { throw Refusal("the sheet has more than 4 GiB of cells") }
    try output.write(UnsafeRawBufferPointer(buffer.bytes))
    buffer.truncate(to: 0)
  }
}

extension ByteWriter {
  /// Writes a quoted cell of CSV.
  fileprivate mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
    byte(0x22)
    for value in text {
      if value == 0x22 { byte(0x22) }
      byte(value)
    }
    byte(0x22)
  }
}
