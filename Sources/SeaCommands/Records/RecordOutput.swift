import SeaCore
import SeaEngine

struct RecordOutput {
  enum Form {
    case ids, count
    case json([Selection]?)
    /// All records in a single JSON array.
    case array
    /// All records in Datastore's interchange format.
    case entities(EntityWriter)
    case csv([Selection]), tsv([Selection]), table([Selection])
    case template(Template)
  }

  /// The fields that `--format` accepts in addition to properties, which are given as JSON pointers.
  static let fields = ["id", "type", "rev", "conflicts"] + Selection.fields

  private let form: Form
  private let csvStyle: CSVStyle
  private let database: Database
  private let session: Session
  private let output: Output
  private let drain: OutputDrain
  private var table: Table
  private var isFirst = true
  var meter: WorkMeter?
  /// Called with the value of each property and the column of the value.
  typealias Watch = (_ column: Int, _ value: UnsafeBufferPointer<UInt8>) throws -> Void
  var watch: Watch?
  /// The number of entities without a type, and the number of entities in conflict, for which only the winner was
  /// printed.
  private var (untyped, contested) = (0, 0)

  init(
    _ form: Form, _ database: Database, _ session: Session, to output: Output? = nil,
    csv csvStyle: CSVStyle = CSVStyle(),
    heading: (Selection) -> String = \.text
  ) throws {
    self.form = form
    self.csvStyle = csvStyle
    self.database = database
    self.session = session
    self.output = output ?? session.terminal.output
    drain = OutputDrain(self.output)
    var columns: [Selection] = []
    if case .table(let all) = form { columns = all }
    table = Table(
      columns.map { .init($0.text) }, width: session.terminal.width, palette: session.terminal.palette,
      output: self.output)
    table.noticeHidden = { [terminal = session.terminal] in Table.notice(hidden: $0, terminal) }
    switch form {
    case .csv(let all):
      if csvStyle.hasMark { try TextEncoding.mark.withUnsafeBytes { try self.output.write($0) } }
      try csv(all.map(heading))
    case .tsv(let all): try tsv(all.map(heading))
    case .entities: try self.output.write("{\"entities\":[")
    case .ids, .count, .json, .array, .table, .template: break
    }
  }

  /// Prints the records of a query.
  /// - Returns: the number of records.
  mutating func add(_ query: RecordQuery) throws -> Int {
    let queries = database.queries
    switch form {
    case .count:
      let found = try queries.count(query)
      try show(count: found)
      return found
    case .ids: return try queries.forEachID(query, ids())
    case .json(nil), .array:
      return try queries.forEachInPlace(query, { try counted(add(json: $0)) }, { try counted(add($0)) })
    case .entities(let writer):
      return try queries.forEachInPlace(
        query,
        {
          let type = $0.type.map { String(decoding: $0, as: UTF8.self) }
          try counted(entity(writer, String(decoding: $0.id, as: UTF8.self), type, $0.revision, $0.body))
        }, { try counted(add($0)) })
    case .csv(let columns):
      guard let cells = try CellBytes(columns, database, csvStyle) else { break }
      return try queries.forEachInPlace(query, { try counted(add($0, cells)) }, { try counted(add($0)) })
    case .json, .tsv, .table, .template: break
    }
    return try queries.forEach(query) { try counted(add($0)) }
  }

  private func counted(_: Void) { meter?.add() }

  private mutating func add(_ view: RecordView) throws {
    switch form {
    case .count, .ids: break
    case .json(let columns): try json(view, columns)
    case .array: try json(view, nil)
    case .entities(let writer):
      if !view.conflicts.isEmpty { contested += 1 }
      guard let body = view.body else { return try entity(writer, view.id, view.type, view.revision, nil) }
      try body.withUnsafeBufferPointer { try entity(writer, view.id, view.type, view.revision, $0) }
    case .csv(let columns): try csv(cells(columns, view, csvStyle))
    case .tsv(let columns): try tsv(cells(columns, view, nil))
    case .table(let columns): try table.row(cells(columns, view, nil).map { $0 ?? "" })
    case .template(let template):
      try output.write(template.bytes(RecordFields(view: view, queries: database.queries), session.terminal))
    }
  }

  mutating func end() throws {
    if case .array = form { try output.write(isFirst ? "[]\n" : "\n]\n") }
    if case .entities = form { try output.write(isFirst ? "]}\n" : "\n]}\n") }
    if contested > 0 {
      session.terminal.warning(
        "contested", "\(Count(contested, "record")) in conflict; only the winners were written")
    }
    if untyped > 0 {
      session.terminal.warning("untyped", "\(Count(untyped, "record")) without a type, which Datastore ignores")
    }
    try table.end()
  }

  private mutating func add(json record: BorrowedRecord) throws {
    try begin()
    var writer = drain.writer()
    try JSONWriter.write(record: record, style: session.terminal.jsonStyle, into: &writer)
    try end(&writer)
  }

  private mutating func entity(
    _ entities: EntityWriter, _ id: String, _ type: String?, _ revision: RevisionID,
    _ body: UnsafeBufferPointer<UInt8>?
  ) throws {
    if type == nil { untyped += 1 }
    var writer = ByteWriter(capacity: 1 << 10)
    writer.append(isFirst ? "\n" : ",\n")
    isFirst = false
    try database.history.write(entities, id: id, type: type, revision, body, into: &writer)
    try output.write(UnsafeRawBufferPointer(writer.bytes))
  }

  /// Prints the separator before an object. The object itself may be printed in parts if it is large.
  private mutating func begin() throws {
    guard case .array = form else { return }
    try output.write(isFirst ? "[\n" : ",\n")
    isFirst = false
  }

  private func end(_ writer: inout ByteWriter) throws {
    if case .array = form { writer.truncate(to: writer.count - 1) }
    try drain.end(writer)
  }

  private func csv(_ cells: [String?]) throws {
    try output.write(Escape.csv(cells, delimiter: csvStyle.delimiter))
    try output.byte(0x0A)
  }

  /// Empty strings are quoted to distinguish them from missing properties.
  private func tsv(_ cells: [String?]) throws {
    try output.write(cells.map { $0.map { $0.isEmpty ? "\"\"" : Escape.quoted($0) } ?? "" }.joined(separator: "\t"))
    try output.byte(session.options.zero ? 0 : 0x0A)
  }

  private func add(_ record: BorrowedRecord, _ cells: CellBytes) throws {
    try cells.csv(record, seeing: watch) { try output.write(UnsafeRawBufferPointer($0)) }
  }

  private func ids() -> (UnsafeBufferPointer<UInt8>) throws -> Void {
    let terminal = session.terminal
    if session.options.json {
      return { try terminal.object(["_id": .id(String(decoding: $0, as: UTF8.self))]) }
    }
    let end = session.options.zero ? 0 : 0x0A as UInt8
    return { [output] in try output.line($0, end: end) }
  }

  private func show(count: Int) throws {
    if session.options.json {
      try session.terminal.object(["count": .integer(count)])
    } else {
      try session.terminal.item(String(count))
    }
  }

  private mutating func json(_ view: RecordView, _ columns: [Selection]?) throws {
    try begin()
    var writer = drain.writer()
    if let columns {
      var out = JSONOutput(style: session.terminal.jsonStyle)
      out.open(0x7B, &writer)
      let places = try valueRanges(columns, view)
      for column in columns {
        guard let value = try column.value(of: view, in: database.queries, places: places) else { continue }
        out.name(column.text, &writer)
        try value.withUnsafeBufferPointer { try JSONWriter.write(value: $0, style: out.style, into: &writer) }
      }
      out.close(0x7D, &writer)
    } else {
      try view.writeJSON(session.terminal.jsonStyle, into: &writer)
    }
    writer.byte(0x0A)
    try end(&writer)
  }

  private func valueRanges(_ columns: [Selection], _ view: RecordView) throws -> [[UInt8]: Range<Int>]? {
    columns.count > 32 ? try view.valueRanges() : nil
  }

  private func asset(_ value: [UInt8]) throws -> AssetReference? {
    // An asset and a labeled value are maps with four and two keys.
    guard value.first == 0xA4 || value.first == 0xA2 else { return nil }
    guard case .asset(let asset) = try value.withUnsafeBufferPointer({ try Value.decode(value: $0) }).unlabeled else {
      return nil
    }
    return asset
  }

  private func cells(_ columns: [Selection], _ view: RecordView, _ style: CSVStyle?) throws -> [String?] {
    let places = try valueRanges(columns, view)
    return try columns.enumerated().map { k, column in
      guard let value = try column.value(of: view, in: database.queries, places: places) else { return nil }
      if column.property != nil { try value.withUnsafeBufferPointer { try watch?(k, $0) } }
      var writer = ByteWriter()
      try value.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
      if case .table = form, let asset = try asset(value) { return "\(asset.mime) \(SizeText.of(asset.size))" }
      guard let style else { return String(decoding: writer.bytes, as: UTF8.self) }
      var text = writer.array()
      try value.withUnsafeBufferPointer { try style.localize(&text, of: $0) }
      return String(decoding: text, as: UTF8.self)
    }
  }
}

struct RecordFields: FieldSource {
  let view: RecordView
  let queries: Queries

  func field(_ name: String) -> Field {
    switch name {
    case "id": .id(view.id)
    case "type": .text(view.type)
    case "rev": .id(view.revision)
    case "conflicts": .integer(view.conflicts.count)
    default: field((try? Selection(name).value(of: view, in: queries)) ?? nil)
    }
  }

  func pointer(_ pointer: String) -> Field {
    field((try? PropertyPath(pointer)).flatMap { try? view.value($0) })
  }

  private func field(_ bytes: [UInt8]?) -> Field {
    guard let bytes, let value = try? bytes.withUnsafeBufferPointer({ try Value.decode(value: $0) }) else {
      return .absent
    }
    switch value {
    case .string(let text): return .string(text)
    case .data(let data): return .bytes(data)
    case .date(let time): return .moment(time)
    case .day(let day): return .string(CalendarDay.text(day))
    case .bool(let flag): return .truth(flag)
    case .integer(let number): return .number(number)
    default:
      var writer = ByteWriter()
      try? bytes.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
      return .json(String(decoding: writer.bytes, as: UTF8.self))
    }
  }
}

/// Prints cells directly from the bytes of records. Columns can only be the id, the type and properties.
final class CellBytes {
  private enum Column { case id, type, property(Int) }

  private let columns: [Column]
  private let places: [Int64: [Int]]
  private let style: CSVStyle
  private var line = ByteWriter(capacity: 1 << 10)
  private var cell = ByteWriter(capacity: 256)
  private var ranges: [Range<Int>] = []

  /// - Returns: nil if there is any other column.
  init?(_ selections: [Selection], _ database: Database, _ style: CSVStyle) throws {
    self.style = style
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
    places = try database.queries.positions(of: names)
  }

  /// Passes a CSV line to `write`. The buffer is valid only until the next call.
  /// - Parameter see: receives the value of each cell and its column.
  func csv(
    _ record: BorrowedRecord, seeing see: RecordOutput.Watch?, _ write: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    let places = places[record.shape] ?? []
    try record.values((places.max() ?? -1) + 1, into: &ranges)
    line.truncate(to: 0)
    for (k, column) in columns.enumerated() {
      if k > 0 { line.byte(style.delimiter) }
      switch column {
      case .id: Escape.csv(record.id, delimiter: style.delimiter, into: &line)
      case .type: if let type = record.type { Escape.csv(type, delimiter: style.delimiter, into: &line) }
      case .property(let property):
        let place = places[property]
        guard place >= 0, place < ranges.count, let body = record.body else { continue }
        cell.truncate(to: 0)
        let value = UnsafeBufferPointer(rebasing: body[ranges[place]])
        try see?(k, value)
        try JSONWriter.writePlain(value: value, into: &cell)
        guard !style.isStandard else {
          Escape.csv(cell.bytes, into: &line)
          continue
        }
        var text = cell.array()
        try style.localize(&text, of: value)
        text.withUnsafeBufferPointer { Escape.csv($0, delimiter: style.delimiter, into: &line) }
      }
    }
    line.byte(0x0A)
    try write(line.bytes)
  }
}
