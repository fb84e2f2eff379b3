import Glibc

extension File {
  /// Waits until one of two files can be read or the other takes something. At the end of a file it can be read.
  /// - Returns: whether there is something to read.
  package static func waits(toRead input: File, orWrite output: File) throws(SystemError) -> Bool {
    var both = [
      pollfd(fd: input.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output.descriptor, events: Int16(POLLOUT), revents: 0),
    ]
    guard retried({ Int(poll(&both, 2, -1)) }) >= 0 else { throw SystemError("poll", input.path) }
    return both[0].revents != 0
  }

  /// A file for reading that a person named. At a pipe somebody is waited for at the other end, until this process is asked to
  /// stop.
  /// - Throws: `isInterruption` if it was.
  package static func awaited(_ path: String) throws(SystemError) -> File {
    let file = try File(path, [.read, .nonBlocking])
    let kind = try file.status().kind
    // A regular file never makes anybody wait.
    if kind == .file { return file }
    if kind == .pipe { try file.awaitOtherEnd("open") }
    guard file.clear(O_NONBLOCK) else { throw SystemError("fcntl", path) }
    return file
  }

  /// The same as `readSome`. Where nothing comes it is waited for until this process is asked to stop.
  /// - Throws: `isInterruption` if it was.
  package func readAwaited(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try awaitOtherEnd("read")
    return try readSome(into: buffer)
  }

  /// As long as nobody has opened it for writing, or nobody writes, nothing is told of it.
  private func awaitOtherEnd(_ call: String) throws(SystemError) {
    var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      guard Interruption.signal == nil else { throw SystemError(call: call, errno: EINTR, path: path) }
      let count = retried { Int(poll(&waits, 1, 100)) }
      guard count >= 0 else { throw SystemError("poll", path) }
      if count > 0 { return }
    }
  }
}
