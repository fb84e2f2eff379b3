import Glibc

/// A private folder for files of this process and the programs that it starts. The folder is removed after use.
///
/// All such folders share a parent folder, which is created if necessary. Creating a folder also removes the folders of
/// processes that have ended: their locks are free.
package final class TemporaryFolder {
  package let path: String
  private let parent: Directory
  private let folder: Directory
  private let name: String
  private var isThere = true

  private static let keptDays: Int64 = 30

  package init(in above: String, named parentName: String) throws(SystemError) {
    let top = try Directory(above)
    if try top.createDirectory(parentName, mode: 0o700) { try top.synchronize() }
    parent = try top.directory(parentName)
    // A new folder without a lock would look abandoned, so only one process at a time creates a folder.
    let making = try top.directory(parentName)
    let isAlone = try making.lock(seconds: nil)
    if isAlone { TemporaryFolder.sweep(parent) }
    name = String(try AtomicFile.temporaryName().dropFirst(AtomicFile.temporaryPrefix.utf8.count).prefix(16))
    try parent.createDirectory(name, mode: 0o700)
    folder = try parent.directory(name)
    path = folder.path
    _ = try folder.lock(seconds: nil)
  }

  /// Creates a single folder with an unpredictable name. After a crash, the folder remains until the parent folder is
  /// cleaned, or `removeAbandoned` is called.
  package init(aloneIn above: String, prefix: String) throws(SystemError) {
    parent = try Directory(above)
    name = try prefix + AtomicFile.temporaryName().dropFirst(AtomicFile.temporaryPrefix.utf8.count).prefix(8)
    try parent.createDirectory(name, mode: 0o700)
    folder = try parent.directory(name)
    path = folder.path
    _ = try folder.lock(seconds: nil)
  }

  package convenience init(inMemory prefix: String) throws(SystemError) {
    let shared = "/dev/shm"
    let fallback = ThisProcess.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    try self.init(aloneIn: Path.isWritable(shared) ? shared : fallback, prefix: prefix + "-")
  }

  deinit { remove() }

  package func path(of name: String) -> String { folder.path(of: name) }

  package func write(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = try folder.file(name, [.write, .create, .truncate, .nonBlocking], mode: 0o600)
    try file.write(bytes)
    try file.close()
  }

  /// Reads a file that a program has left in the folder. Returns nil if the file exceeds `limit` bytes.
  /// - Throws: ELOOP for a link, EISDIR for another kind of entry.
  package func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8]? {
    let file = try folder.file(name, [.read, .nonBlocking])
    guard try file.status().kind == .file else {
      throw SystemError(call: "open", errno: EISDIR, path: folder.path(of: name))
    }
    return try file.readAll(limit: limit)
  }

  /// Saves bytes in a file next to the folder and returns its path. The file is kept for 30 days.
  package func keep(_ bytes: [UInt8], ending: String) throws(SystemError) -> String {
    let name = self.name + ending
    let file = try parent.file(name, [.write, .create, .exclusive], mode: 0o600)
    try file.write(bytes)
    try file.synchronize()
    try file.close()
    try parent.synchronize()
    return parent.path(of: name)
  }

  /// Removes the folder and its content. Anything that cannot be removed now is removed by a later cleanup.
  package func remove() {
    guard isThere else { return }
    isThere = false
    var sum = (files: 0, bytes: Int64(0))
    TemporaryFolder.empty(folder, removes: true, &sum)
    _ = try? parent.removeDirectory(name)
  }

  /// Finds the folders of processes that have ended, and saved files that have expired.
  /// - Parameter removes: whether to remove them.
  /// - Returns: the number of files and their total size in bytes.
  package static func collect(
    in above: String, named parentName: String, removes: Bool
  ) throws(SystemError) -> (files: Int, bytes: Int64) {
    let top = try Directory(above)
    guard let parent = try? top.directory(parentName), let making = try? top.directory(parentName),
      try making.lock(seconds: nil)
    else { return (0, 0) }
    return sweep(parent, removes: removes)
  }

  /// Removes single folders of processes that have ended.
  package static func removeAbandoned(in above: String, prefix: String) {
    guard let parent = try? Directory(above) else { return }
    for entry in (try? parent.list().entries) ?? [] where entry.kind == .directory && entry.name.hasPrefix(prefix) {
      guard let folder = try? parent.directory(entry.name), (try? folder.lock(seconds: 0)) == true else { continue }
      var sum = (files: 0, bytes: Int64(0))
      empty(folder, removes: true, &sum)
      _ = try? parent.removeDirectory(entry.name)
    }
  }

  @discardableResult
  private static func sweep(_ parent: Directory, removes: Bool = true) -> (files: Int, bytes: Int64) {
    let oldest = Clock.now() - keptDays * 86_400_000
    var sum = (files: 0, bytes: Int64(0))
    for entry in (try? parent.list().entries) ?? [] {
      switch entry.kind {
      case .directory:
        guard let folder = try? parent.directory(entry.name), (try? folder.lock(seconds: 0)) == true else { continue }
        empty(folder, removes: removes, &sum)
        if removes { _ = try? parent.removeDirectory(entry.name) }
      default:
        guard let status = try? parent.status(entry.name), status.modified < oldest else { continue }
        sum = (sum.files + 1, sum.bytes + status.size)
        if removes { _ = try? parent.remove(entry.name) }
      }
    }
    return sum
  }

  /// Links are not followed, so only content inside the folder is removed.
  private static func empty(_ folder: Directory, removes: Bool, _ sum: inout (files: Int, bytes: Int64)) {
    for entry in (try? folder.list().entries) ?? [] {
      if entry.kind == .directory, let inner = try? folder.directory(entry.name) {
        empty(inner, removes: removes, &sum)
        if removes { _ = try? folder.removeDirectory(entry.name) }
      } else {
        if let status = try? folder.status(entry.name) { sum = (sum.files + 1, sum.bytes + status.size) }
        if removes { _ = try? folder.remove(entry.name) }
      }
    }
  }
}
