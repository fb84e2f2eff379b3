import CSQLite
import SeaCore
import SeaSystem

/// The local database of an instance: one SQLite file in the folder `.sea`. Only this module uses SQLite.
///
/// Promises: A transaction is durable when `write` returns (synchronous=FULL). Every write and every checkpoint holds
/// the kernel lock on `.sea/lock`, which also avoids the WAL-reset bug of SQLite before 3.51.3. Readers do not use any
/// of Sea's locks, and see a single consistent state.
package final class Store {
  package enum Access: Sendable { case read, write }

  package let folder: String
  package let access: Access
  let connection: Connection
  private let lockWait: Double?
  private let command: String
  /// A closure that throws if work must stop. The store calls this closure while it waits for another writer.
  package var checkStop: () throws -> Void = {}
  private var lock: FileLock?
  private var hasRemovedTemporaries = false
  /// The number of pages in the write-ahead log after the last commit of this connection.
  private let logFrames: UnsafeMutablePointer<Int32>
  private var isPrivate = false
  private var hasLog = false
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
  /// - lockWait: the number of seconds to wait for the writer lock; nil to wait without limit.
  /// - command: a description of this process, for messages of processes that wait for its lock.
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
    // An encrypted database's plaintext must not be written anywhere else.
    connection.spillsIntoFolder = Path.isWritable(folder) && SpillFolder.claim(folder)
    self.init(folder, access, lockWait, command, connection)
    if !connection.spillsIntoFolder { try connection.execute("PRAGMA temp_store=MEMORY") }
    if access == .write {
      _ = sea_sqlite_no_checkpoint_on_close(connection.handle)
      sea_sqlite_count_frames(connection.handle, logFrames)
      disk.growByPieces()
      try connection.execute("PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA journal_size_limit=4194304")
      let mode = try connection.statement("PRAGMA journal_mode")
      let isWAL = try mode.step() && mode.text(0) == "wal"
      mode.reset()
      if !isWAL { try connection.execute("PRAGMA journal_mode=PERSIST") }
      hasLog = isWAL
    }
  }

  /// Creates an empty private database that is deleted with this object.
  package convenience init(temporary: Void) throws(StoreError) {
    self.init("", .write, nil, "", try Connection("", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))
    isPrivate = true
    try connection.execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;" + Schema.tables
        + Schema.projection)
    // A temporary store has no feed, because only the real store records changes.
    feed.isOn = false
  }

  private static func openReader(_ path: String) throws(StoreError) -> Connection {
    let opened = try Connection(path, flags: SQLITE_OPEN_READONLY)
    _ = sea_sqlite_no_checkpoint_on_close(opened.handle)
    do throws(StoreError) {
      try opened.execute("PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0")
      return opened
    } catch {
      // On a read-only medium, the files that a write-ahead log needs cannot be created, and no process can write. In
      // that case, SQLite keeps the index of the log in memory. (`immutable` would ignore the log.)
      opened.close()
      // If a writer was killed, the next process must roll back its journal, even if that process only reads.
      if case .readOnly = error, !isFolderReadOnly(path) {
        let healing = try Connection(path, flags: SQLITE_OPEN_READWRITE)
        try healing.execute("PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0; PRAGMA query_only=ON")
        return healing
      }
      guard case .io = error, isFolderReadOnly(path) else { throw error }
      let alone = try Connection(FileAddress.text(path) + "?vfs=unix-none", flags: SQLITE_OPEN_READONLY)
      try alone.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384; SELECT 1 FROM meta LIMIT 0")
      return alone
    }
  }

  // MARK: - Lock and transaction

  private func acquireLock(wait: Double?) throws(StoreError) -> Bool {
    guard lock == nil, !isPrivate else { return false }
    guard access == .write else { throw .readOnly }
    lock = try Store.lock(folder: folder, wait: wait, command: command) { (try? self.checkStop()) != nil }
    if !hasRemovedTemporaries {
      hasRemovedTemporaries = true
      // Only the lock holder creates temporary files here, so a killed process left these files behind. If another
      // process is killed later, the next process that opens the database removes its files.
      AtomicFile.removeTemporaries(in: folder)
    }
    return true
  }

  /// Acquires the writer lock of a folder `.sea`.
  /// - Parameter goesOn: returns whether to continue waiting.
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
    case .locked(let taken): return taken
    case .heldBy(let text, let milliseconds): throw .locked(text: text, milliseconds: milliseconds)
    }
  }

  private func unlock() {
    guard !connection.isInTransaction else { return }
    lock?.release()
    lock = nil
  }

  /// Runs `body` while holding the writer lock, then releases the lock unless the caller already held it.
  package func locked<Result>(_ body: () throws -> Result) throws -> Result {
    let isOurs: Bool
    do { isOurs = try acquireLock(wait: lockWait) } catch {
      try checkStop()
      throw error
    }
    defer { if isOurs { unlock() } }
    return try body()
  }

  /// Runs `body` while holding the writer lock, unless another process holds it.
  package func lockedIfFree(_ body: () -> Void) {
    guard let isOurs = try? acquireLock(wait: 0) else { return }
    defer { if isOurs { unlock() } }
    body()
  }

  /// Runs `body` in a transaction while holding the writer lock. When this method returns, all changes are durable;
  /// when it throws, nothing has changed. The lock is released unless the caller already held it.
  ///
  /// A nested transaction is part of the outer one. If the nested transaction fails, the outer one fails too, even if
  /// the caller catches the error.
  package func write<Result>(_ body: () throws -> Result) throws -> Result {
    if connection.isInTransaction { return try part(body) }
    return try locked { try transaction(body) }
  }

  private func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    let start = Trace.start()
    try connection.statement("BEGIN IMMEDIATE").run()
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
      // A commit to a file that is no longer at its path would be lost when this process ends.
      if try isReplaced { throw StoreError.replaced(path: folder) }
      try commit()
      feed.committed()
      Trace.record("transaction", since: start, [("path", .text(folder)), ("outcome", .text("commit"))])
      return result
    } catch {
      connection.state = TransactionState()
      content.forgetFrames()
      // SQLite may have rolled back already. Only the first failure is reported, so failures here are ignored.
      sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
      Trace.record("transaction", since: start, [("path", .text(folder)), ("outcome", .text("rollback"))])
      throw error
    }
  }

  /// Whether a commit is durable when `write` returns.
  package private(set) var flushesCommits = true

  /// Runs `body`, whose commits other connections can see, but which are durable only after `disk.makeDurable`. Without a
  /// write-ahead log, commits are durable at once.
  package func unflushed<Result>(_ body: () throws -> Result) throws -> Result {
    guard hasLog, flushesCommits else { return try body() }
    try connection.execute("PRAGMA synchronous=NORMAL")
    flushesCommits = false
    defer {
      flushesCommits = true
      // Setting this on an open connection cannot fail.
      sqlite3_exec(connection.handle, "PRAGMA synchronous=FULL", nil, nil, nil)
    }
    return try body()
  }

  private func commit() throws(StoreError) {
    try disk.makeRoom()
    do throws(StoreError) { try connection.statement("COMMIT").run() } catch {
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

  /// Runs `body` on a single consistent state of the database, regardless of concurrent writes.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    if connection.isInTransaction || sqlite3_get_autocommit(connection.handle) == 0 { return try body() }
    try connection.execute("BEGIN")
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    return try body()
  }

  /// When the log has this many pages, it is moved into the database. Moving a short log requires two more disk syncs,
  /// which take longer than it takes the next process to read the log.
  private static let longLog: Int32 = 64

  /// Closes the connection. If the log is long, a writer first moves it into the database, unless another writer is
  /// active and will do so later.
  package func close() {
    guard isOpen else { return }
    shortenLog()
    connection.close()
    unlock()
  }

  /// Does the same as `close`, but leaves the memory and the files to the end of the process, which must be near.
  /// Freeing the memory piece by piece would take a twentieth of a short command.
  package func closeAtExit() {
    guard isOpen else { return }
    shortenLog()
    unlock()
    connection.leave()
  }

  private func shortenLog() {
    if access == .write, logFrames.pointee >= Store.longLog, (try? acquireLock(wait: 0)) != nil {
      sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
  }

  package var isOpen: Bool { !connection.isClosed }

  deinit { logFrames.deallocate() }
}

/// Whether the folder is not writable, so that the database can be read as if no process changed it.
private func isFolderReadOnly(_ path: String) -> Bool { !Path.isWritable(Path.parent(path)) }

// MARK: - Property indexes

extension Store {
  package func indexes() throws -> [KeptIndex] { try records.indexes.all() }

  package func makeIndex(_ name: String, _ definition: IndexDefinition) throws {
    try write { try RecordIndexes(records).fill(records.indexes.create(name, definition)) }
  }

  @discardableResult package func dropIndex(_ name: String) throws -> Bool {
    try write { try records.indexes.drop(name) }
  }
}

extension Store {
  /// Checks the length of the path. SQLite accepts at most 512 bytes, including its journal's name.
  /// - Parameter making: whether the folder is being created and still has a longer, temporary name.
  /// - Throws: `pathTooLong`.
  package static func checkPlace(_ folder: String, making: Bool) throws(StoreError) {
    let most = making ? 459 : 501
    guard let real = try? Path.resolvingExistingLinks(folder), real.utf8.count > most else { return }
    throw .pathTooLong(path: folder, most: most)
  }
}

extension Store {
  /// Whether the open file is no longer at its path because the folder was moved, removed or replaced.
  package var hasMoved: Bool {
    guard !folder.isEmpty, isOpen else { return false }
    var moved: CInt = 0
    return sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }

  /// Whether the open file has been replaced. Unlike `hasMoved`, checks again before assuming so, because a file whose
  /// status cannot be read is not necessarily a different file.
  /// - Throws: the error of the file system.
  var isReplaced: Bool {
    get throws { try hasMoved && (Path.status(Path.join(folder, Store.fileName)) == nil || hasMoved) }
  }
}

extension Store {
  package var past: Moment? { connection.past }

  /// Runs `body` on the state at `moment` or, if `moment` is nil, on the current state. To show a past state, every
  /// revision is read once, and the state is kept in a temporary file until `body` returns.
  package func snapshot<Result>(at moment: Moment?, _ body: () throws -> Result) throws -> Result {
    guard let moment else { return try snapshot(body) }
    guard !connection.isInTransaction, connection.past == nil else { throw StoreError.defect("moment within another") }
    let isKept = try isQueryOnly()
    if isKept { try connection.execute("PRAGMA query_only=OFF") }
    defer {
      records.shapes.forget()
      connection.past = nil
      if isKept { try? connection.execute("PRAGMA query_only=ON") }
    }
    // The tables are removed when the snapshot ends.
    return try snapshot {
      if try moment.sequence < blocks.lastSequence() {
        try PastProjection(connection, records, tree).make(moment)
        connection.past = moment
      }
      return try body()
    }
  }

  private func isQueryOnly() throws(StoreError) -> Bool {
    let look = try connection.statement("PRAGMA query_only")
    defer { look.reset() }
    return try look.step() && look.int(0) != 0
  }
}

extension Store {
  package func metaText(_ key: String) throws(StoreError) -> String? { try connection.metaText(key) }
  package func metaInt(_ key: String) throws(StoreError) -> Int64? { try connection.metaInt(key) }
  package func metaBlob(_ key: String) throws(StoreError) -> [UInt8]? { try connection.metaBlob(key) }
  package func setMeta(_ key: String, _ value: MetaValue) throws(StoreError) { try connection.setMeta(key, value) }

  package var isInTransaction: Bool { connection.isInTransaction }

  package func isSealed() throws(StoreError) -> Bool { try connection.isSealed() }

  /// Checks that the file is a Sea database whose version this program supports.
  package func checkVersion() throws(StoreError) {
    let version = try connection.statement("PRAGMA user_version")
    defer { version.reset() }
    let found = try version.step() ? version.int(0) : 0
    guard found > 0 else { throw .damaged("no database of sea") }
    guard found == Schema.version else { throw found > Schema.version ? .newer(found) : .older(found) }
  }

  /// Returns a number that changes when another connection writes.
  package func foreignWrites() throws(StoreError) -> Int {
    let look = try connection.statement("PRAGMA data_version")
    defer { look.reset() }
    return try look.step() ? look.int(0) : 0
  }

  /// Returns a number that changes when any connection creates or drops tables.
  package func tableVersion() throws(StoreError) -> Int {
    let look = try connection.statement("PRAGMA schema_version")
    defer { look.reset() }
    return try look.step() ? look.int(0) : 0
  }

  // MARK: - Parts

  package var intake: Intake { Intake(store: self) }
  package var projection: Projection { Projection(store: self) }
  package var purged: PurgedBytes { PurgedBytes(store: self) }
  package var disk: StoreFiles { StoreFiles(folder: folder, connection: connection) }
}

extension Store {
  package static func create(folder: String, meta: [(String, MetaValue)]) throws(StoreError) {
    if try create(folder: folder, meta: meta, journal: "WAL") { return }
    do throws(SystemError) {
      for end in ["", "-wal", "-shm", "-journal"] { try Path.remove(Path.join(folder, fileName + end)) }
    } catch {
      throw .system(error)
    }
    guard try create(folder: folder, meta: meta, journal: "PERSIST") else { throw .io("no journal is possible") }
  }

  /// Returns false if the file system does not support this journal mode. WAL needs shared memory, which FAT does not
  /// support.
  private static func create(
    folder: String, meta: [(String, MetaValue)], journal: String
  ) throws(StoreError) -> Bool {
    let connection = try Connection(
      Path.join(folder, fileName), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    defer { connection.close() }
    do throws(StoreError) {
      try connection.execute("PRAGMA journal_mode=\(journal)")
      // The log is opened by the first read.
      try connection.execute("SELECT count(*) FROM sqlite_schema")
      let mode = try connection.statement("PRAGMA journal_mode")
      let isAsked = try mode.step() && mode.text(0).uppercased() == journal
      mode.reset()
      guard isAsked else { return false }
    } catch {
      guard connection.cannotShareMemory else { throw error }
      return false
    }
    try connection.execute(
      """
      PRAGMA synchronous=FULL; PRAGMA application_id=\(Schema.applicationID);
      BEGIN; PRAGMA user_version=\(Schema.version);
      """ + Schema.tables + Schema.projection)
    for (key, value) in meta { try connection.setMeta(key, value) }
    try connection.execute("COMMIT")
    return true
  }
}

extension Store {
  /// Counts the content of the store, in one pass over the rows of blocks and revisions.
  package func totals() throws(StoreError) -> Totals {
    var totals = Totals()
    let sums = try connection.statement(
      """
      SELECT (SELECT count(*) FROM record WHERE shape IS NULL AND leaves > 0), (SELECT count(*) FROM revision),
        (SELECT count(*) FROM asset_file), (SELECT ifnull(sum(size), 0) FROM asset_file)
      """)
    defer { sums.reset() }
    guard try sums.step() else { throw .damaged("projection") }
    totals.deleted = sums.int(0)
    totals.revisions = sums.int(1)
    totals.assetFiles = (sums.int(2), Int64(sums.int(3)))
    totals.assets = try assets.countAssets()
    totals.disk = try number("PRAGMA page_count") * number("PRAGMA page_size")
    let scan = try connection.statement(
      """
      SELECT s.instance, t.blocks, t.changes, t.bytes, t.uncounted, t.removed, t.first, t.last FROM (
        SELECT branch, count(*) AS blocks, sum(iif(counts, changes, 0)) AS changes, sum(size) AS bytes,
          sum(NOT counts) AS uncounted, sum(whole > 0) AS removed, min(iif(counts AND changes > 0, time, NULL)) AS first,
          max(iif(counts AND changes > 0, time, NULL)) AS last
        FROM (SELECT branch, changes, size, time, whole, applied IN (1, 5) AND unread IS NULL AS counts FROM block NOT INDEXED)
        GROUP BY branch) t
      JOIN branch s ON s.id = t.branch
      """)
    defer { scan.reset() }
    while try scan.step() {
      guard scan.bytes(0).count == 16 else { throw .damaged("branch") }
      var total = BlockTotal()
      (total.blocks, total.changes, total.bytes) = (scan.int(1), scan.int(2), Int64(scan.int(3)))
      (total.uncounted, total.removed) = (scan.int(4), scan.int(5))
      (total.first, total.last) = (scan.optionalInt(6), scan.optionalInt(7))
      totals.authors[UUID(scan.bytes(0).baseAddress!), default: BlockTotal()].add(total)
    }
    return totals
  }

  private func number(_ pragma: StaticString) throws(StoreError) -> Int64 {
    let look = try connection.statement(pragma)
    defer { look.reset() }
    return try look.step() ? Int64(look.int(0)) : 0
  }
}

package struct JudgedClocks: Sendable {
  /// The branches newly found to have wrong clocks, each with the first wrong index.
  package var wrong: [(branch: BranchID, index: UInt32)] = []
  /// The number of records after a rebuild, if applied blocks had to be undone.
  package var records: Int?

  package init(wrong: [(branch: BranchID, index: UInt32)] = []) { self.wrong = wrong }
}

extension Store {
  /// The key of the sequence number up to which purged blocks have been judged.
  package static let removalsUpTo = "removalsUpTo"

  /// The key of a flag: clocks must be judged again from different heads, because a block was purged or restored.
  package static let clocksAreStale = "clocksAreStale"

  /// Forgets which purged blocks are valid, because newly readable blocks may change that.
  func forgetJudgedRemovals() throws(StoreError) { try connection.setMeta(Store.removalsUpTo, .int(-1)) }

  func forgetJudgedClocks() throws(StoreError) {
    try forgetJudgedRemovals()
    try connection.setMeta(Store.clocksAreStale, .int(1))
  }

  /// Records, in the current transaction, the block up to which conflicts have been checked for automatic merges.
  package func setMergedUpTo(_ sequence: Int64) throws(StoreError) {
    precondition(connection.isInTransaction)
    connection.state.mergedUpTo = sequence
    try connection.setMeta(RecordTable.mergedUpTo, .int(sequence))
  }

  /// Forgets, as part of the current transaction, which clocks are earned or wrong, because the known heads have
  /// changed. Blocks that were not applied because of their clock are pending until they are checked again.
  package func forgetClocks() throws(StoreError) {
    precondition(connection.isInTransaction)
    try connection.setMeta(Store.clocksAreStale, .int(0))
    try branches.writeHead()
    try connection.execute(
      """
      UPDATE branch SET earned = first - 1, wrong = 0, awaits = NULL;
      UPDATE block SET applied = \(BlockState.held.rawValue) WHERE applied <> 1 AND applied = \(BlockState.badLamport.rawValue)
      """)
  }

  /// Judges clocks again after new blocks have arrived, as part of the current transaction. If a block has a wrong
  /// clock, its applied changes are undone.
  package func judgeClocks() throws -> JudgedClocks {
    precondition(connection.isInTransaction)
    guard try branches.hasOpenClocks() else { return JudgedClocks() }
    let found = try StoredClockSource(branches).judge()
    var judged = JudgedClocks(wrong: found.wrong)
    // Conflicts that could not be merged before may be mergeable now.
    if let first = found.firstEarned, first <= connection.state.mergedUpTo {
      try setMergedUpTo(first - 1)
    }
    if found.takenBack > 0 { judged.records = try projection.rebuildInTransaction() }
    return judged
  }
}

extension Store {
  /// Visits live records, sorted by id, without copying them, until `visit` returns false. For a record in conflict,
  /// `visit` receives only the row.
  /// - Parameter limit: the number of records that the caller needs, if known.
  package func forEachInPlace(
    types: [String], after: String?, limit: Int?, _ source: QuerySource,
    _ visit: (RecordRow?, BorrowedRecord?) throws -> Bool
  ) throws {
    let shapes = try records.shapes.keys(of: types)
    let rows = try QueryRows(records, source)
    defer { rows.end() }
    if let limit, limit <= RecordTable.few, let shapes {
      let keys = try records.first(limit, of: shapes, after: after).map(\.key)
      return try visitRows(rows, .keys(keys), visit)
    }
    let allowed = shapes.map { Set($0) }
    var after = after.map { Array($0.utf8) }
    func start(_ lower: UnsafeBufferPointer<UInt8>?) throws(StoreError) {
      try rows.start(.range(lower, nil, isFalling: false), allowed: allowed)
    }
    if let lower = after {
      try lower.withUnsafeBufferPointer { bytes throws(StoreError) in try start(bytes) }
    } else {
      try start(nil)
    }
    while rows.hasRow {
      // The first row may be the record `after` itself.
      let isPast = after.map { !rows.id.elementsEqual($0) } ?? true
      after = nil
      if isPast { guard try rows.visit(visit) else { return } }
      try rows.next()
    }
  }

  /// Visits live records in the order that is read fastest.
  package func forEachUnordered(
    types: [String], _ source: QuerySource, _ visit: (RecordRow?, BorrowedRecord?) throws -> Bool
  ) throws {
    let rows = try QueryRows(records, source)
    defer { rows.end() }
    guard let shapes = try records.shapes.keys(of: types) else { return try visitRows(rows, .all, visit) }
    let areMost = try records.shapes.areMost(shapes)
    try visitRows(rows, areMost ? .all : .shapes(shapes), allowed: areMost ? Set(shapes) : nil, visit)
  }

  private func visitRows(
    _ rows: QueryRows, _ plan: QueryRows.Plan, allowed: Set<Int64>? = nil,
    _ visit: (RecordRow?, BorrowedRecord?) throws -> Bool
  ) throws {
    try rows.start(plan, allowed: allowed)
    while rows.hasRow {
      guard try rows.visit(visit) else { return }
      try rows.next()
    }
  }

  /// Visits the ids of live records in order, until `visit` returns false.
  /// - Parameter limit: the number of ids that the caller needs, if known.
  package func forEachID(
    types: [String], after: String?, limit: Int?, _ visit: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    if let limit, limit <= RecordTable.few { return try seekEachID(types: types, after: after, limit: limit, visit) }
    // Only the index of ids is read, sequentially. Looking up each record would cost more than all else together.
    let live = try LiveKeys(records, types: types)
    let scan = try records.connection.statement(
      "SELECT id, key FROM record INDEXED BY record_id WHERE id > ? ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    while try scan.step() {
      if let live, !live.contains(scan.int(1)) { continue }
      guard try visit(scan.text(at: 0)) else { return }
    }
  }

  private func seekEachID(
    types: [String], after: String?, limit: Int, _ visit: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    if let shapes = try records.shapes.keys(of: types) {
      for var one in try records.first(limit, of: shapes, after: after) {
        guard try one.id.withUTF8(visit) else { return }
      }
      return
    }
    let scan = try records.connection.statement("SELECT id FROM record WHERE id > ? AND live > 0 ORDER BY id")
    defer { scan.reset() }
    scan.bind(1, after ?? "")
    while try scan.step() { guard try visit(scan.text(at: 0)) else { return } }
  }

  /// Returns, for each shape, the positions of these properties in a body, with -1 for missing properties.
  package func positions(of names: [String]) throws -> [Int64: [Int]] {
    let columns = ColumnPlaces(names)
    var places: [Int64: [Int]] = [:]
    try records.shapes.forEachKey { key, shape in places[key] = columns.find(shape.properties.lazy.map(\.name)) }
    return places
  }
}
