import SeaCore
import SeaEngine

final class SQLiteSource: LoadSource {
  let name: String
  private let file: any ForeignFile
  private var waiting: ArraySlice<(table: ForeignTable, columns: ForeignColumns, options: WriteBatch.Options)>
  private var current: (columns: ForeignColumns, rows: any ForeignRows, options: WriteBatch.Options)?
  private var begun: [(before: Int, table: String)] = []
  private let meter: WorkMeter?
  private var reported: Int64 = 0
  private(set) var line = 0
  private var cut = 0
  var notices: [String] { SQLiteSource.cut(cut) }

  let namesTypes = true

  let raw: [UInt8] = []
  let head: [UInt8] = []
  func pass(_ fault: CommandError) throws { throw fault }

  static let untyped = "_untyped"

  struct Choice {
    var tables: [String] = []
    var wishes = ColumnOptions()
    var detects = false
    var hasKey = false
  }

  init(
    _ name: String, _ open: () throws -> any ForeignFile, _ choice: Choice, _ options: WriteBatch.Options,
    _ terminal: Terminal
  ) throws {
    self.name = name
    let kinds = choice.detects ? try SQLiteSource.kinds(SQLiteSource.naming(name, open), name, choice) : []
    let file = try SQLiteSource.naming(name, open)
    self.file = file
    meter = WorkMeter(terminal.workReport, .reading, name, of: file.size)
    let tables = try SQLiteSource.chosen(file, name, choice)
    if tables.count > 1, options.type != nil { throw CommandError.tables(file: name, .several(.type)) }
    var plans: [(table: ForeignTable, columns: ForeignColumns, options: WriteBatch.Options)] = []
    for (k, table) in tables.enumerated() {
      var own = options
      own.type = try options.type ?? SQLiteSource.type(of: table, name)
      do throws(ColumnFault) {
        let columns = try ForeignColumns(
          table, type: own.type, choice.wishes, options.limits, kinds: k < kinds.count ? kinds[k] : [],
          makesIDs: !choice.hasKey)
        plans.append((table, columns, own))
      } catch { throw CommandError.foreign(ForeignPlace(file: name, table: table.name), error.fault) }
    }
    waiting = plans[...]
    let names = tables.flatMap { $0.columns.map { TableHeading.plain($0.name) } }
    if let missing = choice.wishes.missing(names: names, plans.map(\.columns.heading)) {
      throw CommandError.foreign(ForeignPlace(file: name), missing)
    }
    let leftOut =
      (choice.tables.isEmpty ? file.leftOut.map { "the virtual table '\($0)'" } : [])
      + tables.flatMap { table in table.computed.map { "the computed column '\($0)' of '\(table.name)'" } }
    if !leftOut.isEmpty { terminal.notice("\(name): left out: \(leftOut.joined(separator: ", "))") }
  }

  func add(to batch: WriteBatch, _ options: WriteBatch.Options) throws -> Bool {
    while true {
      guard let current else {
        guard try begin() else { return false }
        continue
      }
      do {
        line += 1
        if try current.rows.next() {
          var own = current.options
          own.identify = options.identify
          try batch.add(own) { try current.columns.record(current.rows, into: &$0) }
          reportProgress()
          return true
        }
        line -= 1
        cut += current.columns.cut
        self.current = nil
      } catch { throw located(line, error) }
    }
  }

  private func begin() throws -> Bool {
    var place = ForeignPlace(file: name)
    do {
      guard let next = waiting.popFirst() else {
        try file.end()
        return false
      }
      place.table = next.table.name
      begun.append((line, next.table.name))
      current = (next.columns, try file.rows(of: next.table), next.options)
      return true
    } catch { throw CommandError.foreign(place, error) }
  }

  private func reportProgress() {
    guard let meter, file.read - reported >= 1 << 16 else { return }
    meter.add(Int(file.read - reported))
    reported = file.read
  }

  func located(_ line: Int, _ error: any Error) -> CommandError {
    let table = begun.last { $0.before < line } ?? begun.last
    return .foreign(ForeignPlace(file: name, table: table?.table, row: table.map { line - $0.before }), error)
  }

  // MARK: - Before the first row

  private static func naming(_ name: String, _ open: () throws -> any ForeignFile) throws -> any ForeignFile {
    do { return try open() } catch let fault as ForeignFault {
      throw CommandError.foreign(ForeignPlace(file: name), fault)
    }
  }

  private static func chosen(_ file: any ForeignFile, _ name: String, _ choice: Choice) throws -> [ForeignTable] {
    if choice.tables.isEmpty { return file.tables }
    return try choice.tables.map { wanted in
      guard let table = file.tables.first(where: { UTF8Text.equal($0.name, wanted) }) else {
        throw CommandError.tables(file: name, .noTable(wanted))
      }
      return table
    }
  }

  private static func type(of table: ForeignTable, _ file: String) throws -> String? {
    if table.name == untyped { return nil }
    let type = TableHeading.plain(table.name)
    do { try Name.check(type) } catch { throw CommandError.tables(file: file, .noType(table.name)) }
    return type
  }

  private static func kinds(_ file: any ForeignFile, _ name: String, _ choice: Choice) throws -> [[ColumnKind]] {
    try chosen(file, name, choice).map { table in
      var kinds = Array(repeating: ColumnKind(), count: table.columns.count)
      var row = 0
      do {
        let rows = try file.rows(of: table)
        while try rows.next() {
          row += 1
          for k in kinds.indices {
            do { if case .text(let text) = try rows.cell(k) { kinds[k].see(text) } } catch ForeignFault.badText {}
          }
        }
      } catch { throw CommandError.foreign(ForeignPlace(file: name, table: table.name, row: row), error) }
      return kinds
    }
  }
}
