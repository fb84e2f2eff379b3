import SeaSystem

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
