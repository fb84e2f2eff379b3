import CSQLite
import SeaCore
import SeaSystem

/// Reads another program's SQLite file and never writes to it. Because the file may be malicious, nothing in it is
/// executed, and its size limits the number of bytes read.
///
/// All rows come from a single state of the file. A file with a rollback journal is locked in SQLite's usual way, so
/// writers wait. A file with a write-ahead log is read without a lock, because SQLite would otherwise create files next
/// to it. In that case, the log must be empty, and a final check detects writes by other programs.
package final class SQLiteFile: ForeignFile {
  package let tables: [ForeignTable]
  package let leftOut: [String]
  package let size: Int64
  package internal(set) var read: Int64 = 0
  let connection: Connection
  let encoding: Encoding
  private let path: String
  /// The initial status of the file, recorded if no lock prevents other programs from writing.
  private let before: FileStatus?

  enum Encoding { case utf8, utf16(isBig: Bool) }

  private static let longestSchema = 10
  /// Limits on the bytes of a value or row, the bytes of a statement (up to 2,000 columns), attached files, triggers
  /// and threads.
  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 8 << 20), (SQLITE_LIMIT_ATTACHED, 0),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  /// - Parameter path: the path of a file, or of a symbolic link to a file.
  /// - Throws: `ForeignFault` or `SystemError`.
  package init(_ path: String) throws {
    let path = try Path.real(path)
    self.path = path
    let (header, status) = try SQLiteFile.header(path)
    size = status.size
    encoding = header[59] == 2 ? .utf16(isBig: false) : header[59] == 3 ? .utf16(isBig: true) : .utf8
    // SQLite uses an existing log even if the header specifies another mode. An empty log has no effect.
    let log = try Path.statusFollowing(path + "-wal")
    if let log, log.size > 0 { throw ForeignFault.unfinished(path + "-wal") }
    let isLogged = header[19] == 2 || log != nil
    if isLogged, try SQLiteFile.isHot(path + "-journal") { throw ForeignFault.unfinished(path + "-journal") }
    before = isLogged ? status : nil
    let connection: Connection
    do {
      connection = try Connection(
        FileAddress.text(path) + "?mode=ro" + (isLogged ? "&immutable=1" : ""), flags: SQLITE_OPEN_READONLY)
    } catch { throw error.ofForeignFile }
    self.connection = connection
    let handle = connection.handle
    for (limit, value) in SQLiteFile.limits { sqlite3_limit(handle, limit, value) }
    sea_sqlite_strict_names(handle)
    sea_sqlite_foreign(handle)
    let watch = Watch()
    watch.query.start(seconds: SQLiteFile.longestSchema)
    defer { withExtendedLifetime(watch) {} }
    sqlite3_progress_handler(
      handle, 20_000, { Unmanaged<Watch>.fromOpaque($0!).takeUnretainedValue().mayGoOn() ? 0 : 1 },
      Unmanaged.passUnretained(watch).toOpaque())
    do {
      try connection.execute("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; BEGIN")
      let code = QueryMemory.boundedPlan { sqlite3_exec(handle, "SELECT 1 FROM sqlite_schema LIMIT 0", nil, nil, nil) }
      guard code == SQLITE_OK else { throw connection.failure(code) }
      sqlite3_set_authorizer(handle, { _, action, first, _, _, _ in SQLiteFile.authorize(action, first) }, nil)
      (tables, leftOut) = try SQLiteFile.tables(connection)
      // From now on, each step returns a row, and `count` uses the file size to limit the number of rows.
      sqlite3_progress_handler(handle, 0, nil, nil)
    } catch let error as StoreError {
      if error == .readOnly { throw ForeignFault.unfinished(path + "-journal") }
      throw watch.isOver ? ForeignFault.tooMuch : error.ofForeignFile
    }
  }

  package func rows(of table: ForeignTable) throws -> any ForeignRows {
    do { return try SQLiteRows(self, table) } catch { throw error.ofForeignFile }
  }

  package func end() throws {
    guard let before else { return }
    guard try Path.statusFollowing(path) == before, try Path.statusFollowing(path + "-wal")?.size ?? 0 == 0 else {
      throw ForeignFault.changed
    }
  }

  package static func isOne(_ path: String) throws -> Bool {
    guard try Path.statusFollowing(path)?.kind == .file else { return false }
    return try beginning(File(path)).starts(with: magic)
  }

  // MARK: - Before SQLite

  private static let magic = Array("SQLite format 3\0".utf8)

  private static func beginning(_ file: File) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return Array(bytes[..<count])
  }

  private static func header(_ path: String) throws -> ([UInt8], FileStatus) {
    let file = try File(path)
    let status = try file.status()
    guard status.kind == .file else { throw ForeignFault.notSQLite }
    let header = try beginning(file)
    guard header.count == 100, header.starts(with: magic) else { throw ForeignFault.notSQLite }
    return (header, status)
  }

  /// Whether a journal must be rolled back. The journal of a finished transaction is empty or begins with zeros.
  private static func isHot(_ journal: String) throws -> Bool {
    guard try Path.statusFollowing(journal) != nil else { return false }
    return try beginning(File(journal)).first.map { $0 != 0 } ?? false
  }

  // MARK: - Tables

  private static func authorize(_ action: Int32, _ first: UnsafePointer<CChar>?) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_READ: SQLITE_OK
    case SQLITE_PRAGMA:
      ["table_xinfo", "index_list"].contains(first.map { String(cString: $0) }) ? SQLITE_OK : SQLITE_DENY
    default: SQLITE_DENY
    }
  }

  /// The suffixes of the shadow tables that SQLite's modules create for virtual tables.
  private static let shadows = [
    "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "rowid", "parent", "vocab",
  ]

  private static func tables(_ connection: Connection) throws -> (tables: [ForeignTable], leftOut: [String]) {
    var names: [String] = []
    var virtual: [String] = []
    let statement = try Statement(
      connection, "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'")
    while try statement.step() {
      guard let name = String(validating: statement.utf8(0), as: UTF8.self), !name.utf8.contains(0) else {
        throw ForeignFault.badName
      }
      if statement.int(1) == 0 { virtual.append(name) } else { names.append(name) }
    }
    let hidden = Set(virtual.flatMap { name in shadows.map { SQLName("\(name)_\($0)") } })
    names.removeAll { SQLName($0).hasPrefix("sqlite_") || hidden.contains(SQLName($0)) }
    return (try names.map { try table($0, connection) }, virtual)
  }

  private static func table(_ name: String, _ connection: Connection) throws -> ForeignTable {
    var table = ForeignTable(name: name, columns: [], computed: [])
    let statement = try Statement(connection, "PRAGMA main.table_xinfo(\(SQLText.quoted(name)))")
    while try statement.step() {
      guard let column = String(validating: statement.utf8(1), as: UTF8.self) else { throw ForeignFault.badName }
      let keyPlace = statement.int(5)
      switch statement.int(6) {
      case 0, 3:
        table.columns.append(
          ForeignTable.Column(
            name: column, declared: String(decoding: statement.utf8(2), as: UTF8.self),
            keyPlace: keyPlace > 0 ? keyPlace : nil,
            hasDefault: !statement.isNull(4)))
      default: table.computed.append(column)
      }
    }
    return table
  }
}

private final class Watch {
  var query = QueryWatch()
  private(set) var isOver = false

  func mayGoOn() -> Bool {
    if !isOver { isOver = query.limit() != nil }
    return !isOver
  }
}

extension StoreError {
  var ofForeignFile: any Error {
    switch self {
    case .damaged(let words), .io(let words), .defect(let words): ForeignFault.unreadable(words)
    case .busy, .locked: ForeignFault.busy
    case .system(let error): error
    default: self
    }
  }
}

final class SQLiteRows: ForeignRows {
  private let file: SQLiteFile
  private let statement: Statement
  private let hasDefault: [Bool]
  private var converted = ByteWriter(capacity: 1 << 8)

  /// The minimum size of a row in a file, in bytes.
  private static let leastRow: Int64 = 4

  /// The result column with the row number, which must increase from row to row.
  private let number: Int32?
  private var last: Int64?

  init(_ file: SQLiteFile, _ table: ForeignTable) throws(StoreError) {
    self.file = file
    hasDefault = table.columns.map(\.hasDefault)
    let columns = table.columns.map { SQLText.quoted($0.name) }.joined(separator: ", ")
    // The rows are not read through an index, because an index could disagree with its table.
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

  /// Returns the primary key index of a table without row numbers. Such a table is stored in that index, and NOT
  /// INDEXED does not rule out other indexes of such a table.
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

  /// Limits the bytes in rows to the size of the file, because pages that refer back would yield endless rows.
  private func count(_ bytes: Int64) throws {
    file.read += bytes
    guard file.read <= file.size else { throw ForeignFault.endless }
  }

  /// Converts the stored bytes to UTF-8. SQLite is not used for this, because it silently replaces invalid Unicode.
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
