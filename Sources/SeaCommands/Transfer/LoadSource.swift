import SeaCore
import SeaEngine

protocol LoadSource: AnyObject {
  func add(to batch: WriteBatch, _ options: WriteBatch.Options) throws -> Bool
  /// Continues after an invalid record.
  /// - Throws: `noLines` if the end of the record is unknown.
  func pass(_ fault: CommandError) throws
  /// The input bytes of the record, including the line end.
  var raw: [UInt8] { get }
  var line: Int { get }
  var name: String { get }
  func located(_ line: Int, _ error: any Error) -> CommandError
  var head: [UInt8] { get }
  var tail: [UInt8] { get }
  /// The name of a column that looks like an id column but is read as a property.
  var idColumn: String? { get }
  /// The assumptions about the columns.
  var assumptions: [String] { get }
  /// The names of the columns, in the order of the input, if they are known before the first record.
  var columnNames: [String] { get }
  /// Whether the table determines the type of each record, even if the record has no type.
  var namesTypes: Bool { get }
  var notices: [String] { get }
}

extension LoadSource {
  var tail: [UInt8] { [] }
  var notices: [String] { [] }
  /// A notice about dates that lost digits after the millisecond.
  static func cut(_ count: Int) -> [String] {
    count == 0 ? [] : ["\(Count(count, "date")) shortened to milliseconds"]
  }
  var namesTypes: Bool { false }
  var idColumn: String? { nil }
  var assumptions: [String] { [] }
  var columnNames: [String] { [] }
  func located(_ line: Int, _ error: any Error) -> CommandError { .input(name: name, line: line, column: 1, error) }
}

extension LoadSource {
  func noticeColumns(hasKey: Bool, _ session: Session) {
    for text in assumptions { session.terminal.notice(text) }
    if !hasKey, let column = idColumn {
      session.terminal.notice(
        "column '\(column)' becomes a property, and each record gets a new id",
        hint: "to use it as the id, add --map=\(column):_id; to match records by it, add -t TYPE --key=\(column)")
    }
  }
}

final class TableSource: LoadSource {
  private let reader: TableReader
  private let columns: TableColumns
  let head: [UInt8]

  init(
    _ reader: TableReader, _ wishes: ColumnOptions, _ limits: RecordLimits, type: String?, kinds: [ColumnKind]
  ) throws {
    self.reader = reader
    columns = try TableColumns(reader, wishes, limits, kinds: kinds)
    // A separator that was found may be less clear in the rejected rows.
    let sign = reader.isSeparatorFound ? Array("sep=".utf8) + [reader.separator, 0x0A] : []
    head = sign + Array(reader.raw).endingInLine
  }

  var line: Int { reader.line }
  var name: String { reader.name }
  var raw: [UInt8] { Array(reader.raw).endingInLine }
  var idColumn: String? {
    let heading = columns.heading
    return heading.id == nil ? heading.properties.map(\.name).first { $0.lowercased() == "id" } : nil
  }
  var notices: [String] {
    let (others, times) = (columns.others, columns.times)
    var all = TableSource.cut(columns.cut)
    if !times.all.isEmpty {
      let names = times.all.map { "'\($0)'" }.joined(separator: ", ")
      all.append(
        "times without a time zone were read as UTC: \(names); to set it, use --types='\(times.all[0]):date[excel, ZONE]'"
      )
    }
    if !times.mixed.isEmpty {
      let option = times.mixed.map { "\($0):date" }.joined(separator: ",")
      all.append("to make the days in the same columns dates, use --types=\(option)")
    }
    if others.isEmpty { return all }
    let names = others.map { "'\($0.name)'" }.joined(separator: ", ")
    // Numbers in one file usually have the same signs, so the second proposal contains the second type of each column.
    var options: [String] = []
    for k in 0..<2 {
      let types = others.map { "\($0.name):\($0.types[min(k, $0.types.count - 1)])" }
      let option = Escape.shellWord("--types=" + types.joined(separator: ","))
      if !options.contains(option) { options.append(option) }
    }
    let option = options.joined(separator: " or ")
    let found = Set(others.map { $0.types[0] == "day" ? "days" : $0.types[0] == "date" ? "dates" : "numbers" })
    let kinds = ["numbers", "dates", "days"].filter(found.contains).joined(separator: " or ")
    let verb = others.count == 1 ? "has" : "have"
    return all + ["\(names) \(verb) \(kinds) stored as text; to convert them, use \(option)"]
  }
  var assumptions: [String] {
    var all: [String] = []
    if reader.isSeparatorFound {
      all.append("\(name): columns are separated by \(TableFault.mark(ColumnSigns.name(reader.separator)))")
    }
    if !columns.trimmed.isEmpty {
      let names = columns.trimmed.map { "'\($0)'" }.joined(separator: ", ")
      all.append("\(name): blanks around column names removed: \(names)")
    }
    return all
  }
  var columnNames: [String] { columns.heading.properties.sorted { $0.column < $1.column }.map(\.name) }
  func pass(_ fault: CommandError) {}

  /// Cells are text by default. If the existing record has another kind of value, the error suggests the matching cell
  /// type.
  func located(_ line: Int, _ error: any Error) -> CommandError {
    guard case KitError.replacesType(let id, let path, let have, "text", _) = error,
      let type = CellType(ofKind: have)
    else { return .input(name: name, line: line, column: 1, error) }
    return .table(
      name: name, line: line, column: 1, .otherKind(id: id, column: path, have: have, type: type.rawValue),
      cell: reader.form == .sheet ? "row \(line)" : nil)
  }

  func add(to batch: WriteBatch, _ options: WriteBatch.Options) throws -> Bool {
    guard try reader.next() else { return false }
    do {
      try batch.add(options) { try columns.record(into: &$0) }
    } catch let fault as TableFault {
      throw reader.fault(fault)
    } catch let fault as KitError {
      switch fault {
      case .transactionTooLarge, .tooManyChanges: throw fault
      default: throw located(line, fault)
      }
    } catch let fault as CoreError {
      throw located(line, fault)
    }
    return true
  }
}

final class DocumentSource: LoadSource {
  private let reader: DocumentReader

  init(_ reader: DocumentReader) { self.reader = reader }

  var line: Int { reader.line }
  var name: String { reader.name }
  var raw: [UInt8] { reader.raw.endingInLine }
  let head: [UInt8] = []
  func pass(_ fault: CommandError) throws { try reader.skip(fault) }
  var notices: [String] {
    guard let list = reader.list else { return [] }
    return ["the input is one object with the list '\(list)'; to load each element as a record, use --foreign"]
  }

  func add(to batch: WriteBatch, _ options: WriteBatch.Options) throws -> Bool {
    try reader.next { tape, bytes in try batch.add(tape, bytes, options) }
  }
}

final class EntitySource: LoadSource {
  private let reader: DocumentReader
  private var lostDoubles = 0
  var name: String { reader.name }

  init(_ name: String, _ input: Input, _ encoding: TextEncoding) {
    reader = DocumentReader(name, input, encoding, hasEntities: true)
  }

  var line: Int { reader.line }
  var raw: [UInt8] { reader.raw + ",\n".utf8 }
  let head = Array("{\"entities\":[\n".utf8)
  let tail = Array("]}\n".utf8)
  func pass(_ fault: CommandError) throws { try reader.skip(fault) }

  var notices: [String] {
    guard lostDoubles > 0 else { return [] }
    return [
      "\(Count(lostDoubles, "whole double")) with a custom type became \(lostDoubles == 1 ? "an integer" : "integers")"
    ]
  }

  func add(to batch: WriteBatch, _ options: WriteBatch.Options) throws -> Bool {
    try reader.next { tape, bytes in
      try batch.add(options) {
        let input = try encodeEntity(tape, bytes, into: &$0, limits: options.limits)
        lostDoubles += input.lostDoubles
        return input.record
      }
    }
  }
}

extension [UInt8] {
  fileprivate var endingInLine: [UInt8] { last == 0x0A ? self : self + [0x0A] }
}
