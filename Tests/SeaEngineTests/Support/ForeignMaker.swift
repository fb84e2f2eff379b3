import CSQLite
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Makes SQLite files as other programs do, and damages them.
struct ForeignMaker {
  final class Connection {
    let handle: OpaquePointer

    init(_ path: String) throws {
      var handle: OpaquePointer?
      #expect(sqlite3_open(path, &handle) == SQLITE_OK)
      self.handle = try #require(handle)
    }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String) {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      #expect(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
    }
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  func path(_ name: String = "a.db") -> String { Path.join(folder.path, name) }

  /// Makes a file and closes it.
  func made(_ sql: String..., name: String = "a.db") throws -> String {
    let connection = try Connection(path(name))
    for one in sql { connection.run(one) }
    return path(name)
  }

  func bytes(_ path: String) throws -> [UInt8] { try #require(try File(path).readAll(limit: 1 << 26)) }

  func edit(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try bytes(path)
    change(&bytes)
    try AtomicFile.write(path, bytes, replace: true)
  }

  func names() throws -> Set<String> { Set(try Directory(folder.path).list().entries.map(\.name)) }

  /// The rows of a table as text, cells with their kinds.
  func rows(_ file: any ForeignFile, _ name: String? = nil) throws -> [[String]] {
    let table = try #require(name.map { name in file.tables.first { $0.name == name } } ?? file.tables.first)
    let rows = try file.rows(of: table)
    var found: [[String]] = []
    while try rows.next() {
      found.append(
        try table.columns.indices.map { k in
          switch try rows.cell(k) {
          case .null: "null"
          case .integer(let number): "i\(number)"
          case .double(let number): "d\(number)"
          case .text(let text): "t" + String(decoding: text, as: UTF8.self)
          case .data(let data): "x" + Hex.text(Array(data))
          }
        })
    }
    try file.end()
    return found
  }

  func read(_ path: String, _ name: String? = nil) throws -> [[String]] { try rows(ForeignFiles.open(path), name) }
}
