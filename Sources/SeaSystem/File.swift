import Glibc

/// An open file. Interrupted or partial reads and writes are continued, and every failure is thrown.
///
/// Releasing the object closes the file. Call `close()` after writing, because closing may fail.
package final class File {
  package struct Access: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// This initializer replaces the generic default, which would make the runtime search all protocol conformances in
    /// the program.
    package init(arrayLiteral elements: Access...) {
      rawValue = elements.reduce(0) { $0 | $1.rawValue }
    }

    package static let read = Access(rawValue: 1)
    package static let write = Access(rawValue: 2)
    package static let create = Access(rawValue: 4)
    /// Used with `create`: the file must not exist.
    package static let exclusive = Access(rawValue: 8)
    package static let truncate = Access(rawValue: 16)
    package static let append = Access(rawValue: 32)
    /// A symbolic link in the last component is an error (ELOOP).
    package static let noFollow = Access(rawValue: 64)
    /// Opening a pipe without a writer does not block. The caller must then check what kind of file was opened.
    package static let nonBlocking = Access(rawValue: 128)
    /// Bypasses the system cache. Addresses and sizes of buffers must be multiples of 4096. Opening fails with EINVAL
    /// if the file system does not support this.
    package static let direct = Access(rawValue: 256)

    var flags: Int32 {
      var flags = O_CLOEXEC | O_NOCTTY | (contains(.write) ? (contains(.read) ? O_RDWR : O_WRONLY) : O_RDONLY)
      if contains(.create) { flags |= O_CREAT }
      if contains(.exclusive) { flags |= O_EXCL }
      if contains(.truncate) { flags |= O_TRUNC }
      if contains(.append) { flags |= O_APPEND }
      if contains(.noFollow) { flags |= O_NOFOLLOW }
      if contains(.nonBlocking) { flags |= O_NONBLOCK }
      if contains(.direct) { flags |= linuxDirect }
      return flags
    }
  }

  package let path: String
  /// The file descriptor; -1 after `close()`.
  package private(set) var descriptor: Int32
  private let owned: Bool

  package init(descriptor: Int32, path: String, owned: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.owned = owned
  }

  package convenience init(
    _ path: String, _ access: Access = .read, mode: UInt32 = 0o666
  ) throws(SystemError) {
    self.init(descriptor: try openAt(AT_FDCWD, path, access.flags, mode, path), path: path)
  }

  package static func standardInput() -> File { File(descriptor: 0, path: "standard input", owned: false) }
  package static func standardOutput() -> File { File(descriptor: 1, path: "standard output", owned: false) }
  package static func standardError() -> File { File(descriptor: 2, path: "standard error", owned: false) }

  deinit { if owned, descriptor >= 0 { _ = Glibc.close(descriptor) } }

  /// Reads the available bytes, up to the size of the buffer. Returns the number of bytes; 0 at the end of the file.
  package func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    guard buffer.count > 0 else { return 0 }
    let count = retried { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw SystemError("read", path) }
    return count
  }

  /// Reads until the buffer is full or the file ends.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    var have = 0
    while have < buffer.count {
      let count = try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer[have...]))
      if count == 0 { break }
      have += count
    }
    return have
  }

  /// Reads from `offset` until the buffer is full or the file ends. Does not change the file position.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    var have = 0
    while have < buffer.count {
      let count = retried {
        Glibc.pread(descriptor, buffer.baseAddress! + have, buffer.count - have, off_t(offset) + off_t(have))
      }
      guard count >= 0 else { throw SystemError("pread", path) }
      if count == 0 { break }
      have += count
    }
    return have
  }

  /// Reads from the current position to the end of the file. Returns nil if there are more than `limit` bytes. If the
  /// file changes in the meantime, reads it again.
  /// - Throws: `isChanging` if the file keeps changing.
  package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var before = try status()
    let start = lseek(descriptor, 0, SEEK_CUR)
    for _ in 0..<5 {
      if before.size > limit { return nil }
      let bytes = try readOnce(limit: limit, size: Int(before.size))
      let after = try status()
      if after.kind != .file || after.isUnchanged(since: before) { return bytes }
      guard lseek(descriptor, start, SEEK_SET) == start else { throw SystemError("lseek", path) }
      before = after
    }
    throw SystemError.changing(path)
  }

  private func readOnce(limit: Int, size: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var room = max(size, 4096) + 1
    while true {
      let have = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: room))
      let read = try bytes.withMutableBytes { (buffer) throws(SystemError) -> Int in
        try self.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[have...]))
      }
      bytes.removeLast(room - read)
      if bytes.count > limit { return nil }
      if read < room { return bytes }
      room = min(max(bytes.count, 65536), limit - bytes.count + 1)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while rest.count > 0 {
      let count = retried { Glibc.write(descriptor, rest.baseAddress, rest.count) }
      guard count >= 0 else { throw SystemError("write", path) }
      guard count > 0 else { throw SystemError(call: "write", errno: EIO, path: path) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try bytes.withBytes { (buffer) throws(SystemError) in try write(buffer) }
  }

  package func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }

  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat", path) }
    return FileStatus(status)
  }

  package func seek(to offset: Int64) throws(SystemError) {
    guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw SystemError("lseek", path) }
  }

  package func truncate(to size: Int64) throws(SystemError) {
    guard retried({ Int(ftruncate(descriptor, off_t(size))) }) == 0 else { throw SystemError("ftruncate", path) }
  }

  /// Makes the content durable. After a failure, the content is undefined, so discard the file and do not retry.
  package func synchronize() throws(SystemError) {
    guard retried({ Int(fsync(descriptor)) }) == 0 else { throw SystemError("fsync", path) }
  }

  package func close() throws(SystemError) {
    guard descriptor >= 0 else { return }
    let old = descriptor
    descriptor = -1
    // On Linux, the descriptor is closed even if the call was interrupted.
    guard Glibc.close(old) == 0 || errno == EINTR else { throw SystemError("close", path) }
  }
}

/// Rejects a path that contains a NUL byte, because the system would ignore the rest of the path. Every function that
/// opens or examines a path calls this.
func checkName(_ name: String, _ call: String, _ path: String) throws(SystemError) {
  if name.utf8.contains(0) { throw SystemError(call: call, errno: EINVAL, path: path) }
}

func openAt(
  _ folder: Int32, _ name: String, _ flags: Int32, _ mode: UInt32, _ path: String
) throws(SystemError) -> Int32 {
  try checkName(name, "open", path)
  let descriptor = retried { Int(openat(folder, name, flags, mode)) }
  guard descriptor >= 0 else { throw SystemError("open", path) }
  return Int32(descriptor)
}

extension File {
  package enum Claim: Sendable {
    /// This process holds the lock until the file is closed or the process ends.
    case ours
    case others
    case unknown
  }

  package func claim() throws(SystemError) -> Claim {
    if retried({ Int(flock(descriptor, LOCK_EX | LOCK_NB)) }) == 0 { return .ours }
    switch errno {
    case EWOULDBLOCK: return .others
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL: return .unknown
    default: throw SystemError("flock", path)
    }
  }

  /// Writes all bytes at `offset`. Does not change the file position.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = retried {
        pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
      }
      guard count >= 0 else { throw SystemError("write", path) }
      guard count > 0 else { throw SystemError(call: "write", errno: EIO, path: path) }
      done += count
    }
  }
}

extension File {
  /// Waits until `input` is readable or at its end, or `output` is writable.
  /// - Returns: whether `input` is readable.
  package static func waits(toRead input: File, orWrite output: File) throws(SystemError) -> Bool {
    var both = [
      pollfd(fd: input.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output.descriptor, events: Int16(POLLOUT), revents: 0),
    ]
    guard retried({ Int(poll(&both, 2, -1)) }) >= 0 else { throw SystemError("poll", input.path) }
    return both[0].revents != 0
  }

  /// Opens a file named by the user. If the file is a pipe, waits until there is a writer or a stop signal arrives.
  /// - Throws: `isInterruption` after a stop signal.
  package static func awaited(_ path: String) throws(SystemError) -> File {
    let file = try File(path, [.read, .nonBlocking])
    let kind = try file.status().kind
    // A regular file never blocks.
    if kind == .file { return file }
    if kind == .pipe { try file.awaitOtherEnd("open") }
    guard file.clear(O_NONBLOCK) else { throw SystemError("fcntl", path) }
    return file
  }

  /// Reads like `readSome`, but a stop signal ends the wait for bytes.
  /// - Throws: `isInterruption` after a stop signal.
  package func readAwaited(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try awaitOtherEnd("read")
    return try readSome(into: buffer)
  }

  private func awaitOtherEnd(_ call: String) throws(SystemError) {
    var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      guard Interruption.signal == nil else { throw SystemError(call: call, errno: EINTR, path: path) }
      let count = retried { Int(poll(&waits, 1, 100)) }
      guard count >= 0 else { throw SystemError("poll", path) }
      if count > 0 { return }
    }
  }
}

// Functions that deal with the system cache and the storage medium.

extension File {
  /// Asks the system to drop its cached pages of the file, so that the next read comes from the storage medium. Only
  /// synchronized pages are dropped, and the system may ignore the request.
  package func dropCache() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  func leaveDirectMode() -> Bool { clear(linuxDirect) }

  func clear(_ flag: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags & ~flag) == 0
  }

  /// Stops bypassing the system cache for a file that was opened with `direct`.
  package func leaveDirect() throws(SystemError) {
    guard leaveDirectMode() else { throw SystemError("fcntl", path) }
  }
}

extension SystemError {
  package static func wrongKind(_ path: String, _ met: FileKind) -> SystemError {
    SystemError(call: "open", errno: EISDIR, path: path, met: met)
  }

  package static func noFolder(_ path: String, _ met: FileKind) -> SystemError {
    SystemError(call: "opendir", errno: ENOTDIR, path: path, met: met)
  }

  package var wantsFolder: Bool { errno == ENOTDIR }

  package var isInterruption: Bool { errno == EINTR }

  package static func existing(_ path: String) -> SystemError {
    SystemError(call: "rename", errno: EEXIST, path: path)
  }

  package var isInvalid: Bool { errno == EINVAL }
}

package enum FileSystem {
  /// Returns the number of bytes that are free for this user. Returns the maximum integer if the file system does not
  /// report free space.
  package static func free(_ path: String) throws(SystemError) -> Int64 {
    try checkName(path, "statvfs", path)
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw SystemError("statvfs", path) }
    guard status.f_blocks > 0 else { return .max }
    let (bytes, over) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(status.f_frsize))
    return over ? .max : bytes
  }

  /// Returns the maximum file size on FAT; nil on other file systems.
  package static func largestFile(_ path: String) throws(SystemError) -> Int64? {
    try kind(path) == 0x4D44 ? Int64(UInt32.max) : nil
  }

  /// Returns whether a watch on the folder reports all changes. A watch misses changes made by other machines and by
  /// user-space file systems.
  package static func reportsAllChanges(_ path: String) -> Bool {
    // The file system types of FUSE, Lustre and VirtualBox.
    let indirect = [0x6573_5546, 0x0BD0_0BD0, 0x786F_4256]
    guard let kind = try? kind(path), let isFar = try? Path.isOnNetwork(path) else { return false }
    return !isFar && !indirect.contains(kind)
  }

  static func kind(_ path: String) throws(SystemError) -> Int {
    try checkName(path, "statfs", path)
    let kind = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { buffer -> Int? in
      guard linuxStatfs(path, buffer.baseAddress!) == 0 else { return nil }
      return buffer.load(as: Int.self)
    }
    guard let kind else { throw SystemError("statfs", path) }
    return kind & 0xFFFF_FFFF
  }
}

extension File {
  /// Opens a file for reading without waiting. Throws an error for a pipe.
  package static func openWithoutWaiting(_ path: String, _ access: Access = .read) throws(SystemError) -> File {
    let file = try File(path, access.union(.nonBlocking))
    let kind = try file.status().kind
    guard kind != .pipe else { throw .wrongKind(path, kind) }
    return file
  }
}
