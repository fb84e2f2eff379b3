import CSQLite
import SeaCore

/// The functions that queries can use in addition to those of SQLite (sea-query(7)).
final class QueryFunctions {
  private let records: RecordTable
  private let source: QuerySource
  private let rows: QueryRows
  private var lastID: [UInt8]?
  private var patterns: [String: LinearPattern] = [:]
  private unowned var engine: QueryEngine?

  init(_ records: RecordTable, _ source: QuerySource) throws(StoreError) {
    self.records = records
    self.source = source
    rows = try QueryRows(records, source)
  }

  private typealias Body = (QueryFunctions, OpaquePointer?, [OpaquePointer?]) throws -> Void

  private final class Entry {
    unowned let functions: QueryFunctions
    let body: Body

    init(_ functions: QueryFunctions, _ body: @escaping Body) {
      self.functions = functions
      self.body = body
    }
  }

  func register(_ engine: QueryEngine, _ database: OpaquePointer) throws(StoreError) {
    self.engine = engine
    func add(_ name: String, _ count: Int32, _ body: @escaping Body) throws(StoreError) {
      let entry = Unmanaged.passRetained(Entry(self, body)).toOpaque()
      let code = sqlite3_create_function_v2(
        database, name, count, SQLITE_UTF8, entry, QueryFunctions.call, nil, nil,
        { Unmanaged<Entry>.fromOpaque($0!).release() })
      guard code == SQLITE_OK else { throw .defect(name) }
    }
    try add("has", 2) { me, context, values in try me.has(context, values) }
    try add("prop", 2) { me, context, values in
      try me.property(context, values) { cursor in
        try QueryResult.value(context, cursor, isExact: false)
      }
    }
    try add("label", 2) { me, context, values in
      try me.property(context, values) { cursor in
        var end = cursor
        try end.skipValue()
        let bytes = UnsafeBufferPointer(start: cursor.base + cursor.offset, count: end.offset - cursor.offset)
        let label = try Value.decode(value: bytes).semanticType
        if let label { QueryResult.text(context, label) } else { QueryResult.null(context) }
      }
    }
    try add("kind", 2) { me, context, values in
      try me.property(context, values) { cursor in
        let kind = try cursor.offset < cursor.end && cursor.base[cursor.offset] != 0xF6 ? cursor.kind() : nil
        if let kind { QueryResult.text(context, ValueClass(kind).word) } else { QueryResult.null(context) }
      }
    }
    try add("refers", 2) { me, context, values in try me.refers(context, values) }
    try add("dangling", 1) { me, context, values in try me.dangling(context, values) }
    try add("exact", 1) { me, context, values in try me.exact(context, values) }
    try add("decimal_cmp", 2) { me, context, values in try me.compare(context, values) }
    for name in ["decimal_add", "decimal_sub", "decimal_mul", "decimal_round"] {
      try add(name, 2) { me, context, values in try DecimalFunction.call(name, context, values) }
    }
    try add("regexp", 2) { me, context, values in try me.matches(context, values) }
    try add("ago", 1) { me, context, values in try me.ago(context, values) }
    try add("now", 0) { me, context, _ in QueryResult.text(context, PlainJSON.sortable(me.source.now)) }
    try add("snippet", -1) { me, context, values in try me.text(context, values) { try $0.snippet($1) } }
    try add("rank", 1) { me, context, values in try me.text(context, values) { found, _ in try found.rank() } }
    let sum = Unmanaged.passRetained(Entry(self) { _, _, _ in }).toOpaque()
    let code = sqlite3_create_function_v2(
      database, "decimal_sum", 1, SQLITE_UTF8, sum, nil, QueryFunctions.addUp, QueryFunctions.sumUp,
      { Unmanaged<Entry>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else { throw .defect("decimal_sum") }
  }

  private static let call: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    context, count, values in
    let entry = Unmanaged<Entry>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
    do {
      try entry.body(entry.functions, context, (0..<Int(count)).map { values![$0] })
    } catch {
      entry.functions.engine?.recordFailure(error)
      sqlite3_result_error(context, "", 0)
    }
  }

  // MARK: - Arguments

  static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
  }

  static func text(_ value: OpaquePointer?) -> String? {
    sqlite3_value_type(value) == SQLITE_NULL ? nil : String(decoding: bytes(value), as: UTF8.self)
  }

  private static func value(_ value: OpaquePointer?) -> QueryValue {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: .double(sqlite3_value_double(value))
    case SQLITE_TEXT:
      sqlite3_value_subtype(value) == QueryResult.json
        ? .json(String(decoding: bytes(value), as: UTF8.self)) : .text(String(decoding: bytes(value), as: UTF8.self))
    case SQLITE_BLOB: .data(Array(bytes(value)))
    default: .null
    }
  }

  static func number(_ value: QueryValue) -> Value {
    if case .double(let number) = value, number.isFinite { return .double(number) }
    return .null
  }

  // MARK: - Records

  private func has(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard sqlite3_value_type(values[0]) == SQLITE_TEXT else { return sqlite3_result_int(context, 0) }
    let found = JSONElements.contain(QueryFunctions.value(values[1]), in: QueryFunctions.bytes(values[0]))
    sqlite3_result_int(context, found == true ? 1 : 0)
  }

  private func seek(_ id: OpaquePointer?) throws -> Bool {
    guard sqlite3_value_type(id) == SQLITE_TEXT else { return false }
    let bytes = QueryFunctions.bytes(id)
    if lastID.map({ $0.elementsEqual(bytes) }) != true {
      try rows.start(.id(bytes), allowed: nil)
      lastID = Array(bytes)
    }
    return rows.hasRow
  }

  /// Passes the value at a path in a record to `show`. If there is no such value, the result is NULL.
  private func property(
    _ context: OpaquePointer?, _ values: [OpaquePointer?], _ show: (CBORCursor) throws -> Void
  ) throws {
    guard let text = QueryFunctions.text(values[1]) else { return QueryResult.null(context) }
    let path: PropertyPath
    do throws(CoreError) { path = try PropertyPath(text) } catch { throw QueryFault.failed("invalid path '\(text)'") }
    guard try seek(values[0]), let body = try rows.body(), let range = try path.find(in: body) else {
      return QueryResult.null(context)
    }
    try show(CBORCursor(body, at: range.lowerBound))
  }

  private func refers(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    let find = try records.connection.statement(
      "SELECT 1 FROM record r JOIN reference f ON f.record = r.key WHERE r.id = ? AND f.target = ?")
    defer { find.reset() }
    find.bind(1, text: QueryFunctions.bytes(values[0])).bind(2, text: QueryFunctions.bytes(values[1]))
    sqlite3_result_int(context, try find.step() ? 1 : 0)
  }

  private func dangling(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    let find = try records.connection.statement(
      """
      SELECT 1 FROM record r JOIN reference f ON f.record = r.key
      WHERE r.id = ? AND NOT EXISTS(SELECT 1 FROM record t WHERE t.id = f.target AND t.live > 0)
      """)
    defer { find.reset() }
    find.bind(1, text: QueryFunctions.bytes(values[0]))
    sqlite3_result_int(context, try find.step() ? 1 : 0)
  }

  /// Passes the match that `MATCH` found, along with its words, to `body`, for `snippet` and `rank`.
  private func text(
    _ context: OpaquePointer?, _ values: [OpaquePointer?],
    _ body: (FoundText, [String]) throws -> QueryValue
  ) throws {
    guard let found = FoundText.handed(values.first ?? nil) else {
      throw QueryFault.failed("snippet and rank need MATCH on the same text index in the query")
    }
    switch try body(found, values.dropFirst().map { QueryFunctions.text($0) ?? "" }) {
    case .double(let number): sqlite3_result_double(context, number)
    case .text(let text): QueryResult.text(context, text)
    default: QueryResult.null(context)
    }
  }

  // MARK: - Numbers

  /// Parses a number, keeping all of its digits. Returns nil for NULL.
  static func decimal(_ value: OpaquePointer?, of function: String) throws -> Decimal? {
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER: return Decimal(exponent: 0, mantissa: BigInteger(sqlite3_value_int64(value)))
    case SQLITE_TEXT:
      let text = String(decoding: bytes(value), as: UTF8.self)
      let isPlain = text.utf8.allSatisfy { $0 &- 0x30 < 10 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
      if isPlain, case .decimal(let decimal)? = try? Value.json("{\"$decimal\":\"\(text)\"}") { return decimal }
      throw QueryFault.failed("\(function): '\(text.prefix(40))' is not a number")
    default: throw QueryFault.notExact(function)
    }
  }

  private func exact(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    switch sqlite3_value_type(values[0]) {
    case SQLITE_NULL: QueryResult.null(context)
    case SQLITE_INTEGER, SQLITE_TEXT: QueryResult.text(context, QueryFunctions.bytes(values[0]))
    default: throw QueryFault.notExact("exact")
    }
  }

  private func compare(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard let a = try QueryFunctions.decimal(values[0], of: "decimal_cmp"),
      let b = try QueryFunctions.decimal(values[1], of: "decimal_cmp"),
      let order = Value.compareNumbers(.decimal(a), .decimal(b))
    else { return QueryResult.null(context) }
    sqlite3_result_int(context, Int32(order.signum()))
  }

  private final class Sum { var sum = DecimalSum() }

  private static let addUp: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    context, _, values in
    let entry = Unmanaged<Entry>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
    guard let place = sqlite3_aggregate_context(context, 8) else { return sqlite3_result_error_nomem(context) }
    let slot = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if slot.pointee == nil { slot.pointee = Unmanaged.passRetained(Sum()).toOpaque() }
    let sum = Unmanaged<Sum>.fromOpaque(slot.pointee!).takeUnretainedValue()
    do {
      if let decimal = try decimal(values![0], of: "decimal_sum") { sum.sum.add(decimal) }
    } catch {
      entry.functions.engine?.recordFailure(error)
      sqlite3_result_error(context, "", 0)
    }
  }

  private static let sumUp: @convention(c) (OpaquePointer?) -> Void = { context in
    let place = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    guard let kept = place?.pointee else { return QueryResult.null(context) }
    let sum = Unmanaged<Sum>.fromOpaque(kept).takeRetainedValue().sum
    place!.pointee = nil
    if sum.isEmpty { return QueryResult.null(context) }
    guard let value = sum.value else { return sqlite3_result_error_toobig(context) }
    QueryResult.text(context, value.description)
  }

  // MARK: - Text and time

  private func matches(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard let pattern = QueryFunctions.text(values[0]), sqlite3_value_type(values[1]) != SQLITE_NULL else {
      return QueryResult.null(context)
    }
    var compiled = patterns[pattern]
    if compiled == nil {
      let made: LinearPattern
      do throws(PatternFault) { made = try LinearPattern(pattern) } catch {
        throw QueryFault.badPattern(pattern, error)
      }
      if patterns.count >= 64 { patterns.removeAll() }
      patterns[pattern] = made
      compiled = made
    }
    let isFound = try compiled!.matches(QueryFunctions.bytes(values[1])) { try engine?.checkLimits() }
    sqlite3_result_int(context, isFound ? 1 : 0)
  }

  private func ago(_ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard let text = QueryFunctions.text(values[0]) else { return QueryResult.null(context) }
    guard let age = source.age(text) else {
      throw QueryFault.failed("ago: invalid duration '\(text)': expected, for example, 90m, 7d or 1w")
    }
    QueryResult.text(context, PlainJSON.sortable(Instant.clamped(source.now - age)))
  }
}

/// Exact decimal arithmetic (sea-query(7)). Results are strings that contain all digits.
enum DecimalFunction {
  static func call(_ name: String, _ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard let a = try QueryFunctions.decimal(values[0], of: name),
      let b = try QueryFunctions.decimal(values[1], of: name)
    else { return QueryResult.null(context) }
    let result: Decimal?
    switch name {
    case "decimal_add": result = a.adding(b)
    case "decimal_sub": result = a.adding(b.negated)
    case "decimal_mul": result = a.multiplied(by: b)
    default:
      guard let places = Int(b.exponent == 0 ? b.description : ""), places.magnitude <= BigInteger.maxDigits else {
        throw QueryFault.failed("decimal_round: the second argument is not a number of decimal places")
      }
      result = a.rounded(places: places)
    }
    guard let result else { throw QueryFault.failed("\(name): the result has too many digits") }
    QueryResult.text(context, result.description)
  }
}

/// Tests whether a value is an element of a JSON array or a key of a JSON object. The text normally comes from SQLite
/// or `PlainJSON`. Invalid JSON is treated as containing nothing.
struct JSONElements {
  private let text: UnsafeBufferPointer<UInt8>
  private var k = 0

  private init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// - Returns: nil if the text is neither an array nor an object.
  static func contain(_ value: QueryValue, in text: UnsafeBufferPointer<UInt8>) -> Bool? {
    var elements = JSONElements(text)
    switch elements.next {
    case UInt8(ascii: "["): return elements.find(value, isObject: false)
    case UInt8(ascii: "{"): return elements.find(value, isObject: true)
    default: return nil
    }
  }

  private var next: UInt8 {
    mutating get {
      while k < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[k]) { k += 1 }
      return k < text.count ? text[k] : 0
    }
  }

  private mutating func find(_ value: QueryValue, isObject: Bool) -> Bool {
    k += 1
    while next != 0, next != UInt8(ascii: "]"), next != UInt8(ascii: "}") {
      if isMatch(value, element()) { return true }
      if isObject, next == UInt8(ascii: ":") {
        k += 1
        _ = element()
      }
      guard next == UInt8(ascii: ",") else { break }
      k += 1
    }
    return false
  }

  private mutating func element() -> UnsafeBufferPointer<UInt8> {
    _ = next
    let start = k
    var depth = 0
    loop: while k < text.count {
      switch text[k] {
      case UInt8(ascii: "\""):
        k += 1
        while k < text.count, text[k] != UInt8(ascii: "\"") { k += text[k] == UInt8(ascii: "\\") ? 2 : 1 }
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { break loop }
        depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { break loop }
      default: break
      }
      k += 1
    }
    k = min(k, text.count)
    return UnsafeBufferPointer(rebasing: text[start..<k])
  }

  private func isMatch(_ value: QueryValue, _ element: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = element.first else { return false }
    switch value {
    case .text(let text):
      guard first == UInt8(ascii: "\"") else { return false }
      guard element.contains(UInt8(ascii: "\\")) else {
        return text.utf8.elementsEqual(element.dropFirst().dropLast())
      }
      guard case .string(let plain)? = try? Value.json(String(decoding: element, as: UTF8.self)) else { return false }
      return plain == text
    case .json(let text): return text.utf8.elementsEqual(element)
    case .integer, .double:
      if element.elementsEqual("true".utf8) { return value == .integer(1) }
      if element.elementsEqual("false".utf8) { return value == .integer(0) }
      guard let a = try? Value.json(String(decoding: element, as: UTF8.self)) else { return false }
      let b: Value = if case .integer(let number) = value { .integer(number) } else { QueryFunctions.number(value) }
      return Value.compareNumbers(a, b) == 0
    case .null: return element.elementsEqual("null".utf8)
    case .data, .digits: return false
    }
  }
}
