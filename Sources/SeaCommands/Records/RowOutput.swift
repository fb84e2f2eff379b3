import SeaCore
import SeaEngine

struct RowOutput {
  enum Form { case json, csv(CSVStyle), tsv, table, template(String, shell: Bool) }

  private let form: Form
  private let session: Session
  private let columns: [String]
  private var table: Table
  private let template: Template?

  init(_ form: Form, _ columns: [String], _ session: Session) throws {
    self.form = form
    self.session = session
    self.columns = columns
    var titles: [String] = []
    var template: Template?
    switch form {
    case .csv(let style):
      if style.hasMark { try TextEncoding.mark.withUnsafeBytes { try session.terminal.output.write($0) } }
      try session.terminal.line(Escape.csv(columns, delimiter: style.delimiter))
    case .tsv: try session.terminal.fields(columns)
    case .table: titles = columns
    case .json: break
    case .template(let text, let shell):
      template = try Template(text, fields: columns, shell: shell, for: session.terminal)
    }
    self.template = template
    table = Table(titles.map { .init($0) }, session.terminal)
  }

  mutating func add(_ row: any QueryRow) throws {
    switch form {
    case .json: try json(row)
    case .csv(let style): try csv(row, style)
    case .tsv: try session.terminal.fields(columns.indices.map { text(row, $0) })
    case .table: try table.row(columns.indices.map { text(row, $0) })
    case .template:
      let values = columns.indices.map { row.value($0) }
      try session.terminal.output.write(template!.bytes(RowFields(columns: columns, values: values), session.terminal))
    }
  }

  mutating func end() throws { try table.end() }

  /// Returns the text of a cell: numbers as SQLite prints them, data as base64.
  private func text(_ row: any QueryRow, _ column: Int) -> String {
    switch row.value(column) {
    case .null: ""
    case .text(let text), .json(let text): text
    case .integer(let number): String(number)
    case .double(let number): RowOutput.digits(number)
    case .digits(let text): text
    case .data(let bytes): RowOutput.base64(bytes)
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    var writer = ByteWriter(capacity: bytes.count * 2)
    bytes.withUnsafeBufferPointer { Base64.write($0, into: &writer) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns a number as JSON. JSON has no infinity, but parsers read a number that is too large for a double as
  /// infinity.
  fileprivate static func digits(_ number: Double) -> String {
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    var writer = ByteWriter(capacity: 32)
    PlainJSON.write(.double(number), into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func csv(_ row: any QueryRow, _ style: CSVStyle) throws {
    let drain = OutputDrain(session.terminal.output)
    var writer = drain.writer()
    for k in columns.indices {
      if k > 0 { writer.byte(style.delimiter) }
      if case .null = row.value(k) { continue }
      var cell = text(row, k)
      if case .double = row.value(k) { cell = style.localize(double: cell) }
      cell.withUTF8 { Escape.csv($0, delimiter: style.delimiter, into: &writer) }
    }
    writer.byte(0x0A)
    try drain.end(writer)
  }

  private func json(_ row: any QueryRow) throws {
    let drain = OutputDrain(session.terminal.output)
    var writer = drain.writer()
    var out = JSONOutput(style: session.terminal.jsonStyle)
    out.open(0x7B, &writer)
    for (k, name) in columns.enumerated() {
      out.name(name, &writer)
      switch row.value(k) {
      case .null: writer.append("null")
      case .integer(let number): try out.value(.integer(number), &writer)
      case .double(let number): writer.append(RowOutput.digits(number))
      case .digits(let text): writer.append(text)
      case .text(let text): out.string(text, &writer)
      case .json(let text): RowOutput.embed(text, into: &writer)
      case .data(let bytes): try out.value(.data(bytes), &writer)
      }
    }
    out.close(0x7D, &writer)
    writer.byte(0x0A)
    try drain.end(writer)
  }

  /// Writes nested JSON on one line. Escapes misleading characters, which can occur only in strings.
  private static func embed(_ text: String, into writer: inout ByteWriter) {
    var text = text
    text.withUTF8 { bytes in
      var k = 0
      while k < bytes.count {
        if k & 0xFFFF == 0 { writer.flushIfFull() }
        let byte = bytes[k]
        if byte < 0x20 {
          writer.byte(0x20)
        } else if byte >= 0x7F, let scalar = UnsafeCharacters.scalar(in: bytes, at: k) {
          writer.append("\\u")
          withUnsafeBytes(of: UInt16(scalar).bigEndian) { Hex.write($0, into: &writer) }
          k += UnsafeCharacters.size(of: scalar)
          continue
        } else {
          writer.byte(byte)
        }
        k += 1
      }
    }
  }
}

private struct RowFields: FieldSource {
  let columns: [String]
  let values: [QueryValue]

  func field(_ name: String) -> Field {
    guard let at = columns.firstIndex(of: name) else { return .absent }
    switch values[at] {
    case .null: return .null
    case .integer(let number): return .number(number)
    case .double(let number): return .json(RowOutput.digits(number))
    case .digits(let text): return .json(text)
    case .text(let text): return .string(text)
    case .json(let text): return .json(text)
    case .data(let bytes): return .bytes(bytes)
    }
  }
}
