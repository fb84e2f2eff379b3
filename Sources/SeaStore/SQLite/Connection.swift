import CSQLite
import SeaCore
import SeaSystem

final class Connection {
  let handle: OpaquePointer
  var state = TransactionState()
  var isInTransaction = false
  /// The point in time whose state the temporary tables contain. These tables hide the projection's tables.
  var past: Moment?
  /// Whether SQLite writes temporary files into the database's folder.
  var spillsIntoFolder = false
  /// Whether blocks are encrypted; nil until the value has been read.
  var knownSealed: Bool?
  /// The cache, in which recently used statements are near the front. A linear search through a few dozen statements is
  /// cheap, whereas a dictionary type's runtime metadata would cost a short command more than all lookups.
  private var statements: [Statement] = []

  private static let start: Void = {
    sea_sqlite_start()
    QueryMemory.install()
  }()

  private let path: String

  init(_ path: String, flags: Int32) throws(StoreError) {
    _ = Connection.start
    self.path = path
    var opened: OpaquePointer?
    sea_sqlite_forget_errno()
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let failed = sea_sqlite_disk_failed() != 0
      sqlite3_close_v2(opened)
      if failed { throw .system(.diskFailure(path)) }
      throw StoreError(code, "\(path): \(message)")
    }
    // After a disk failure, SQLite falls back to read-only access.
    if flags & SQLITE_OPEN_READWRITE != 0, sea_sqlite_disk_failed() != 0, sqlite3_db_readonly(opened, "main") == 1 {
      sqlite3_close_v2(opened)
      throw .system(.diskFailure(path))
    }
    handle = opened
    _ = sea_sqlite_defensive(opened)
    sqlite3_busy_timeout(opened, 10_000)
  }

  deinit { close() }

  private(set) var isClosed = false

  func close() {
    guard !isClosed else { return }
    isClosed = true
    statements.removeAll()
    sqlite3_close_v2(handle)
    if spillsIntoFolder { SpillFolder.release() }
  }

  /// Leaves the memory and the files of the connection to the end of the process.
  func leave() {
    if spillsIntoFolder { SpillFolder.release() }
    spillsIntoFolder = false
    _ = Unmanaged.passRetained(self)
  }

  /// Whether the disk has failed. SQLite does not report the failure if it can still open the file read-only.
  private var hasFailed = false

  func failure(_ code: Int32) -> StoreError {
    if sea_sqlite_disk_failed() != 0 || hasFailed && code & 0xFF == SQLITE_READONLY {
      return .system(.diskFailure(path))
    }
    if code & 0xFF == SQLITE_IOERR, case let error = SystemError(call: "write", errno: sea_sqlite_errno(), path: path),
      error.isFileTooLarge
    {
      return .system(error)
    }
    return StoreError(code, String(cString: sqlite3_errmsg(handle)))
  }

  fileprivate func recordFailure() { if sea_sqlite_disk_failed() != 0 { hasFailed = true } }

  /// Whether the last failure was due to the shared memory that a write-ahead log needs.
  var cannotShareMemory: Bool {
    // SQLITE_IOERR_SHMOPEN, SHMSIZE, SHMLOCK and SHMMAP are macros that Swift cannot import.
    [18, 19, 20, 21].contains { sqlite3_extended_errcode(handle) == SQLITE_IOERR | $0 << 8 }
  }

  func execute(_ sql: String) throws(StoreError) {
    sea_sqlite_forget_errno()
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    recordFailure()
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Returns the prepared statement for a literal. The connection caches it.
  func statement(_ sql: StaticString) throws(StoreError) -> Statement {
    for k in statements.indices where statements[k].literal == sql.utf8Start {
      let known = statements[k]
      if k > 0 { statements.swapAt(k, k / 2) }
      known.reset()
      return known
    }
    let made = try Statement(self, sql)
    statements.append(made)
    return made
  }

  var changes: Int { Int(sqlite3_changes(handle)) }

  var lastKey: Int64 { sqlite3_last_insert_rowid(handle) }
}

/// A prepared statement. Text and blobs are bound without a copy, so they must remain in memory until the next `reset`.
final class Statement {
  private let pointer: OpaquePointer
  /// The reference is unowned for speed, because each step uses it. The statement's owner keeps the connection alive.
  private unowned(unsafe) let connection: Connection
  fileprivate let literal: UnsafePointer<UInt8>?

  fileprivate convenience init(_ connection: Connection, _ sql: StaticString) throws(StoreError) {
    let made = try Statement.prepare(connection, sql.utf8Start, Int32(sql.utf8CodeUnitCount))
    self.init(connection, prepared: made, literal: sql.utf8Start)
  }

  private static func prepare(
    _ connection: Connection, _ sql: UnsafePointer<UInt8>, _ length: Int32
  ) throws(StoreError) -> OpaquePointer {
    var made: OpaquePointer?
    sea_sqlite_forget_errno()
    let code = sql.withMemoryRebound(to: CChar.self, capacity: Int(length)) {
      sqlite3_prepare_v3(connection.handle, $0, length, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    }
    guard code == SQLITE_OK, let made else { throw connection.failure(code) }
    return made
  }

  convenience init(_ connection: Connection, _ sql: String) throws(StoreError) {
    let bytes = Array(sql.utf8)
    let made: Result<OpaquePointer, StoreError> = bytes.withUnsafeBufferPointer {
      do throws(StoreError) {
        return .success(try Statement.prepare(connection, $0.baseAddress!, Int32($0.count)))
      } catch {
        return .failure(error)
      }
    }
    self.init(connection, prepared: try made.get())
  }

  private init(_ connection: Connection, prepared: OpaquePointer, literal: UnsafePointer<UInt8>? = nil) {
    pointer = prepared
    self.connection = connection
    self.literal = literal
  }

  deinit { sqlite3_finalize(pointer) }

  @discardableResult func bind(_ index: Int32, _ value: Int) -> Statement {
    sqlite3_bind_int64(pointer, index, Int64(value))
    return self
  }

  @discardableResult func bind(_ index: Int32, _ value: Int64?) -> Statement {
    if let value { sqlite3_bind_int64(pointer, index, value) } else { sqlite3_bind_null(pointer, index) }
    return self
  }

  func bind(_ index: Int32, double value: Double) { sqlite3_bind_double(pointer, index, value) }

  @discardableResult func bind(_ index: Int32, _ value: String?) -> Statement {
    guard var value else {
      sqlite3_bind_null(pointer, index)
      return self
    }
    return value.withUTF8 { bind(index, copyOf: $0) }
  }

  @discardableResult func bind(_ index: Int32, text bytes: UnsafeBufferPointer<UInt8>) -> Statement {
    bytes.withMemoryRebound(to: CChar.self) {
      _ = sqlite3_bind_text(pointer, index, $0.baseAddress, Int32($0.count), sea_sqlite_static())
    }
    return self
  }

  @discardableResult func bind(_ index: Int32, copyOf bytes: UnsafeBufferPointer<UInt8>) -> Statement {
    let start = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      _ = sqlite3_bind_text(pointer, index, $0, Int32(bytes.count), sea_sqlite_transient())
    }
    return self
  }

  @discardableResult func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) -> Statement {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(pointer, index, 0)
    } else {
      sqlite3_bind_blob(pointer, index, bytes.baseAddress, Int32(bytes.count), sea_sqlite_static())
    }
    return self
  }

  @discardableResult func bind(_ index: Int32, copy bytes: [UInt8]?) -> Statement {
    guard let bytes else {
      sqlite3_bind_null(pointer, index)
      return self
    }
    bytes.withUnsafeBytes {
      _ = sqlite3_bind_blob(
        pointer, index, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), Int32($0.count),
        sea_sqlite_transient())
    }
    return self
  }

  func step() throws(StoreError) -> Bool {
    sea_sqlite_forget_errno()
    let code = sqlite3_step(pointer)
    connection.recordFailure()
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let failure = connection.failure(code)
    sqlite3_reset(pointer)
    throw failure
  }

  func run() throws(StoreError) {
    while try step() {}
    sqlite3_reset(pointer)
  }

  func reset() { sqlite3_reset(pointer) }
  func clear() { sqlite3_clear_bindings(pointer) }

  func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }
  func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }
  func optionalInt(_ column: Int32) -> Int64? {
    sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : sqlite3_column_int64(pointer, column)
  }
  func kind(_ column: Int32) -> Int32 { sqlite3_column_type(pointer, column) }
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  /// Returns the bytes in the column, valid until the next step or reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
  }

  func text(at column: Int32) -> UnsafeBufferPointer<UInt8> {
    let bytes = bytes(column)
    return UnsafeBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  /// Returns the text in the column as UTF-8, even if the file uses UTF-16.
  func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: sqlite3_column_text(pointer, column), count: Int(sqlite3_column_bytes(pointer, column)))
  }

  func array(_ column: Int32) -> [UInt8] { Array(bytes(column)) }
  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}

package enum MetaValue: Equatable, Sendable {
  case text(String)
  case int(Int64)
  case blob([UInt8])
}

extension Connection {
  func setMeta(_ key: String, _ value: MetaValue) throws(StoreError) {
    let statement = try statement("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)")
    statement.bind(1, key)
    switch value {
    case .text(let text): statement.bind(2, text)
    case .int(let number): statement.bind(2, number as Int64?)
    case .blob(let bytes): statement.bind(2, copy: bytes)
    }
    try statement.run()
  }

  private func meta<Value>(_ key: String, _ read: (Statement) -> Value?) throws(StoreError) -> Value? {
    let statement = try statement("SELECT value FROM meta WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? read(statement) : nil
  }

  func metaText(_ key: String) throws(StoreError) -> String? { try meta(key) { $0.optionalText(0) } }
  func metaInt(_ key: String) throws(StoreError) -> Int64? { try meta(key) { $0.optionalInt(0) } }
  func metaBlob(_ key: String) throws(StoreError) -> [UInt8]? { try meta(key) { $0.array(0) } }

  /// Whether blocks are encrypted. This property never changes.
  func isSealed() throws(StoreError) -> Bool {
    if let knownSealed { return knownSealed }
    let sealed = try metaInt("sealed") == 1
    knownSealed = sealed
    return sealed
  }
}
