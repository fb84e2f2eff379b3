import Glibc

/// A file that appears whole under its name or not at all.
///
/// It is written under a temporary name (`.sea-tmp-` and 32 hex digits) in the same folder, and `commit` gives it its
/// name once its content is on the disk. Whatever fails before that, the temporary file is removed and the name is as
/// it was; a crash leaves at most a temporary file.
package final class AtomicFile {
  package static let temporaryPrefix = ".sea-tmp-"

  package let name: String
  private let folder: Directory
  private let temporary: String
  private let file: File
  private var done = false

  /// - Parameter temporary: another temporary name, which nobody else uses: what lies there is taken away.
  package init(
    _ name: String, in folder: Directory, mode: UInt32 = 0o666, temporary: String? = nil
  ) throws(SystemError) {
    self.name = name
    self.folder = folder
    if let temporary {
      _ = try folder.remove(temporary)
      self.temporary = temporary
    } else {
      self.temporary = try AtomicFile.temporaryName()
    }
    file = try folder.file(self.temporary, [.write, .create, .exclusive], mode: mode)
  }

  package convenience init(_ path: String, mode: UInt32 = 0o666) throws(SystemError) {
    try self.init(Path.name(path), in: try Directory(Path.parent(path)), mode: mode)
  }

  deinit { discard() }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) { try file.write(bytes) }
  package func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes) }

  /// Where it lies until `commit`, for what writes files by their names alone. Nobody else knows it.
  package var temporaryPath: String { Path.join(folder.path, temporary) }

  /// What was written so far, for reading it back before `commit` has given it its name.
  package func reader() throws(SystemError) -> File { try folder.file(temporary) }

  /// Locks it as its only holder, for as long as the file returned is open.
  /// - Returns: nil where the file system has no locks.
  package func lock() throws(SystemError) -> File? {
    let lowest: Int32 = 3
    let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, lowest)
    guard copy >= 0 else { throw SystemError("fcntl", temporary) }
    let held = File(descriptor: copy, path: temporary)
    return flock(copy, LOCK_EX | LOCK_NB) == 0 ? held : nil
  }

  /// Throws EEXIST if the name is taken and `replace` is false; what was written can be read until this object is
  /// released. With `synchronizingFolder: false` the name itself is durable only after the caller has synchronized the
  /// folder.
  package func commit(replace: Bool, synchronizingFolder: Bool = true) throws(SystemError) {
    try giveName(replace: replace, synchronizing: true)
    if synchronizingFolder { try folder.synchronize() }
  }

  /// For what need not survive a loss of power: nothing waits for the disk. A file of its name is replaced.
  package func commitUnsynchronized() throws(SystemError) { try giveName(replace: true, synchronizing: false) }

  private func giveName(replace: Bool, synchronizing: Bool) throws(SystemError) {
    do throws(SystemError) {
      if synchronizing { try file.synchronize() }
      try file.close()
      if replace {
        try folder.rename(temporary, to: name)
      } else {
        try folder.renameNoReplace(temporary, to: name)
      }
    } catch {
      if !error.isExisting { discard() }
      throw error
    }
    done = true
  }

  /// Gives the file up. Nothing happens after `commit`.
  package func discard() {
    guard !done else { return }
    done = true
    // The failure that led here is the one to report.
    try? file.close()
    _ = try? folder.remove(temporary)
  }

  package static func write(
    _ path: String, mode: UInt32 = 0o666, _ bytes: [UInt8], replace: Bool
  ) throws(SystemError) {
    let file = try AtomicFile(path, mode: mode)
    try file.write(bytes)
    try file.commit(replace: replace)
  }

  package static func temporaryName() throws(SystemError) -> String {
    var name = temporaryPrefix
    for byte in try Random.bytes(16) {
      name.append(byte < 16 ? "0" : "")
      name.append(String(byte, radix: 16))
    }
    return name
  }

  /// A text without what differs in the names of temporary files.
  package static func withoutTemporaryNames(_ text: String) -> String {
    var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    for k in parts.indices where String(decoding: parts[k], as: UTF8.self).hasPrefix(temporaryPrefix) {
      parts[k].removeSubrange(temporaryPrefix.utf8.count..<min(parts[k].count, temporaryPrefix.utf8.count + 32))
    }
    return String(decoding: Array(parts.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
  }

  /// Takes away the temporary files of a folder. The caller knows that nobody is making one. Cleaning up is by the way:
  /// what cannot be removed now is removed another time.
  package static func removeTemporaries(in path: String) {
    // Every writer looks, and there is hardly ever one.
    guard Directory.hasName(beginningWith: temporaryPrefix, in: path), let folder = try? Directory(path),
      let listing = try? folder.list()
    else { return }
    for entry in listing.entries where entry.kind == .file && isTemporary(entry.name) {
      _ = try? folder.remove(entry.name)
    }
  }

  /// Whether a name is one of those that this program gives to files in the making.
  package static func isTemporary(_ name: String) -> Bool {
    let text = name.utf8
    return text.count == temporaryPrefix.utf8.count + 32 && name.hasPrefix(temporaryPrefix)
      && text.dropFirst(temporaryPrefix.utf8.count).allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
      }
  }
}
