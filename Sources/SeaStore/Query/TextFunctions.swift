import CSQLite
import SeaCore

/// The collation and the functions of SQLite that depend on case, for all letters instead of only those of ASCII.
///
/// SQLite uses an index for `LIKE` only with its own function, so no index that sorts differently can hide a match.
enum TextFunctions {
  static func register(_ engine: QueryEngine, _ database: OpaquePointer) throws(StoreError) {
    let code = sqlite3_create_collation_v2(database, "NOCASE", SQLITE_UTF8, nil, compare, nil)
    guard code == SQLITE_OK else { throw .defect("NOCASE") }
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    let me = Unmanaged.passUnretained(engine).toOpaque()
    for (name, count, function) in [("like", 2, like), ("like", 3, like), ("lower", 1, lower), ("upper", 1, upper)] {
      let code = sqlite3_create_function_v2(database, name, Int32(count), flags, me, function, nil, nil, nil)
      guard code == SQLITE_OK else { throw .defect(name) }
    }
  }

  private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static let compare:
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32 = {
      _, countA, a, countB, b in
      func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(count))
      }
      return Int32(Collation.compare(bytes(a, countA), bytes(b, countB)))
    }

  private static let like: Function = { context, count, values in
    guard let values, (0..<Int(count)).allSatisfy({ sqlite3_value_type(values[$0]) != SQLITE_NULL }) else { return }
    let pattern = QueryFunctions.bytes(values[0])
    // Without a limit, a pattern could need the square of the length of the text.
    let most = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1)
    guard pattern.count <= Int(most) else {
      return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1)
    }
    var escape: UInt32?
    if count == 3 {
      let text = String(decoding: QueryFunctions.bytes(values[2]), as: UTF8.self).unicodeScalars
      guard text.count == 1 else {
        return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1)
      }
      escape = text.first?.value
    }
    let engine = Unmanaged<QueryEngine>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
    do {
      let isMatch = try Collation.matches(QueryFunctions.bytes(values[1]), like: pattern, escape: escape) {
        try engine.checkLimits()
      }
      sqlite3_result_int(context, isMatch ? 1 : 0)
    } catch {
      engine.recordFailure(error)
      sqlite3_result_error(context, "", 0)
    }
  }

  private static let lower: Function = { context, _, values in convert(context, values, first: 0x41) { $0.lowercased() }
  }
  private static let upper: Function = { context, _, values in convert(context, values, first: 0x61) { $0.uppercased() }
  }

  /// - Parameter first: the first of the 26 ASCII letters to convert.
  private static func convert(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?, first: UInt8,
    _ other: (String) -> String
  ) {
    guard let value = values?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
    let text = QueryFunctions.bytes(value)
    guard text.allSatisfy({ $0 < 0x80 }) else {
      return QueryResult.text(context, other(String(decoding: text, as: UTF8.self)))
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { converted in
      for (k, byte) in text.enumerated() { converted[k] = byte &- first < 26 ? byte ^ 0x20 : byte }
      QueryResult.text(context, UnsafeBufferPointer(converted))
    }
  }
}
