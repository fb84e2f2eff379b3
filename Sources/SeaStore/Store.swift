import CSQLite
import SeaCore
import SeaSystem

/// What this instance knows: one SQLite database in the folder `.sea`, and the only place that speaks to SQLite.
///
/// Promises: a transaction that returned is durable (synchronous=FULL); every write and every checkpoint happens under
/// the kernel lock on `.sea/lock`, which also keeps clear of the WAL-reset fault of SQLite before 3.51.3; readers take
/// no lock of ours and see one state.
package final class Store {
  package enum Access: Sendable { case read, write }

  package let folder: String
  package let access: Access
  let connection: Connection
  private let lockWait: Double?
  private let command: String
  /// Fails if work is to stop; asked while another writer is waited for.
  package var checkStop: () throws -> Void = {}
  private var lock: FileLock?
  /// Pages in the write-ahead log after the last commit of this connection.
  private let logFrames: UnsafeMutablePointer<Int32>
  private var isPrivate = false
  /// What went wrong first in a part of the transaction.
  private var failedPart: (any Error)?

  package let content: StoredBytes
  package let blocks: BlockTable
  package let branches: BranchTable
  package let control: ControlTable
  package let records: RecordTable
  let tree: RevisionTree
  package let assets: AssetTable
  package let peers: PeerTable
  package let feed: FeedTable

  package static let fileName = "db"
  package static let lockName = "lock"

  private init(_ folder: String, _ access: Access, _ lockWait: Double?, _ command: String, _ connection: Connection) {
    self.folder = folder
    self.access = access
    logFrames = .allocate(capacity: 1)
    logFrames.initialize(to: 0)
    self.lockWait = lockWait
    self.command = command
    self.connection = connection
    content = StoredBytes(connection)
    blocks = BlockTable(connection, content)
    branches = BranchTable(connection, blocks)
    control = ControlTable(connection, branches)
    feed = FeedTable(connection)
    records = RecordTable(connection, blocks)
    tree = RevisionTree(records, feed)
    assets = AssetTable(connection, records)
    peers = PeerTable(connection)
  }

  /// Opens the database in `folder`.
  /// - Parameters:
  ///   - lockWait: seconds to wait for the writer lock; nil for ever.
  ///   - command: what stands in the lock for people.
  package convenience init(
    folder: String, access: Access, lockWait: Double? = 10, command: String = "sea"
  ) throws(StoreError) {
    let path = Path.join(folder, Store.fileName)
    let connection: Connection
    do throws(StoreError) {
      switch access {
      case .read: connection = try Store.openReader(path)
      case .write: connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
      }
    } catch {
      try Store.checkPlace(folder, making: false)
      if case .io = error, (try? Path.exists(path)) == false, (try? Path.exists(folder)) == true {
        throw .missing(path: path)
      }
      throw error
    }
    // What is sealed lies nowhere else as it is.
    connection.keepsSpills = Path.isWritable(folder) && SpillFolder.claim(folder)
    self.init(folder, access, lockWait, command, connection)
    if !connection.keepsSpills { try connection.execute("PRAGMA temp_store=MEMORY") }
    if access == .write {
      _ = sea_sqlite_no_checkpoint_on_close(connection.handle)
      sea_sqlite_count_frames(connection.handle, logFrames)
      disk.growByPieces()
      try connection.execute("PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA journal_size_limit=4194304")
      let mode = try connection.statement("PRAGMA journal_mode")
      let isWAL = try mode.step() && mode.text(0) == "wal"
      mode.reset()
      if !isWAL { try connection.execute("PRAGMA journal_mode=PERSIST") }
    }
  }

  /// An empty database that nobody else sees and that ends with this object.
  package convenience init(temporary: Void) throws(StoreError) {
    self.init("", .write, nil, "", try Connection("", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))
    isPrivate = true
    try connection.execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;" + Schema.tables
        + Schema.projection)
    // It stands beside one that was told what changes.
    feed.isOn = false
  }

  private static func openReader(_ path: String) throws(StoreError) -> Connection {
    let opened = try Connection(path, flags: SQLITE_OPEN_READONLY)
    _ = sea_sqlite_no_checkpoint_on_close(opened.handle)
    do throws(StoreError) {
      try opened.execute("PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0")
      return opened
    } catch {
      // A read-only medium has no room for the files that WAL needs beside the database; nobody can write there. The
      // index of the log is then kept in memory. (`immutable` would pass over what is still in the log.)
      opened.close()
      // A rollback journal that a dead writer left is played back by whoever comes next, reader or not.
      if case .readOnly = error, !isKeptFromUs(path) {
        let healing = try Connection(path, flags: SQLITE_OPEN_READWRITE)
        try healing.execute("PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0; PRAGMA query_only=ON")
        return healing
      }
      guard case .io = error, isKeptFromUs(path) else { throw error }
      let alone = try Connection(FileAddress.text(path) + "?vfs=unix-none", flags: SQLITE_OPEN_READONLY)
      try alone.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0")
      return alone
    }
  }

  // MARK: - Lock and transaction

  private func takeLock(wait: Double?) throws(StoreError) -> Bool {
    guard lock == nil, !isPrivate else { return false }
    // Who has opened it for reading has promised to change nothing.
    guard access == .write else { throw .readOnly }
    lock = try Store.lock(folder: folder, wait: wait, command: command) { (try? self.checkStop()) != nil }
    return true
  }

  /// The writer lock of a folder `.sea`. Whoever makes a temporary file in the folder holds it, so those that are there
  /// now were left by writers that died, and are removed.
  /// - Parameter goesOn: whether it is still waited for.
  package static func lock(
    folder: String, wait: Double?, command: String, goesOn: () -> Bool = { true }
  ) throws(StoreError) -> FileLock {
    let outcome: FileLock.Outcome
    do throws(SystemError) {
      outcome = try FileLock.acquire(
        Path.join(folder, Store.lockName), information: "\(ThisProcess.processID()) \(Machine.name()) \(command)\n",
        seconds: wait, goesOn: goesOn)
    } catch {
      throw .system(error)
    }
    switch outcome {
    case .locked(let taken):
      AtomicFile.removeTemporaries(in: folder)
      return taken
    case .heldBy(let text, let milliseconds): throw .locked(text: text, milliseconds: milliseconds)
    }
  }

  private func unlock() {
    guard !connection.isInTransaction else { return }
    lock?.release()
    lock = nil
  }

  /// Runs `body` under the writer lock, which ends with it unless it was held before.
  package func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let isOurs: Bool
    do { isOurs = try takeLock(wait: lockWait) } catch {
      try checkStop()
      throw error
    }
    defer { if isOurs { unlock() } }
    return try body()
  }

  /// Runs `body` in one transaction under the writer lock: all of it is durable when this returns, or nothing happened.
  /// The lock ends with it, unless it was held before.
  ///
  /// A transaction within another one is a part of it. If a part fails, the whole fails, whoever has caught the error.
  package func write<Result>(_ body: () throws -> Result) throws -> Result {
    if connection.isInTransaction { return try part(body) }
    return try locked { try transaction(body) }
  }

  private func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    let start = Trace.start()
    try connection.execute("BEGIN IMMEDIATE")
    connection.isInTransaction = true
    failedPart = nil
    defer { connection.isInTransaction = false }
    do {
      records.shapes.forget()
      connection.state = try TransactionState(connection)
      try records.indexes.begin()
      defer { records.indexes.end() }
      let result = try body()
      if let failedPart { throw failedPart }
      try projection.rebuildIfNeeded()
      try branches.writeHead()
      // What is in a file that has no name any more would be gone with this process.
      if try isReplaced { throw StoreError.replaced(path: folder) }
      try commit()
      feed.committed()
      Trace.note("transaction", since: start, [("path", .text(folder)), ("outcome", .text("commit"))])
      return result
    } catch {
      connection.state = TransactionState()
      content.forgetFrames()
      // SQLite may have rolled back by itself; the first failure is the one to report.
      sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
      Trace.note("transaction", since: start, [("path", .text(folder)), ("outcome", .text("rollback"))])
      throw error
    }
  }

  private func commit() throws(StoreError) {
    try disk.makeRoom()
    do throws(StoreError) { try connection.execute("COMMIT") } catch {
      disk.cutBackLog()
      throw error
    }
  }

  private func part<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      if failedPart == nil { failedPart = error }
      throw error
    }
  }

  /// Runs `body` on one state of the database, whatever others write meanwhile.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    if connection.isInTransaction || sqlite3_get_autocommit(connection.handle) == 0 { return try body() }
    try connection.execute("BEGIN")
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    return try body()
  }

  /// The log is moved into the database when it holds this many pages: a short one costs the next process less to
  /// read than it costs this one to move, with two more waits for the disk.
  private static let longLog: Int32 = 64

  /// Ends the connection; a writer that leaves a long log moves it into the database first, unless another one writes:
  /// that one will do it.
  package func close() {
    guard isOpen else { return }
    if access == .write, logFrames.pointee >= Store.longLog, (try? takeLock(wait: 0)) != nil {
      sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    connection.close()
    unlock()
  }

  package var isOpen: Bool { !connection.isClosed }

  deinit { logFrames.deallocate() }
}

/// Whether a database that cannot be opened may be read as one that nobody changes: its folder is not writable.
private func isKeptFromUs(_ path: String) -> Bool { !Path.isWritable(Path.parent(path)) }
