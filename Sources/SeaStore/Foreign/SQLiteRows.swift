import CSQLite
import SeaCore

/// The rows of a table of a SQLite file, in the order of the table.
final class SQLiteRows: ForeignRows {
  private let file: SQLiteFile
  private let statement: Statement
  private let hasDefault: [Bool]
  /// A text of UTF-16 as UTF-8.
  private var converted = ByteWriter(capacity: 1 << 8)

  /// No row takes less in a file.
  private static let leastRow: Int64 = 4

  /// The column behind those of the table that has the number of the row, which rises from row to row.
  private let number: Int32?
  private var last: Int64?

  init(_ file: SQLiteFile, _ table: ForeignTable) throws(StoreError) {
    self.file = file
    hasDefault = table.columns.map(\.hasDefault)
    let columns = table.columns.map { SQLText.quoted($0.name) }.joined(separator: ", ")
    // An index may say something else than its table.
    let source = "FROM main.\(SQLText.quoted(table.name))"
    let taken = Set(table.columns.map { SQLName($0.name) } + table.computed.map { SQLName($0) })
    for name in ["rowid", "_rowid_", "oid"] where !taken.contains(SQLName(name)) && hasDefault.count < 2000 {
      guard let statement = try? Statement(file.connection, "SELECT \(columns), \(name) \(source) NOT INDEXED") else {
        continue
      }
      (self.statement, number) = (statement, Int32(table.columns.count))
      return
    }
    let key = try SQLiteRows.key(of: table, file.connection).map { "INDEXED BY \(SQLText.quoted($0))" }
    (statement, number) = (try Statement(file.connection, "SELECT \(columns) \(source) \(key ?? "NOT INDEXED")"), nil)
  }

  /// The index that is the table itself, where rows have no numbers: not to go by one is taken for any one there.
  private static func key(of table: ForeignTable, _ connection: Connection) throws(StoreError) -> String? {
    let list = try Statement(connection, "PRAGMA main.index_list(\(SQLText.quoted(table.name)))")
    while try list.step() {
      if list.utf8(3).elementsEqual("pk".utf8) { return String(decoding: list.utf8(1), as: UTF8.self) }
    }
    return nil
  }

  func next() throws -> Bool {
    do { guard try statement.step() else { return false } } catch { throw error.ofForeignFile }
    try count(SQLiteRows.leastRow)
    if let number {
      let now = Int64(statement.int(number))
      if let last, now <= last { throw ForeignFault.endless }
      last = now
    }
    return true
  }

  func isNull(_ column: Int) -> Bool { statement.isNull(Int32(column)) }

  func cell(_ column: Int) throws -> ForeignCell {
    let index = Int32(column)
    switch statement.kind(index) {
    case SQLITE_INTEGER: return .integer(Int64(statement.int(index)))
    case SQLITE_FLOAT: return .double(statement.double(index))
    case SQLITE_TEXT:
      let bytes = statement.text(at: index)
      if !hasDefault[column] { try count(Int64(bytes.count)) }
      return .text(try text(bytes))
    case SQLITE_BLOB:
      let bytes = statement.text(at: index)
      if !hasDefault[column] { try count(Int64(bytes.count)) }
      return .data(bytes)
    default: return .null
    }
  }

  /// Pages that lead to pages that were read already have rows without end: what is read cannot be longer than the file.
  private func count(_ bytes: Int64) throws {
    file.read += bytes
    guard file.read <= file.size else { throw ForeignFault.endless }
  }

  /// Texts come as they are stored: SQLite makes others of what is no Unicode.
  private func text(_ bytes: UnsafeBufferPointer<UInt8>) throws -> UnsafeBufferPointer<UInt8> {
    guard case .utf16(let isBig) = file.encoding else {
      guard UTF8Text.isValid(bytes) else { throw ForeignFault.badText }
      return bytes
    }
    let units = (0..<bytes.count / 2).map { k in
      let (first, second) = (UInt16(bytes[2 * k]), UInt16(bytes[2 * k + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else { throw ForeignFault.badText }
    converted.truncate(to: 0)
    converted.append(text)
    return converted.bytes
  }
}
