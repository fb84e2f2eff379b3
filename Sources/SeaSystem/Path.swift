import Glibc

/// Functions that manipulate paths as text, or look them up in the file system. A link in the last component is
/// followed only where this is documented.
package enum Path {
  package static func join(_ folder: String, _ name: String) -> String {
    if folder.isEmpty || name.utf8.first == slash { return name }
    return folder.utf8.last == slash ? folder + name : folder + "/" + name
  }

  /// Returns the last component of the path, without trailing slashes; `/` for the root.
  package static func name(_ path: String) -> String { split(path).name }

  /// Returns the path without its last component: `.` for a plain name, `/` for an entry of the root.
  package static func parent(_ path: String) -> String { split(path).parent }

  /// Returns an absolute path and all its parents up to the root.
  package static func upwards(from path: String) -> [String] {
    var found = [path]
    while case let above = parent(found[found.count - 1]), above != found.last { found.append(above) }
    return found
  }

  private static let slash = UInt8(ascii: "/")

  private static func split(_ path: String) -> (parent: String, name: String) {
    var rest = path.utf8[...]
    while rest.count > 1, rest.last == slash { rest.removeLast() }
    guard let last = rest.lastIndex(of: slash) else { return (".", String(rest) ?? "") }
    guard rest.count > 1 else { return ("/", "/") }
    let name = String(rest[rest.index(after: last)...]) ?? ""
    var parent = rest[..<last]
    while parent.count > 1, parent.last == slash { parent.removeLast() }
    return (parent.isEmpty ? "/" : String(parent) ?? "/", name)
  }

  /// Returns the absolute path without `.`, `..` and double slashes. The path does not have to exist, because only its
  /// text is used.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    let full = path.utf8.first == slash ? path : join(try ThisProcess.currentDirectory(), path)
    var bytes: [UInt8] = []
    for part in full.utf8.split(separator: slash) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) {
        while let last = bytes.popLast(), last != slash {}
      } else {
        bytes.append(slash)
        bytes.append(contentsOf: part)
      }
    }
    return bytes.isEmpty ? "/" : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether the path stands for an open file of this process, such as `/dev/stdout`. Such a file cannot be
  /// replaced.
  package static func meansOpenFile(_ path: String) -> Bool {
    ["/dev/fd/", "/dev/std", "/proc/"].contains { path.hasPrefix($0) }
  }

  /// Returns the path with all links resolved. The path must exist.
  package static func real(_ path: String) throws(SystemError) -> String {
    try checkName(path, "realpath", path)
    guard let resolved = realpath(path, nil) else { throw SystemError("realpath", path) }
    defer { free(resolved) }
    return try text(resolved, "realpath")
  }

  /// Converts a path to a string. Throws an error if the path is not valid UTF-8, because the string would be a
  /// different path.
  static func text(_ path: UnsafePointer<CChar>, _ call: String) throws(SystemError) -> String {
    if let text = String(validatingCString: path) { return text }
    throw SystemError(call: call, errno: EILSEQ, path: String(cString: path))
  }

  /// Resolves the links in the part of a path that exists.
  package static func resolvingExistingLinks(_ path: String) throws(SystemError) -> String {
    var there = try absolute(path)
    var rest: [String] = []
    while there != "/", try statusFollowing(there) == nil {
      rest.append(name(there))
      there = parent(there)
    }
    return try rest.reversed().reduce(real(there)) { join($0, $1) }
  }

  package static func status(_ path: String) throws(SystemError) -> FileStatus? {
    try Directory.working().status(path)
  }

  /// Follows links and returns the status of the target; nil if the target does not exist.
  package static func statusFollowing(_ path: String) throws(SystemError) -> FileStatus? {
    try checkName(path, "stat", path)
    var status = stat()
    if stat(path, &status) == 0 { return FileStatus(status) }
    if errno == ENOENT { return nil }
    throw SystemError("stat", path)
  }

  package static func exists(_ path: String) throws(SystemError) -> Bool { try status(path) != nil }

  /// Creates a folder and any missing parent folders. All of them are durable when the function returns.
  package static func createDirectories(_ path: String, mode: UInt32 = 0o777) throws(SystemError) {
    let (parent, name) = split(path)
    if let status = try statusFollowing(path), status.kind == .directory {
      // The process that created the folder may have been killed before it did this.
      return try synchronizeIfAllowed(parent)
    }
    if parent != path, name != "/" { try createDirectories(parent, mode: mode) }
    let folder = try Directory(parent)
    try folder.createDirectory(name, mode: mode)
    try folder.synchronize()
  }

  package static func close(toOthers path: String) throws(SystemError) {
    try checkName(path, "chmod", path)
    guard let status = try statusFollowing(path), status.mode & 0o077 != 0 else { return }
    guard chmod(path, status.mode & 0o700) == 0 else { throw SystemError("chmod", path) }
  }

  /// Makes the entries of a folder durable, unless the folder is unreadable or read-only.
  package static func synchronizeIfAllowed(_ path: String) throws(SystemError) {
    do throws(SystemError) { try synchronizeDirectory(path) } catch {
      guard [EACCES, EPERM, EROFS].contains(error.errno) else { throw error }
    }
  }

  package static func rename(_ old: String, to new: String) throws(SystemError) {
    try Directory.working().rename(old, to: new)
  }

  package static func renameNoReplace(_ old: String, to new: String) throws(SystemError) {
    try Directory.working().renameNoReplace(old, to: new)
  }

  @discardableResult
  package static func remove(_ path: String) throws(SystemError) -> Bool { try Directory.working().remove(path) }

  @discardableResult
  package static func removeDirectory(_ path: String) throws(SystemError) -> Bool {
    try Directory.working().removeDirectory(path)
  }

  package static func synchronizeDirectory(_ path: String) throws(SystemError) { try Directory(path).synchronize() }

  /// Returns whether the path is on a network file system: NFS, SMB, 9P, AFS, Ceph or Coda, but not FUSE.
  package static func isOnNetwork(_ path: String) throws(SystemError) -> Bool {
    let network = [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0x7375_7245]
    return network.contains(try FileSystem.kind(path))
  }
}

extension Path {
  package static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

  package static func isExecutable(_ path: String) -> Bool {
    guard access(path, X_OK) == 0 else { return false }
    return (try? statusFollowing(path))?.kind == .file
  }
}
