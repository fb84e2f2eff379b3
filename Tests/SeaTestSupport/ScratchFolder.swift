import Glibc
import SeaSystem

/// Where the tests of this process write: a folder on the disk and one in memory, gone when the process ends.
///
/// What a process that was killed has left is removed by the next one. Tests/pool.py keeps to the same agreement: a folder
/// `sea-scratch.*` has a file `owner` that says whose it is, by number and by when that process began.
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

  /// - Parameter own: whether what this process has made goes as well.
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

  /// When a process began, in ticks since the machine did; nil if there is no such process.
  private static func began(_ process: String) -> String? {
    text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " ").dropFirst(19).first.map(
      String.init)
  }

  private static func text(_ path: String) -> String? {
    (try? File(path).readAll(limit: 1 << 16)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A folder of its own for a test, removed with everything in it.
package final class ScratchFolder {
  package let path: String

  /// - Parameter inMemory: where waiting for the disk takes no time, if the machine has such a place.
  package init(inMemory: Bool = false) throws {
    path = Path.join(inMemory ? ScratchBase.inMemory : ScratchBase.onDisk, "test" + (try AtomicFile.temporaryName()))
    try Path.createDirectories(path)
  }

  /// The path of a new folder, which lasts as long as the tests do.
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

  /// Every file below, with the path from here.
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
