import Glibc

/// A system call that failed: which one, on what, and why. Everything in this target that can fail throws this.
package struct SystemError: Error, Equatable, Sendable {
  package let call: String
  package let errno: Int32
  /// What was worked on, for people; empty where there is no path.
  package let path: String
  /// What stands where a file is needed, if that is why.
  package let met: FileKind?

  package init(call: String, errno: Int32, path: String, met: FileKind? = nil) {
    self.call = call
    self.errno = errno
    self.path = path
    self.met = met
  }

  /// The failure of the call that returned just now.
  init(_ call: String, _ path: String) { self.init(call: call, errno: Glibc.errno, path: path) }

  /// What somebody else was told who wrote to the file.
  package static func noSpace(_ path: String) -> SystemError { SystemError(call: "write", errno: ENOSPC, path: path) }

  /// A file that ended before what had been written to it.
  package static func short(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// A disk that does not give what it has.
  package static func diskFailure(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// A file that somebody writes to while it is read.
  package static func changing(_ path: String) -> SystemError { SystemError(call: "reread", errno: EAGAIN, path: path) }

  /// The number for "no such file".
  package static let missing = ENOENT

  package var isMissing: Bool { errno == ENOENT }
  package var isExisting: Bool { errno == EEXIST }
  /// A link, a file or a device where something else was asked for.
  package var isWrongKind: Bool { errno == ENOTDIR || errno == ELOOP || errno == ENXIO || errno == EISDIR }
  package var isNotEmpty: Bool { errno == ENOTEMPTY }
  package var isDenied: Bool { errno == EACCES || errno == EPERM }
  /// Whether one file is not to be touched, whatever may be done with others.
  package var isHeldFast: Bool { isDenied || errno == EBUSY }
  package var isReadOnly: Bool { errno == EROFS }
  /// What is there cannot be read.
  package var isUnreadable: Bool { errno == EIO || errno == EACCES || errno == EBADMSG || errno == EUCLEAN }
  /// The disk fails.
  package var isDiskFailure: Bool { errno == EIO }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  /// The file system has no file so large.
  package var isFileTooLarge: Bool { errno == EFBIG }
  package var isBrokenPipe: Bool { errno == EPIPE }
  package var isChanging: Bool { call == "reread" }

  /// The C library's words for the number, for example `No space left on device`.
  package var reason: String {
    errno == EILSEQ ? "a path that is not UTF-8 cannot be used" : String(cString: strerror(errno))
  }
}

/// Repeats a call that a signal interrupted.
@inline(__always)
func retried(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
