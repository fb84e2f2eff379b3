import Glibc

/// A small text in a file that one program has at a time, together with the programs it has started on its behalf: what it says is replaced
/// whole, and whoever comes next takes it over only when the last of them has ended, in whatever way.
package final class HeldFile {
  package enum Outcome {
    case held(HeldFile)
    case heldByAnother
  }

  package let path: String
  /// The file that has the name now, locked; nil where the file system has no locks.
  private var file: File?

  private init(_ path: String, _ file: File?) {
    self.path = path
    self.file = file
  }

  /// What a program has to be started with to hold it, too.
  package var descriptor: Int32? { file?.descriptor }

  /// Takes a file over, which is made with what `first` says if it is not there. Does not wait. Of a link it is the file that is had.
  package static func take(_ named: String, first: () throws -> [UInt8]) throws -> Outcome {
    while true {
      let path = try Path.statusFollowing(named) == nil ? named : Path.real(named)
      let file: File
      do throws(SystemError) { file = try File(path, [.read, .nonBlocking]) } catch {
        guard error.isMissing else { throw error }
        if let made = try make(path, first()) { return .held(made) }
        // A link to nothing has the name, and nothing may take its place.
        if try Path.status(path)?.kind == .link { throw error }
        continue
      }
      let kind = try file.status().kind
      guard kind == .file else { throw SystemError.wrongKind(path, kind) }
      if flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EINTR { continue }
        return errno == EWOULDBLOCK ? .heldByAnother : .held(HeldFile(path, nil))
      }
      // Another one may have put a new one in its place before this was locked.
      let (own, there) = (try file.status(), try Path.statusFollowing(path))
      if let there, own.device == there.device, own.inode == there.inode { return .held(HeldFile(path, file)) }
    }
  }

  /// - Returns: nil if there is one already.
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

  /// The text, of at most `limit` bytes; nil if it has more.
  package func read(limit: Int) throws(SystemError) -> [UInt8]? { try File(path).readAll(limit: limit) }

  package func replace(_ bytes: [UInt8]) throws(SystemError) {
    let folder = try Directory(Path.parent(path))
    // Nobody else makes one: a crash leaves one at most, and not for long.
    let new = try AtomicFile(Path.name(path), in: folder, temporary: ".\(Path.name(path)).sea-tmp")
    try new.write(bytes)
    let file = try self.file == nil ? nil : new.lock()
    try new.commit(replace: true)
    self.file = file
  }
}
