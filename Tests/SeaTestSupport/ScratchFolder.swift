import Glibc
import SeaSystem

/// The folders in which the tests of a process write, on disk and in memory. They are removed when the process ends.
///
/// The next process removes the folders of a killed process. Tests/pool.py follows the same convention: a folder
/// `sea-scratch.*` has a file `owner` with the number and the start time of its process.
package enum ScratchBase {
  package static let onDisk = make(in: ThisProcess.environment("TMPDIR") ?? "/tmp")
  package static let inMemory = Path.isWritable("/dev/shm") ? make(in: "/dev/shm") : onDisk
  private static let prefix = "sea-scratch."

  private static func make(in base: String) -> String {
    sweep(base)
    do {
      let path = Path.join(base, prefix + (try AtomicFile.temporaryName().drop { $0 == "." }))
      try Path.createDirectories(path)
      let process = ThisProcess.processID()
      try AtomicFile.write(
        Path.join(path, "owner"), Array("\(process) \(began(String(process)) ?? "")\n".utf8), replace: false)
      atexit { ScratchBase.removeOwn() }
      return path
    } catch {
      fatalError("no folder for tests in \(base): \(error)")
    }
  }

  private static func removeOwn() {
    for base in [ThisProcess.environment("TMPDIR") ?? "/tmp", "/dev/shm"] { sweep(base, own: true) }
  }

  /// - Parameter own: whether to remove the folders of the current process, too.
  private static func sweep(_ base: String, own: Bool = false) {
    for entry in (try? Directory(base).list().entries) ?? [] where entry.name.hasPrefix(prefix) {
      let path = Path.join(base, entry.name)
      guard let owner = text(Path.join(path, "owner"))?.split(separator: " "), owner.count == 2 else { continue }
      let isOwn = owner[0] == "\(ThisProcess.processID())"
      if isOwn ? own : began(String(owner[0])).map({ $0 != owner[1].dropLast() }) ?? true {
        try? ScratchFolder.removeAll(path)
      }
    }
  }

  /// Returns the start time of a process in clock ticks since boot; nil if the process does not exist.
  private static func began(_ process: String) -> String? {
    text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " ").dropFirst(19).first.map(
      String.init)
  }

  private static func text(_ path: String) -> String? {
    (try? File(path).readAll(limit: 1 << 16)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A temporary folder for a test, removed together with its content.
package final class ScratchFolder {
  package let path: String

  /// - Parameter inMemory: whether to use memory instead of a disk, if the machine supports it, to save time.
  package init(inMemory: Bool = false) throws {
    path = Path.join(inMemory ? ScratchBase.inMemory : ScratchBase.onDisk, "test" + (try AtomicFile.temporaryName()))
    try Path.createDirectories(path)
  }

  /// Creates a folder that exists until the tests end.
  package static func lasting() throws -> String {
    let path = Path.join(ScratchBase.onDisk, "lasting" + (try AtomicFile.temporaryName()))
    try Path.createDirectories(path)
    return path
  }

  deinit { try? ScratchFolder.removeAll(path) }

  package func path(_ name: String) -> String { Path.join(path, name) }

  package static func removeAll(_ path: String) throws {
    guard try Path.status(path)?.kind == .directory else {
      try Path.remove(path)
      return
    }
    for entry in try Directory(path).list().entries { try removeAll(Path.join(path, entry.name)) }
    try Path.removeDirectory(path)
  }

  /// Returns the relative paths of all files below a folder.
  package func files(_ below: String = "") throws -> [String] {
    var result: [String] = []
    for entry in try Directory(Path.join(path, below)).list().entries {
      let name = Path.join(below, entry.name)
      if entry.kind == .directory { result += try files(name) } else { result.append(name) }
    }
    return result.sorted()
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws {
    try Path.createDirectories(Path.parent(path(name)))
    let file = try File(path(name), [.write, .create, .truncate])
    try file.write(bytes)
    try file.close()
  }

  package func bytes(_ name: String) throws -> [UInt8] { try File(path(name)).readAll(limit: 1 << 30) ?? [] }
}
