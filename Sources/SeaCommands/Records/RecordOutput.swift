import SeaCore
import SeaKit

/// Records in the form that was asked for.
struct RecordOutput {
  enum Form {
    case ids, count
    /// The whole of each record, or what was selected.
    case json([Selection]?)
    case csv([Selection]), tsv([Selection]), table([Selection])
    case template(Template)
  }

  private let form: Form
  private let database: Database
  private let session: Session
  private var table: Table
  init(_ form: Form, _ database: Database, _ session: Session) throws {
    self.form = form
    self.database = database
    self.session = session
    var columns: [Selection] = []
    switch form {
    case .csv(let all): try session.terminal.line(Escape.csv(all.map(\.text)))
    case .tsv(let all): try session.terminal.fields(all.map(\.text))
    case .table(let all): columns = all
    case .ids, .count, .json, .template: break
    }
    table = Table(columns.map { .init($0.text) }, width: session.terminal.width, output: session.terminal.output)
  }

  mutating func add(_ view: RecordView) throws {
    switch form {
    case .count, .ids: break
    case .json(let columns): try json(view, columns)
    case .csv(let columns):
      try session.terminal.line(Escape.csv(cells(columns, view)))
    case .tsv(let columns): try session.terminal.fields(cells(columns, view))
    case .table(let columns): try table.row(cells(columns, view))
    case .template(let template):
      try session.terminal.output.write(template.bytes(RecordFields(view: view), session.terminal))
    }
  }

  mutating func end() throws { try table.end() }

  func add(json record: RecordBytes) throws {
    var writer = ByteWriter(capacity: 1 << 10)
    try JSONWriter.write(record: record, into: &writer)
    try session.terminal.output.write(UnsafeRawBufferPointer(writer.bytes))
  }

  func add(_ record: RecordBytes, _ cells: CellBytes) throws {
    try cells.csv(record) { try session.terminal.output.write(UnsafeRawBufferPointer($0)) }
  }

  /// What shows one id after the other.
  func ids() -> (UnsafeBufferPointer<UInt8>) throws -> Void {
    let terminal = session.terminal
    if session.options.json {
      return { try terminal.object(["_id": .id(String(decoding: $0, as: UTF8.self))]) }
    }
    let (output, end) = (terminal.output, session.options.zero ? 0 : 0x0A as UInt8)
    return { try output.line($0, end: end) }
  }

  func show(count: Int) throws {
    if session.options.json {
      try session.terminal.object(["count": .integer(count)])
    } else {
      try session.terminal.item(String(count))
    }
  }

  private func json(_ view: RecordView, _ columns: [Selection]?) throws {
    var writer = ByteWriter(capacity: 512)
    if let columns {
      var out = JSONOutput(style: .compact)
      out.open(0x7B, &writer)
      let places = try places(columns, view)
      for column in columns {
        guard let value = try column.value(of: view, in: database.records, places: places) else { continue }
        out.name(column.text, &writer)
        try value.withUnsafeBufferPointer { try JSONWriter.write(value: $0, into: &writer) }
      }
      out.close(0x7D, &writer)
    } else {
      try view.writeJSON(.compact, into: &writer)
    }
    writer.byte(0x0A)
    try session.terminal.output.write(UnsafeRawBufferPointer(writer.bytes))
  }

  /// Many columns are looked up together.
  private func places(_ columns: [Selection], _ view: RecordView) throws -> [[UInt8]: Range<Int>]? {
    columns.count > 32 ? try view.places() : nil
  }

  /// The texts of the values in a row.
  private func cells(_ columns: [Selection], _ view: RecordView) throws -> [String] {
    let places = try places(columns, view)
    return try columns.map { column in
      guard let value = try column.value(of: view, in: database.records, places: places) else { return "" }
      var writer = ByteWriter()
      try value.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}

/// The fields of a record in a template.
private struct RecordFields: FieldSource {
  let view: RecordView

  func field(_ name: String) -> Field {
    switch name {
    case "id": .id(view.id)
    case "type": .text(view.type)
    case "rev": .id(view.revision)
    case "conflicts": .integer(view.conflicts.count)
    default: .absent
    }
  }

  func pointer(_ pointer: String) -> Field {
    guard let path = try? PropertyPath(pointer), let bytes = try? view.value(path),
      let value = try? bytes.withUnsafeBufferPointer({ try Value.decode(value: $0) })
    else { return .absent }
    switch value {
    case .string(let text): return .string(text)
    case .data(let data): return .bytes(data)
    case .date(let time): return .moment(time)
    case .bool(let flag): return .truth(flag)
    case .integer(let number): return .number(number)
    default:
      var writer = ByteWriter()
      try? bytes.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
      return .json(String(decoding: writer.bytes, as: UTF8.self))
    }
  }
}
