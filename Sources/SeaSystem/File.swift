import Glibc

/// An open file. Reads and writes are whole (interruptions and short counts are dealt with) and every failure is thrown.
///
/// It is closed when released, but who has written calls `close()`, because that too may fail.
package final class File {
  package struct Access: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// As that of all such sets, but not generic: the runtime would go through all conformances of the program for it.
    package init(arrayLiteral elements: Access...) {
      rawValue = elements.reduce(0) { $0 | $1.rawValue }
    }

    package static let read = Access(rawValue: 1)
    package static let write = Access(rawValue: 2)
    package static let create = Access(rawValue: 4)
    /// With `create`: the file must not exist.
    package static let exclusive = Access(rawValue: 8)
    package static let truncate = Access(rawValue: 16)
    package static let append = Access(rawValue: 32)
    /// A symbolic link as last component is refused (ELOOP).
    package static let noFollow = Access(rawValue: 64)
    /// A pipe without a writer does not hang. Callers then look at the kind.
    package static let nonBlocking = Access(rawValue: 128)
    /// Past the cache of the system, from the medium: buffers and counts are multiples of 4096. EINVAL where the file
    /// system cannot.
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
  /// -1 after `close()`.
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

  /// What there is now, up to the buffer's size; 0 at the end. May be less than what is still to come.
  package func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    guard buffer.count > 0 else { return 0 }
    let count = retried { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw SystemError("read", path) }
    return count
  }

  /// Fills the buffer as far as the file goes.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    var have = 0
    while have < buffer.count {
      let count = try readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer[have...]))
      if count == 0 { break }
      have += count
    }
    return have
  }

  /// Fills the buffer from `offset` as far as the file goes; the position stays.
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

  /// Everything from the position on, or nil if that is more than `limit` bytes. What changes meanwhile is read again.
  /// - Throws: `isChanging` if it does not hold still.
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

  /// After a failure the content is unknown: throw the file away, never try again.
  package func synchronize() throws(SystemError) {
    guard retried({ Int(fsync(descriptor)) }) == 0 else { throw SystemError("fsync", path) }
  }

  package func close() throws(SystemError) {
    guard descriptor >= 0 else { return }
    let old = descriptor
    descriptor = -1
    // On Linux the descriptor is gone even when the call was interrupted.
    guard Glibc.close(old) == 0 || errno == EINTR else { throw SystemError("close", path) }
  }
}

/// A path with a NUL in it would name another file: it is refused here, where every open and every look passes.
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
