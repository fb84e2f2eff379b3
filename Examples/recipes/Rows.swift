import CSQLite

/// A store of Core Data: each entity has a table `ZNAME` with `Z_PK` and its attributes as `ZATTRIBUTE`.
struct ZStore {
  struct Failure: Error { let message: String }

  /// A row: its columns by name.
  struct Row {
    let texts: [String: String]
    var key: String { texts["Z_PK"] ?? "0" }
    subscript(name: String) -> String? { texts[name] }
    func int(_ name: String) -> Int? { texts[name].flatMap { Int($0) } }
    /// Core Data counts seconds from 2001.
    func milliseconds(_ name: String) -> Int64? {
      texts[name].flatMap { Double($0) }.map { Int64(($0 + 978_307_200) * 1000) }
    }
  }

  private let connection: OpaquePointer

  /// Opens the store read-only.
  init(_ path: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY, nil) == SQLITE_OK, let opened else {
      throw Failure(message: "\(path) cannot be opened")
    }
    connection = opened
  }

  /// Returns the rows of a table, ordered by a column.
  func rows(_ table: String, by order: String = "Z_PK") throws -> [Row] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, "SELECT * FROM \(table) ORDER BY \(order)", -1, &statement, nil) == SQLITE_OK
    else { throw Failure(message: String(cString: sqlite3_errmsg(connection))) }
    defer { sqlite3_finalize(statement) }
    var rows: [Row] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var texts: [String: String] = [:]
      for column in 0..<sqlite3_column_count(statement) {
        guard let text = sqlite3_column_text(statement, column) else { continue }
        texts[String(cString: sqlite3_column_name(statement, column))] = String(cString: text)
      }
      rows.append(Row(texts: texts))
    }
    return rows
  }
}
