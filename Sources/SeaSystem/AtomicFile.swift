import Glibc

/// A file that appears under its final name only once it is complete.
///
/// The content is written to a temporary file (`.sea-tmp-` and 32 hex digits) in the same folder. `commit` renames the
/// temporary file after its content is on the disk. If an earlier step fails, the temporary file is removed. A crash
/// leaves at most a temporary file.
package final class AtomicFile {
  package static let temporaryPrefix = ".sea-tmp-"

  package let name: String
  private let folder: Directory
  private let temporary: String
  private let file: File
  private var done = false

  /// - Parameter temporary: another temporary name, used only by this writer. An existing file with that name is
  ///   removed.
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

  /// The path of the temporary file, for code that writes files by name. No other object uses this path.
  package var temporaryPath: String { Path.join(folder.path, temporary) }

  /// Opens the content written so far, to read it before `commit`.
  package func reader() throws(SystemError) -> File { try folder.file(temporary) }

  /// Locks the file exclusively while the returned file is open.
  /// - Returns: nil if the file system does not support locks.
  package func lock() throws(SystemError) -> File? {
    let lowest: Int32 = 3
    let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, lowest)
    guard copy >= 0 else { throw SystemError("fcntl", temporary) }
    let held = File(descriptor: copy, path: temporary)
    return flock(copy, LOCK_EX | LOCK_NB) == 0 ? held : nil
  }

  /// Gives the file its name. The content remains readable until this object is released. With `synchronizingFolder:
  /// false`, the name is durable only after the caller synchronizes the folder.
  /// - Throws: EEXIST if the name is taken and `replace` is false.
  package func commit(replace: Bool, synchronizingFolder: Bool = true) throws(SystemError) {
    try giveName(replace: replace, synchronizing: true)
    if synchronizingFolder { try folder.synchronize() }
  }

  /// Commits without waiting for the disk and replaces an existing file. Use this only for files that do not have to
  /// survive a power loss.
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

  package func discard() {
    guard !done else { return }
    done = true
    // The caller reports the original error.
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

  /// Returns the text with the random part of temporary file names removed.
  package static func withoutTemporaryNames(_ text: String) -> String {
    var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    for k in parts.indices where String(decoding: parts[k], as: UTF8.self).hasPrefix(temporaryPrefix) {
      parts[k].removeSubrange(temporaryPrefix.utf8.count..<min(parts[k].count, temporaryPrefix.utf8.count + 32))
    }
    return String(decoding: Array(parts.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
  }

  /// Removes the temporary files in a folder. The caller ensures that no writer is active. The next cleanup removes
  /// files that cannot be removed now.
  package static func removeTemporaries(in path: String) {
    // Every writer calls this function, and such files are rare, so check for the prefix first.
    guard Directory.hasName(beginningWith: temporaryPrefix, in: path), let folder = try? Directory(path),
      let listing = try? folder.list()
    else { return }
    for entry in listing.entries where entry.kind == .file && isTemporary(entry.name) {
      _ = try? folder.remove(entry.name)
    }
  }

  package static func isTemporary(_ name: String) -> Bool {
    let text = name.utf8
    return text.count == temporaryPrefix.utf8.count + 32 && name.hasPrefix(temporaryPrefix)
      && text.dropFirst(temporaryPrefix.utf8.count).allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
      }
  }
}
