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
}
