import Glibc

/// A small text file that only one program at a time can hold. Programs started by the holder hold the file too, so
/// another program can take over only after all of them have ended. Each write replaces the whole text.
package final class HeldFile {
  package enum Outcome {
    case held(HeldFile)
    case heldByAnother
  }

  package let path: String
  /// The locked file; nil if the file system does not support locks.
  private var file: File?

  private init(_ path: String, _ file: File?) {
    self.path = path
    self.file = file
  }

  /// The descriptor that a started program must inherit to hold the file.
  package var descriptor: Int32? { file?.descriptor }

  /// Takes over a file without waiting, or creates it with the bytes that `first` returns. Follows links.
  package static func acquire(_ named: String, first: () throws -> [UInt8]) throws -> Outcome {
    while true {
      let path = try Path.statusFollowing(named) == nil ? named : Path.real(named)
      let file: File
      do throws(SystemError) { file = try File(path, [.read, .nonBlocking]) } catch {
        guard error.isMissing else { throw error }
        if let made = try make(path, first()) { return .held(made) }
        // The name is a dangling link, which must not be replaced.
        if try Path.status(path)?.kind == .link { throw error }
        continue
      }
      let kind = try file.status().kind
      guard kind == .file else { throw SystemError.wrongKind(path, kind) }
      if flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EINTR { continue }
        return errno == EWOULDBLOCK ? .heldByAnother : .held(HeldFile(path, nil))
      }
      // Another process may have replaced the file before this process locked it.
      let (own, there) = (try file.status(), try Path.statusFollowing(path))
      if let there, own.device == there.device, own.inode == there.inode { return .held(HeldFile(path, file)) }
    }
  }

  private static func make(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> HeldFile? {
    let new = try AtomicFile(path)
    try new.write(bytes)
    let file = try new.lock()
    do throws(SystemError) { try new.commit(replace: false) } catch {
      if error.isExisting { return nil }
      throw error
    }
    return HeldFile(path, file)
  }

  package func read(limit: Int) throws(SystemError) -> [UInt8]? { try File(path).readAll(limit: limit) }

  package func replace(_ bytes: [UInt8]) throws(SystemError) {
    let folder = try Directory(Path.parent(path))
    // Only the holder creates this temporary file, so a crash leaves at most one.
    let new = try AtomicFile(Path.name(path), in: folder, temporary: ".\(Path.name(path)).sea-tmp")
    try new.write(bytes)
    let file = try self.file == nil ? nil : new.lock()
    try new.commit(replace: true)
    self.file = file
  }
}
