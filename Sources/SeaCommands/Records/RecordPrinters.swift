import SeaCore
import SeaKit

/// One of the forms in which records are printed.
protocol RecordPrinter {
  mutating func print(_ view: RecordView) throws
  mutating func end() throws
}

extension RecordPrinter {
  mutating func end() throws {}
}

struct IDPrinter: RecordPrinter {
  let context: Context

  func print(_ view: RecordView) throws {
    if context.options.json { try context.object(["_id": .id(view.id)]) } else { try context.item(view.id) }
  }
}

struct CountPrinter: RecordPrinter {
  let context: Context
  private var count = 0

  init(_ context: Context) { self.context = context }

  mutating func print(_ view: RecordView) { count += 1 }

  func end() throws {
    if context.options.json {
      try context.object(["count": .integer(count)])
    } else {
      try context.item(String(count))
    }
  }
}

struct JSONPrinter: RecordPrinter {
  let columns: [Selection]?
  let database: Database
  let context: Context

  func print(_ view: RecordView) throws {
    var writer = ByteWriter(capacity: 512)
    if let columns {
      var out = JSONOutput(style: .compact)
      out.open(0x7B, &writer)
      for column in columns {
        guard let value = try column.value(of: view, in: database.records) else { continue }
        out.name(column.text, &writer)
        try value.withUnsafeBufferPointer { try JSONWriter.write(value: $0, into: &writer) }
      }
      out.close(0x7D, &writer)
    } else {
      try view.writeJSON(.compact, into: &writer)
    }
    writer.byte(0x0A)
    try context.output.write(UnsafeRawBufferPointer(writer.bytes))
  }
}

/// The text of a value in a cell.
private func cell(_ column: Selection, _ view: RecordView, _ database: Database) throws -> String {
  guard let value = try column.value(of: view, in: database.records) else { return "" }
  var writer = ByteWriter()
  try value.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
  return String(decoding: writer.bytes, as: UTF8.self)
}

struct CellPrinter: RecordPrinter {
  enum Form { case csv, tsv }
  private let columns: [Selection]
  private let form: Form
  private let database: Database
  private let context: Context
  private var isFirst = true

  init(_ columns: [Selection], _ form: Form, _ database: Database, _ context: Context) {
    self.columns = columns
    self.form = form
    self.database = database
    self.context = context
  }

  mutating func print(_ view: RecordView) throws {
    try head()
    try row(columns.map { try cell($0, view, database) })
  }

  mutating func end() throws { try head() }

  private mutating func head() throws {
    guard isFirst else { return }
    isFirst = false
    try row(columns.map { $0.text })
  }

  private func row(_ cells: [String]) throws {
    switch form {
    case .csv: try context.line(cells.map(Escape.csv).joined(separator: ","))
    case .tsv: try context.fields(cells)
    }
  }
}

struct TablePrinter: RecordPrinter {
  private let columns: [Selection]
  private let database: Database
  private var table: Table

  init(_ columns: [Selection], _ database: Database, _ context: Context) {
    self.columns = columns
    self.database = database
    table = Table(columns.map { Table.Column($0.text) }, width: context.width, output: context.output)
  }

  mutating func print(_ view: RecordView) throws { try table.row(columns.map { try cell($0, view, database) }) }
  mutating func end() throws { try table.end() }
}

struct TemplatePrinter: RecordPrinter {
  private let template: Template
  private let database: Database
  private let context: Context

  init(_ text: String, shell: Bool, _ database: Database, _ context: Context) throws {
    template = try Template(
      text, fields: ["id", "type", "rev", "conflicts"], pointers: true, shell: shell, zero: context.options.zero)
    self.database = database
    self.context = context
  }

  func print(_ view: RecordView) throws { try context.output.write(template.bytes(RecordFields(view: view), context)) }
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
