import Glibc

/// An exclusive lock for a writer. The kernel releases the lock when the process ends, for whatever reason.
package final class FileLock {
  package enum Outcome {
    case locked(FileLock)
    /// The lock holder's description of itself, and the age of the lock in milliseconds by the wall clock. The
    /// description is only for display and may be outdated or empty.
    case heldBy(text: String, milliseconds: Int64)
  }

  private let file: File
  private let start: Int64
  private var isHeld = true

  private init(file: File) { (self.file, start) = (file, Trace.start()) }

  deinit { release() }

  /// Waits up to `seconds` (nil: forever) for the lock on the file at `path`. Creates the file if it is missing, and
  /// never removes it. Stops waiting if `goesOn` returns false.
  /// - Throws: ENOLCK or EOPNOTSUPP if the file system does not support locks.
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
          Trace.record("lock", since: start, [("path", .text(path)), ("outcome", .text("held"))])
          return holder(of: file)
        }
        pause = min(pause, Int64(min(left, 1) * 1e9) + 1)
      }
      Clock.sleep(nanoseconds: pause)
      pause = min(pause * 2, 50_000_000)
    }
    Trace.record("lock", since: start, [("path", .text(path)), ("outcome", .text("locked"))])
    // The description only informs waiting processes, so the lock is valid even if the description cannot be written.
    try? write(information, over: file)
    return .locked(FileLock(file: file))
  }

  private static func write(_ information: String, over file: File) throws(SystemError) {
    let bytes = Array(information.utf8)
    let before = try file.status().size
    try bytes.withBytes { (bytes) throws(SystemError) in try file.write(bytes, at: 0) }
    // Setting the file size is slower than all other steps together, even if the size does not change.
    if before > bytes.count { try file.truncate(to: Int64(bytes.count)) }
  }

  /// Releases the lock. Releasing the object has the same effect.
  package func release() {
    guard isHeld else { return }
    isHeld = false
    try? file.close()
    Trace.record("unlock", since: start, [("path", .text(file.path))])
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
  /// Returns the lock holder's description of itself and when it acquired the lock; nil if the lock is free.
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
