import CSQLite
import SeaCore
import SeaSystem

/// Writes a SQLite file for other programs. The file has no journal, so the caller must delete it after a failure.
package final class SQLiteWriter: ForeignWriter {
  private let path: String
  private let connection: Connection
  private var rows: [Statement] = []

  /// - Parameter path: the path of an empty file that no other process uses.
  package init(_ path: String) throws {
    self.path = path
    connection = try Connection(FileAddress.text(path), flags: SQLITE_OPEN_READWRITE)
    try connection.execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-8192; BEGIN")
  }

  package func add(table: String, _ columns: [(name: String, declared: String)]) throws -> Int {
    let all = columns.enumerated().map { k, column in
      "\n  \(SQLText.quoted(column.name)) \(column.declared)" + (k == 0 ? " PRIMARY KEY NOT NULL" : "")
    }
    let name = SQLText.quoted(table)
    try connection.execute("CREATE TABLE \(name)(\(all.joined(separator: ","))\n) WITHOUT ROWID")
    let places = columns.map { _ in "?" }.joined(separator: ",")
    rows.append(try Statement(connection, "INSERT INTO \(name) VALUES(\(places))"))
    return rows.count - 1
  }

  package func set(_ table: Int, _ column: Int, _ cell: ForeignCell) {
    let (row, index) = (rows[table], Int32(column + 1))
    switch cell {
    case .null: break
    case .integer(let number): row.bind(index, number as Int64?)
    case .double(let number): row.bind(index, double: number)
    case .text(let text): row.bind(index, copyOf: text)
    case .data(let data): row.bind(index, copy: Array(data))
    }
  }

  package func insert(_ table: Int) throws {
    try writing { () throws(StoreError) in try rows[table].run() }
    rows[table].clear()
  }

  package func end() throws {
    rows = []
    try writing { () throws(StoreError) in try connection.execute("COMMIT") }
    connection.close()
  }

  private func writing(_ body: () throws(StoreError) -> Void) throws {
    do { try body() } catch .full { throw SystemError.noSpace(path) }
  }
}
