import CSQLite
import SeaCore

package final class QueryStatement: QueryRow {
  private let engine: QueryEngine
  private let database: OpaquePointer
  private let statement: OpaquePointer

  init(_ engine: QueryEngine, _ database: OpaquePointer, _ statement: OpaquePointer) {
    self.engine = engine
    self.database = database
    self.statement = statement
  }

  deinit { sqlite3_finalize(statement) }

  func bind(_ values: [(name: String, value: QueryValue)]) throws {
    let count = sqlite3_bind_parameter_count(statement)
    let known = Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    var used: Set<String> = []
    for index in 0..<count {
      guard let text = sqlite3_bind_parameter_name(statement, index + 1) else {
        throw QueryFault.missingParameter("?")
      }
      let name = String(String(cString: text).dropFirst())
      guard let value = known[name] else {
        let asked = (0..<count).compactMap {
          sqlite3_bind_parameter_name(statement, $0 + 1).map { String(cString: $0) }
        }
        let given = values.first { one in !asked.contains { UTF8Text.equal(String($0.dropFirst()), one.name) } }
        throw QueryFault.missingParameter(name, given: given?.name)
      }
      used.insert(name)
      try bind(index + 1, value)
    }
    if let other = values.first(where: { !used.contains($0.name) }) { throw QueryFault.unusedParameter(other.name) }
  }

  private func bind(_ index: Int32, _ value: QueryValue) throws {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .double(let number): sqlite3_bind_double(statement, index, number)
    case .digits(let text): throw QueryFault.tooManyDigits(text)
    case .text(var text), .json(var text):
      text.withUTF8 { bytes in
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
          sqlite3_bind_text(statement, index, "", 0, sea_sqlite_static())
          return
        }
        base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          _ = sqlite3_bind_text(statement, index, $0, Int32(bytes.count), sea_sqlite_transient())
        }
      }
    case .data(let data):
      data.withUnsafeBytes {
        _ = sqlite3_bind_blob(
          statement, index, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), Int32($0.count), sea_sqlite_transient())
      }
    }
  }

  package var columnCount: Int { Int(sqlite3_column_count(statement)) }

  package lazy var columns: [String] = {
    let names = (0..<columnCount).map { k in
      var name = sqlite3_column_name(statement, Int32(k)).map { String(cString: $0) } ?? ""
      for (new, old) in replaced { name = name.replacing(every: new, by: old) }
      return name
    }
    var used = Set(names.map { Array($0.utf8) })
    var seen: [[UInt8]: Int] = [:]
    return names.map { name in
      let before = seen[Array(name.utf8)]
      guard var number = before else {
        seen[Array(name.utf8)] = 0
        return name
      }
      repeat { number += 1 } while !used.insert(Array("\(name):\(number)".utf8)).inserted
      seen[Array(name.utf8)] = number
      return "\(name):\(number)"
    }
  }()

  var replaced: [(new: String, old: String)] = []

  package func step() throws -> Bool {
    let (code, isRefused) = QueryMemory.bounded(most: engine.watch.memoryLimit) { sqlite3_step(statement) }
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      sqlite3_reset(statement)
      return false
    }
    let message = String(cString: sqlite3_errmsg(database))
    sqlite3_reset(statement)
    let failure = engine.removeFailure()
    if isRefused { throw QueryFault.tooMuch(.memory) }
    if let failure { throw failure }
    switch code & 0xFF {
    case SQLITE_NOMEM: throw QueryFault.tooMuch(.systemMemory)
    case SQLITE_TOOBIG: throw QueryFault.tooMuch(.length)
    case SQLITE_FULL: throw StoreError.full
    case SQLITE_IOERR: throw StoreError.io(message)
    default:
      throw message.hasPrefix("unable to use function MATCH") ? engine.badMatch : .failed(message)
    }
  }

  /// Returns the bytes in the column, valid until the next step.
  package func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(statement, Int32(column))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: Int(sqlite3_column_bytes(statement, Int32(column))))
  }

  package func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  package func value(_ column: Int) -> QueryValue {
    let index = Int32(column)
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      let text = String(decoding: bytes(column), as: UTF8.self)
      let isJSON = sqlite3_value_subtype(sqlite3_column_value(statement, index)) == QueryResult.json
      return isJSON || isJSONColumn(column) ? .json(text) : .text(text)
    case SQLITE_BLOB: return .data(Array(bytes(column)))
    default: return .null
    }
  }

  private lazy var jsonColumns: [Bool] = (0..<columnCount).map { k in
    guard let table = sqlite3_column_table_name(statement, Int32(k)),
      let column = sqlite3_column_origin_name(statement, Int32(k))
    else { return false }
    return engine.isJSON(String(cString: table), String(cString: column))
  }

  /// Whether the result column contains only JSON. SQLite loses the subtypes of values when it sorts rows.
  private func isJSONColumn(_ column: Int) -> Bool { jsonColumns[column] }
}
