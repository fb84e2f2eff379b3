import CSQLite
import SeaCore

/// Converts record values to SQL values (see the table in sea-query(7)).
enum QueryResult {
  /// SQLite's subtype for JSON text.
  static let json: UInt32 = 74

  static func null(_ context: OpaquePointer?) { sqlite3_result_null(context) }

  static func text(_ context: OpaquePointer?, _ text: String) {
    var text = text
    text.withUTF8 { Self.text(context, $0) }
  }

  static func text(_ context: OpaquePointer?, _ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress, !text.isEmpty else { return sqlite3_result_text(context, "", 0, nil) }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      sqlite3_result_text(context, $0, Int32(text.count), sea_sqlite_transient())
    }
  }

  /// Returns the value at the cursor to SQLite.
  /// - Parameter isExact: whether to convert a number to a string with all of its digits.
  static func value(_ context: OpaquePointer?, _ cursor: CBORCursor, isExact: Bool) throws(CoreError) {
    var cursor = cursor
    guard cursor.offset < cursor.end else { throw cursor.fail(.truncated) }
    let start = cursor.offset
    let lead = cursor.base[start]
    switch lead >> 5 {
    case 0 where !isExact, 1 where !isExact:
      let head = try cursor.head()
      if head.value <= UInt64(Int64.max) {
        let number = Int64(head.value)
        return sqlite3_result_int64(context, head.major == 0 ? number : -1 - number)
      }
    case 2:
      let data = try cursor.data()
      guard let base = data.baseAddress, !data.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
      return sqlite3_result_blob(context, base, Int32(data.count), sea_sqlite_transient())
    case 3: return text(context, try cursor.run(cursor.expect(3)))
    case 5 where cursor.enterReference(): return text(context, try cursor.run(cursor.expect(3)))
    default: break
    }
    cursor.offset = start
    if lead >> 5 == 4 || (lead >> 5 == 5 && StoredValue.isDictionary(cursor)) { return try json(context, cursor) }
    try cursor.skipValue()
    let bytes = UnsafeBufferPointer(start: cursor.base + start, count: cursor.offset - start)
    try value(context, Value.decode(value: bytes), isExact: isExact)
  }

  private static func json(_ context: OpaquePointer?, _ cursor: CBORCursor) throws(CoreError) {
    var cursor = cursor
    var writer = ByteWriter(capacity: 256)
    try PlainJSON.write(&cursor, into: &writer)
    text(context, writer.bytes)
    sqlite3_result_subtype(context, json)
  }

  private static func value(_ context: OpaquePointer?, _ value: Value, isExact: Bool) throws(CoreError) {
    if isExact, let digits = exact(value) { return text(context, digits) }
    switch value {
    case .null: null(context)
    case .bool(let flag): sqlite3_result_int(context, flag ? 1 : 0)
    case .integer(let number): sqlite3_result_int64(context, number)
    case .double(let number): sqlite3_result_double(context, number)
    case .bigInteger, .decimal: sqlite3_result_double(context, exact(value).flatMap { Double($0) } ?? 0)
    case .counter(let counter):
      if let number = Int64(exactly: counter.value) {
        sqlite3_result_int64(context, number)
      } else {
        sqlite3_result_double(context, Double(counter.value))
      }
    case .string(let string): text(context, string)
    case .date(let time): text(context, PlainJSON.sortable(time))
    case .day(let day): text(context, CalendarDay.text(day))
    case .reference(let id, _): text(context, id)
    case .labeled(let inner, _): try Self.value(context, inner, isExact: isExact)
    case .data(let data):
      data.withUnsafeBytes { sqlite3_result_blob(context, $0.baseAddress, Int32($0.count), sea_sqlite_transient()) }
    case .array, .packed, .dictionary, .set, .asset, .counterDraft, .setDraft:
      var writer = ByteWriter(capacity: 256)
      PlainJSON.write(value, into: &writer)
      text(context, writer.bytes)
      sqlite3_result_subtype(context, json)
    }
  }

  /// Returns all digits of a number; nil for other values.
  static func exact(_ value: Value) -> String? {
    switch value.unlabeled {
    case .integer(let number): return String(number)
    case .counter(let counter): return String(counter.value)
    case .bigInteger, .decimal, .double:
      var writer = ByteWriter(capacity: 64)
      PlainJSON.write(value.unlabeled, into: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    default: return nil
    }
  }
}
