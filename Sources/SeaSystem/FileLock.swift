import Glibc

/// The right to be the only writer, granted by the kernel and taken back by it when the process ends in any way.
package final class FileLock {
  package enum Outcome {
    case locked(FileLock)
    /// What the holder wrote about itself, and for how many milliseconds it has had the lock by the wall clock.
    /// Information for people: the text may be stale or empty.
    case heldBy(text: String, milliseconds: Int64)
  }

  private let file: File
  private let start: Int64
  private var isHeld = true

  private init(file: File) { (self.file, start) = (file, Trace.start()) }

  deinit { release() }

  /// Waits at most `seconds` (nil: for ever) for the lock on the file at `path`, which is made if it is missing and
  /// never removed. Who waits goes on as long as `goesOn` says so. A file system that has no locks (ENOLCK, EOPNOTSUPP) is an error: nobody may hope.
  package static func acquire(
    _ path: String, information: String, seconds: Double?, mode: UInt32 = 0o600, goesOn: () -> Bool = { true }
  ) throws(SystemError) -> Outcome {
    let file = try File(path, [.read, .write, .create, .noFollow, .nonBlocking], mode: mode)
    let start = Clock.monotonic()
    var pause: Int64 = 1_000_000
    while true {
      if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { break }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError("flock", path) }
      guard goesOn() else { return holder(of: file) }
      if let seconds {
        let left = seconds - Double(Clock.monotonic() - start) / 1e9
        guard left > 0 else {
          Trace.note("lock", since: start, [("path", .text(path)), ("outcome", .text("held"))])
          return holder(of: file)
        }
        pause = min(pause, Int64(min(left, 1) * 1e9) + 1)
      }
      Clock.sleep(nanoseconds: pause)
      pause = min(pause * 2, 50_000_000)
    }
    Trace.note("lock", since: start, [("path", .text(path)), ("outcome", .text("locked"))])
    // The text helps whoever waits; on a full disk the lock is as good without it.
    try? write(information, over: file)
    return .locked(FileLock(file: file))
  }

  private static func write(_ information: String, over file: File) throws(SystemError) {
    let bytes = Array(information.utf8)
    let before = try file.status().size
    try bytes.withBytes { (bytes) throws(SystemError) in try file.write(bytes, at: 0) }
    // To set a size costs more than all of the rest, also where it is that size already.
    if before > bytes.count { try file.truncate(to: Int64(bytes.count)) }
  }

  /// Gives the lock back; so does releasing the object.
  package func release() {
    guard isHeld else { return }
    isHeld = false
    try? file.close()
    Trace.note("unlock", since: start, [("path", .text(file.path))])
  }

  private static func holder(of file: File) -> Outcome {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    let since = (try? file.status())?.modified ?? Clock.now()
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    return .heldBy(text: text, milliseconds: max(0, Clock.now() - since))
  }
}

extension FileLock {
  /// What the holder of a lock wrote about itself, and since when by the wall clock; nil if nobody has it.
  ///
  /// It asks the kernel by trying for a shared lock and giving it back at once.
  package static func holder(_ path: String) throws(SystemError) -> (text: String, since: Int64)? {
    let file: File
    do throws(SystemError) { file = try File(path, [.read, .noFollow, .nonBlocking]) } catch {
      if error.isMissing { return nil }
      throw error
    }
    if flock(file.descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError("flock", path) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    let text = String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "\n" }
    return (String(text), try file.status().modified)
  }
}
