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

  /// Returns the error for a full disk that another library reports.
  package static func noSpace(_ path: String) -> SystemError { SystemError(call: "write", errno: ENOSPC, path: path) }

  /// Returns the error for a file that is shorter than its written content.
  package static func short(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// Returns the error for a disk that cannot read its data.
  package static func diskFailure(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// Returns the error for a file that another process changes during a read.
  package static func changing(_ path: String) -> SystemError { SystemError(call: "reread", errno: EAGAIN, path: path) }

  package static let missing = ENOENT

  package var isMissing: Bool { errno == ENOENT }
  package var isExisting: Bool { errno == EEXIST }
  package var isWrongKind: Bool { errno == ENOTDIR || errno == ELOOP || errno == ENXIO || errno == EISDIR }
  package var isNotEmpty: Bool { errno == ENOTEMPTY }
  package var isDenied: Bool { errno == EACCES || errno == EPERM }
  /// Whether this file cannot be changed, although other files may be changeable.
  package var isHeldFast: Bool { isDenied || errno == EBUSY }
  package var isReadOnly: Bool { errno == EROFS }
  package var isUnreadable: Bool { errno == EIO || errno == EACCES || errno == EBADMSG || errno == EUCLEAN }
  package var isDiskFailure: Bool { errno == EIO }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  package var isFileTooLarge: Bool { errno == EFBIG }
  package var isBrokenPipe: Bool { errno == EPIPE }
  package var isChanging: Bool { call == "reread" }

  /// The text of the C library for the error number, such as `No space left on device`.
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
