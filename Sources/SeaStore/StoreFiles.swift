import CSQLite
import SeaSystem

/// The files of the store: their size, and what SQLite has not synced.
package struct StoreFiles {
  let folder: String
  let connection: Connection

  /// Bytes that the store takes on the disk.
  package func bytes() throws(StoreError) -> Int64 {
    var sum: Int64 = 0
    for end in ["", "-wal"] {
      do throws(SystemError) { sum += try Path.status(Path.join(folder, Store.fileName + end))?.size ?? 0 } catch {
        throw .system(error)
      }
    }
    return sum
  }

  /// Bytes that `compact` would give back, as far as can be told without doing it.
  package func spareBytes() throws(StoreError) -> Int64 {
    let log: Int64
    do throws(SystemError) { log = try Path.status(Path.join(folder, Store.fileName + "-wal"))?.size ?? 0 } catch {
      throw .system(error)
    }
    return log + (try freeBytes() ?? 0)
  }

  /// Bytes of pages that hold nothing, if they are worth the work: a megabyte and a tenth of the file.
  private func freeBytes() throws(StoreError) -> Int64? {
    func number(_ sql: StaticString) throws(StoreError) -> Int64 {
      let pragma = try connection.statement(sql)
      defer { pragma.reset() }
      return try pragma.step() ? Int64(pragma.int(0)) : 0
    }
    let page = try number("PRAGMA page_size")
    let free = try number("PRAGMA freelist_count") * page
    let all = try number("PRAGMA page_count") * page
    return free >= 1 << 20 && free >= all / 10 ? free : nil
  }

  /// So much the file grows by at once: most transactions need no more room than there is.
  private static let piece: Int32 = 1 << 16

  func growByPieces() {
    var piece = StoreFiles.piece
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &piece)
  }

  /// Makes the file as long as it has to be once the log is moved into it, before a transaction is committed to the log: on a disk that
  /// is full that can still be done, and gives the space of the log back.
  func makeRoom() throws(StoreError) {
    let (pages, size) = (try connection.statement("PRAGMA page_count"), try connection.statement("PRAGMA page_size"))
    defer {
      pages.reset()
      size.reset()
    }
    guard try pages.step(), try size.step() else { return }
    var bytes = Int64(pages.int(0)) * Int64(size.int(0))
    sea_sqlite_forget_errno()
    let code = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_SIZE_HINT, &bytes)
    if code == SQLITE_OK || code == SQLITE_NOTFOUND { return }
    if sea_sqlite_disk_failed() != 0 { throw connection.failure(code) }
    // SQLite keeps the reason to itself: either the process may not write so long a file, or the disk is full.
    if let error = ThisProcess.fileTooLarge(bytes, Path.join(folder, Store.fileName)) { throw .system(error) }
    throw .full
  }

  /// Moves the log into the database. A reader that is still on it leaves it as it is.
  private func checkpoint() throws(StoreError) {
    let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED else { throw connection.failure(code) }
  }

  /// Moves the log into the database, and writes the database anew without the pages that hold nothing where that is
  /// worth it. The writer lock is held. Where the disk has no room for that, the database stays as it is.
  /// - Returns: how many bytes were given back.
  package func compact() throws(StoreError) -> Int64 {
    let before = try bytes()
    try checkpoint()
    if try freeBytes() != nil {
      do throws(StoreError) {
        try connection.execute("VACUUM")
      } catch {
        switch error {
        case .full, .busy: break
        default: throw error
        }
      }
      try checkpoint()
    }
    return max(0, before - (try bytes()))
  }
}

// What SQLite has written and not synced.
//
// A commit that was killed before it was synced, or whose sync has failed, is whole in the log as every process sees it, and
// may be gone after a loss of power. Who then says "there is nothing to do", or hands on what is there, promises what is not
// durable. A sync that has failed cannot be made good by another one: the kernel takes the pages for clean after it. So
// such a commit is cut off; anything else that may not be durable is synced before it is believed.

extension StoreFiles {
  /// Comes back when everything that this process can see in the database is on the disk.
  package func makeDurable() throws(StoreError) {
    guard !folder.isEmpty else { return }
    for end in ["-wal", "-journal"] {
      do throws(SystemError) { try File(Path.join(folder, Store.fileName + end), .read).synchronize() } catch {
        guard error.isMissing else { throw .system(error) }
      }
    }
  }

  /// After a commit that failed: makes what it has left in the write-ahead log part of no later recovery. What was committed
  /// before stays. The writer lock is held.
  ///
  /// SQLite's index of the log, which is shared memory in a file, counts what was committed before. The header of the next
  /// frame is overwritten: a recovery ends there (sqlite.org/fileformat2.html, section 4, and walformat.html).
  func cutBackLog() {
    let path = Path.join(folder, Store.fileName)
    guard let log = try? File(path + "-wal", [.read, .write]), let index = try? File(path + "-shm", .read) else {
      return
    }
    // SQLite's locks are on this file, and closing any descriptor of it would end them: it stays open.
    _ = Unmanaged.passRetained(index)
    var header = [UInt8](repeating: 0, count: 20)
    let read = try? header.withUnsafeMutableBytes { (bytes) throws(SystemError) in try index.read(into: bytes, at: 0) }
    guard read == header.count, header[12] != 0 else { return }
    let (pageSize, frames) = header.withUnsafeBytes {
      ($0.loadUnaligned(fromByteOffset: 14, as: UInt16.self), $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    }
    let frame = 24 + (pageSize == 1 ? 65536 : Int64(pageSize))
    let end = 32 + Int64(frames) * frame
    guard let size = try? log.status().size, size > end else { return }
    try? [UInt8](repeating: 0, count: 24).withBytes { (bytes) throws(SystemError) in try log.write(bytes, at: end) }
    try? log.synchronize()
  }
}
