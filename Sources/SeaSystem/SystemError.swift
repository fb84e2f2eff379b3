import Glibc

/// A failed system call with its path and error number. All functions of SeaSystem throw this type of error.
package struct SystemError: Error, Equatable, Sendable {
  package let call: String
  package let errno: Int32
  package let path: String
  package let met: FileKind?

  package init(call: String, errno: Int32, path: String, met: FileKind? = nil) {
    self.call = call
    self.errno = errno
    self.path = path
    self.met = met
  }

  init(_ call: String, _ path: String) { self.init(call: call, errno: Glibc.errno, path: path) }

  /// Returns an error for a full disk that another library has reported.
  package static func noSpace(_ path: String) -> SystemError { SystemError(call: "write", errno: ENOSPC, path: path) }

  /// Returns an error for a file that is shorter than the content written to it.
  package static func short(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// Returns an error for a disk that cannot be read.
  package static func diskFailure(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// Returns an error for a file that another process changed while it was being read.
  package static func changing(_ path: String) -> SystemError { SystemError(call: "reread", errno: EAGAIN, path: path) }

  package static let missing = ENOENT

  package var isMissing: Bool { errno == ENOENT }
  package var isExisting: Bool { errno == EEXIST }
  package var isWrongKind: Bool { errno == ENOTDIR || errno == ELOOP || errno == ENXIO || errno == EISDIR }
  package var isNotEmpty: Bool { errno == ENOTEMPTY }
  package var isDenied: Bool { errno == EACCES || errno == EPERM }
  /// Whether the error concerns only this file, so that other files may still be writable.
  package var isUnchangeable: Bool { isDenied || errno == EBUSY }
  package var isReadOnly: Bool { errno == EROFS }
  package var isUnreadable: Bool { errno == EIO || errno == EACCES || errno == EBADMSG || errno == EUCLEAN }
  package var isDiskFailure: Bool { errno == EIO }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  package var isFileTooLarge: Bool { errno == EFBIG }
  package var isBrokenPipe: Bool { errno == EPIPE }
  package var isChanging: Bool { call == "reread" }

  /// The C library's description of the error, such as `No space left on device`.
  package var reason: String {
    errno == EILSEQ ? "the path is not UTF-8" : String(cString: strerror(errno))
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
