import CSQLite
import SeaSystem

/// Manages the size and durability of the store's files.
package struct StoreFiles {
  let folder: String
  let connection: Connection

  package func bytes() throws(StoreError) -> Int64 {
    var sum: Int64 = 0
    for end in ["", "-wal"] {
      do throws(SystemError) { sum += try Path.status(Path.join(folder, Store.fileName + end))?.size ?? 0 } catch {
        throw .system(error)
      }
    }
    return sum
  }

  package func spareBytes() throws(StoreError) -> Int64 {
    let log: Int64
    do throws(SystemError) { log = try Path.status(Path.join(folder, Store.fileName + "-wal"))?.size ?? 0 } catch {
      throw .system(error)
    }
    return log + (try freeBytes() ?? 0)
  }

  /// Returns the total size of the free pages, or nil if it is less than a megabyte or less than a tenth of the file.
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

  /// The file grows in steps of this size, so most transactions need no additional space.
  private static let piece: Int32 = 1 << 16

  func growByPieces() {
    var piece = StoreFiles.piece
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &piece)
  }

  /// Before a transaction is committed to the log, extends the file to the size that it will have after a checkpoint.
  /// The checkpoint then succeeds even on a full disk, and frees the log's space.
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
    // SQLite does not report whether the reason is the process's file size limit or a full disk.
    if let error = ThisProcess.fileTooLarge(bytes, Path.join(folder, Store.fileName)) { throw .system(error) }
    throw .full
  }

  private func checkpoint() throws(StoreError) {
    let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED else { throw connection.failure(code) }
  }

  /// Moves the log into the database and, if there are enough free pages, rewrites the database without them. The
  /// caller must hold the writer lock. If the disk is full, the database does not change.
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

// MARK: - Durability
//
// A commit whose sync failed or never happened is visible to every process, but could be lost in a power failure. A
// command that reports "nothing to do" or passes on data would then promise more than is durable. A later sync cannot
// make up for a failed one, because the kernel then considers the pages clean, so such a commit is removed from the
// log. Any other data that may not be durable is synced before it is used.

extension StoreFiles {
  /// Syncs to the disk everything that this process can see in the database.
  package func makeDurable() throws(StoreError) {
    guard !folder.isEmpty else { return }
    for end in ["-wal", "-journal"] {
      do throws(SystemError) { try File(Path.join(folder, Store.fileName + end), .read).synchronize() } catch {
        guard error.isMissing else { throw .system(error) }
      }
    }
  }

  /// Excludes the frames of a failed commit from every later recovery of the write-ahead log. Earlier commits are kept.
  /// The caller must hold the writer lock.
  ///
  /// SQLite's index of the log, a file used as shared memory, contains the number of frames committed so far. The
  /// header of the next frame is overwritten so that a recovery ends there (sqlite.org/fileformat2.html, section 4, and
  /// walformat.html).
  func cutBackLog() {
    let path = Path.join(folder, Store.fileName)
    guard let log = try? File(path + "-wal", [.read, .write]), let index = try? File(path + "-shm", .read) else {
      return
    }
    // SQLite holds locks on this file, and closing any descriptor would release them, so the file is never closed.
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
