import Glibc

// What concerns the medium below a file.

extension File {
  /// Asks the system to forget what it holds of the file, so that the next reader gets it from the medium. Only what
  /// was synchronized is forgotten. It may not comply.
  package func dropCache() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  /// Goes through the cache from now on.
  func leaveDirectMode() -> Bool { clear(linuxDirect) }

  /// Takes back a flag with which it was opened.
  func clear(_ flag: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags & ~flag) == 0
  }

  /// A file that was opened for direct reading goes through the cache from now on.
  package func leaveDirect() throws(SystemError) {
    guard leaveDirectMode() else { throw SystemError("fcntl", path) }
  }
}

extension SystemError {
  /// Something that is no regular file where one is needed.
  package static func wrongKind(_ path: String, _ met: FileKind) -> SystemError {
    SystemError(call: "open", errno: EISDIR, path: path, met: met)
  }

  /// Something that is no folder where one is needed.
  package static func noFolder(_ path: String, _ met: FileKind) -> SystemError {
    SystemError(call: "opendir", errno: ENOTDIR, path: path, met: met)
  }

  /// Whether a folder was needed.
  package var wantsFolder: Bool { errno == ENOTDIR }

  /// Whether this process was asked to stop while it waited.
  package var isInterruption: Bool { errno == EINTR }

  /// Something where nothing may be.
  package static func existing(_ path: String) -> SystemError {
    SystemError(call: "rename", errno: EEXIST, path: path)
  }

  package var isInvalid: Bool { errno == EINVAL }
}

/// The file system that a path lies on.
package enum FileSystem {
  /// Bytes that this user may still write; more than there can be where the file system does not say.
  package static func free(_ path: String) throws(SystemError) -> Int64 {
    try checkName(path, "statvfs", path)
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw SystemError("statvfs", path) }
    guard status.f_blocks > 0 else { return .max }
    let (bytes, over) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(status.f_frsize))
    return over ? .max : bytes
  }

  /// The size of the largest file, where the file system is known to have one that matters: FAT.
  package static func largestFile(_ path: String) throws(SystemError) -> Int64? {
    try kind(path) == 0x4D44 ? Int64(UInt32.max) : nil
  }

  /// The number by which the system tells kinds of file systems apart.
  /// Whether whoever looks at a folder there is told of all that happens in it: not where others write by another way, as another
  /// machine or a program of the user's.
  package static func tellsOfChanges(_ path: String) -> Bool {
    // FUSE, Lustre, VirtualBox.
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
  /// A file for reading that says what it has at once: nobody is waited for at the other end of a pipe.
  package static func atHand(_ path: String, _ access: Access = .read) throws(SystemError) -> File {
    let file = try File(path, access.union(.nonBlocking))
    let kind = try file.status().kind
    guard kind != .pipe else { throw .wrongKind(path, kind) }
    return file
  }
}
