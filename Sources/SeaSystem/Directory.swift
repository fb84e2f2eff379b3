import Glibc

/// An open folder. All operations apply to this folder, even if its path changes.
///
/// Names are relative to the folder. A link in the last component of a name is not followed.
package final class Directory {
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let kind: FileKind

    package init(name: String, kind: FileKind) {
      self.name = name
      self.kind = kind
    }
  }

  package struct Listing: Sendable {
    package var entries: [Entry] = []
    /// Names that are not valid UTF-8, with invalid bytes shown as replacement characters.
    package var unreadable: [String] = []
  }

  package let path: String
  let descriptor: Int32

  /// Returns the working directory. All functions of this object accept any path.
  package static func working() -> Directory { Directory(descriptor: AT_FDCWD, path: "") }

  package convenience init(_ path: String) throws(SystemError) {
    let descriptor = try openAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, path)
    self.init(descriptor: descriptor, path: path)
  }

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  /// Waits up to `seconds` (nil: forever) for an exclusive lock, which is held until this object is released or the
  /// process ends. Returns false if the file system does not support locks.
  /// - Throws: EWOULDBLOCK if another process still holds the lock.
  package func lock(seconds: Double?) throws(SystemError) -> Bool {
    let start = Clock.monotonic()
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let failure = SystemError("flock", path)
      if failure.errno == EINTR { continue }
      guard failure.errno == EWOULDBLOCK else { return false }
      if let seconds, Double(Clock.monotonic() - start) / 1e9 >= seconds { throw failure }
      Clock.sleep(nanoseconds: 5_000_000)
    }
    return true
  }

  package func path(of name: String) -> String { path.isEmpty ? name : Path.join(path, name) }

  /// Opens a subfolder.
  /// - Throws: ENOTDIR if the name is a link.
  package func directory(_ name: String) throws(SystemError) -> Directory {
    let path = path(of: name)
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return Directory(descriptor: try openAt(descriptor, name, flags, 0, path), path: path)
  }

  package func file(
    _ name: String, _ access: File.Access = .read, mode: UInt32 = 0o666
  ) throws(SystemError) -> File {
    let path = path(of: name)
    let flags = access.union(.noFollow).flags
    let file = File(descriptor: try openAt(descriptor, name, flags, mode, path), path: path)
    if access.contains(.create) { share(file.descriptor, mode & 0o660) }
    return file
  }

  /// Gives the group that shares this folder access to a new entry, within the limits of `mode` and regardless of the
  /// umask. File systems without permissions do not need this.
  private func share(_ new: Int32, _ mode: UInt32) {
    guard mode & 0o070 != 0, let shared, fchown(new, uid_t.max, shared.gid) == 0 else { return }
    var status = stat()
    guard fstat(new, &status) == 0 else { return }
    let wanted = status.st_mode & 0o7777 | shared.bits & mode
    if wanted != status.st_mode & 0o7777 { _ = fchmod(new, wanted) }
  }

  /// The group that shares this folder, and the group's permissions; nil if the folder is not shared. A shared folder
  /// has the setgid bit or is group-writable. World-writable folders such as `/tmp` are not shared.
  private lazy var shared: (gid: gid_t, bits: UInt32)? = {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let mode = status.st_mode
    guard mode & S_ISGID != 0 || mode & (S_IWGRP | S_ISVTX) == S_IWGRP else { return nil }
    return (status.st_gid, mode & 0o070 | S_ISGID)
  }()

  package func list(most: Int = .max) throws(SystemError) -> Listing {
    let own = try openAt(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, path)
    guard let stream = fdopendir(own) else {
      let failure = SystemError("fdopendir", path)
      _ = Glibc.close(own)
      throw failure
    }
    defer { closedir(stream) }
    var listing = Listing()
    while listing.entries.count + listing.unreadable.count < most {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw SystemError("readdir", path) }
        return listing
      }
      let (name, lossy) = Directory.name(of: entry)
      guard let name else {
        listing.unreadable.append(lossy)
        continue
      }
      if name == "." || name == ".." { continue }
      switch Int(entry.pointee.d_type) {
      case Int(DT_REG): listing.entries.append(Entry(name: name, kind: .file))
      case Int(DT_DIR): listing.entries.append(Entry(name: name, kind: .directory))
      case Int(DT_LNK): listing.entries.append(Entry(name: name, kind: .link))
      case Int(DT_UNKNOWN):
        // Skip entries that no longer exist.
        if let status = try status(name) { listing.entries.append(Entry(name: name, kind: status.kind)) }
      default: listing.entries.append(Entry(name: name, kind: .other))
      }
    }
    return listing
  }

  /// Returns whether any name in the folder has this prefix; false if the folder is unreadable.
  static func hasName(beginningWith prefix: String, in path: String) -> Bool {
    guard let stream = opendir(path) else { return false }
    defer { closedir(stream) }
    let length = prefix.utf8.count
    while let entry = readdir(stream) {
      let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
      if strncmp(name.assumingMemoryBound(to: CChar.self), prefix, length) == 0 { return true }
    }
    return false
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> (name: String?, lossy: String) {
    let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
    let bytes = start.assumingMemoryBound(to: CChar.self)
    if let name = String(validatingCString: bytes) { return (name, "") }
    return (nil, String(cString: bytes))
  }

  /// Returns nil if the name does not exist. Does not follow a link.
  package func status(_ name: String) throws(SystemError) -> FileStatus? {
    let path = path(of: name)
    try checkName(name, "stat", path)
    var status = stat()
    if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileStatus(status) }
    if errno == ENOENT { return nil }
    throw SystemError("stat", path)
  }

  /// Creates a folder, which is durable after `synchronize()`. Returns false if the folder already exists.
  @discardableResult
  package func createDirectory(_ name: String, mode: UInt32 = 0o777) throws(SystemError) -> Bool {
    let path = path(of: name)
    try checkName(name, "mkdir", path)
    if mkdirat(descriptor, name, mode) == 0 {
      if shared != nil, let made = try? directory(name) { share(made.descriptor, mode | S_ISGID) }
      return true
    }
    let failure = SystemError("mkdir", path)
    if failure.isExisting, try status(name)?.kind == .directory { return false }
    throw failure
  }

  /// Renames an entry in this folder and replaces an existing entry. The change is durable after `synchronize()`.
  package func rename(_ old: String, to new: String) throws(SystemError) {
    let path = path(of: new)
    try checkName(old + new, "rename", path)
    guard renameat(descriptor, old, descriptor, new) == 0 else { throw SystemError("rename", path) }
  }

  /// Renames an entry without replacing another entry.
  ///
  /// The operation is atomic if the file system supports it. On other file systems (FAT, exFAT, some network file
  /// systems), the name is checked first. This is safe because only one program at a time writes to such a folder.
  /// - Throws: EEXIST if the name is taken.
  package func renameNoReplace(_ old: String, to new: String) throws(SystemError) {
    let path = path(of: new)
    try checkName(old + new, "rename", path)
    if linuxRename(descriptor, old, descriptor, new, renameNoReplaceFlag) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { throw SystemError("rename", path) }
    try renameAfterLooking(old, to: new)
  }

  /// Moves an entry to another folder on the same file system without replacing an existing entry. The caller must
  /// synchronize both folders.
  package func renameNoReplace(_ old: String, to new: String, in other: Directory) throws(SystemError) {
    let path = other.path(of: new)
    try checkName(old + new, "rename", path)
    if linuxRename(descriptor, old, other.descriptor, new, renameNoReplaceFlag) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { throw SystemError("rename", path) }
    if try other.status(new) != nil { throw SystemError(call: "rename", errno: EEXIST, path: path) }
    guard renameat(descriptor, old, other.descriptor, new) == 0 else { throw SystemError("rename", path) }
  }

  /// Exchanges an entry with an entry of another folder on the same file system, in one step. The caller must
  /// synchronize both folders.
  /// - Throws: EINVAL if the file system cannot do this.
  package func exchange(_ name: String, with other: String, in folder: Directory) throws(SystemError) {
    let path = path(of: name)
    try checkName(name + other, "rename", path)
    guard linuxRename(descriptor, name, folder.descriptor, other, renameExchangeFlag) == 0 else {
      throw SystemError("rename", path)
    }
  }

  /// Checks that the new name is free before renaming. Used on file systems where renaming always replaces an existing
  /// entry.
  package func renameAfterLooking(_ old: String, to new: String) throws(SystemError) {
    if try status(new) != nil { throw SystemError(call: "rename", errno: EEXIST, path: path(of: new)) }
    try rename(old, to: new)
  }

  /// Removes a file or link. Returns false if it does not exist.
  @discardableResult
  package func remove(_ name: String) throws(SystemError) -> Bool { try unlink(name, 0) }

  /// Removes an empty folder. Returns false if it does not exist.
  @discardableResult
  package func removeDirectory(_ name: String) throws(SystemError) -> Bool { try unlink(name, AT_REMOVEDIR) }

  private func unlink(_ name: String, _ flags: Int32) throws(SystemError) -> Bool {
    let path = path(of: name)
    try checkName(name, "unlink", path)
    if unlinkat(descriptor, name, flags) == 0 { return true }
    if errno == ENOENT { return false }
    throw SystemError(flags == 0 ? "unlink" : "rmdir", path)
  }

  /// Makes changes to the entries of this folder durable, if the file system supports this.
  package func synchronize() throws(SystemError) {
    guard descriptor != AT_FDCWD else { return try Directory(".").synchronize() }
    if retried({ Int(fsync(descriptor)) }) == 0 { return }
    if errno == EINVAL || errno == ENOTSUP || errno == ENOSYS { return }
    throw SystemError("fsync", path)
  }
}
