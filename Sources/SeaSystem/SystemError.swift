import Glibc

/// A failed system call with its path and error number. All failures in this target have this type.
package struct SystemError: Error, Equatable, Sendable {
  package let call: String
  package let errno: Int32
  /// The path concerned, for display; may be empty.
  package let path: String
  /// The kind of entry found instead of a file, if that is the reason.
  package let met: FileKind?

  package init(call: String, errno: Int32, path: String, met: FileKind? = nil) {
    self.call = call
    self.errno = errno
    self.path = path
    self.met = met
  }

  /// The failure of the last call.
  init(_ call: String, _ path: String) { self.init(call: call, errno: Glibc.errno, path: path) }

  /// The failure reported to another writer of the file.
  package static func noSpace(_ path: String) -> SystemError { SystemError(call: "write", errno: ENOSPC, path: path) }

  /// A file that is shorter than its written content.
  package static func short(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// A disk that cannot read its data.
  package static func diskFailure(_ path: String) -> SystemError { SystemError(call: "read", errno: EIO, path: path) }

  /// A file that another process changes during a read.
  package static func changing(_ path: String) -> SystemError { SystemError(call: "reread", errno: EAGAIN, path: path) }

  /// The number for "no such file".
  package static let missing = ENOENT

  package var isMissing: Bool { errno == ENOENT }
  package var isExisting: Bool { errno == EEXIST }
  /// The entry has another kind than requested.
  package var isWrongKind: Bool { errno == ENOTDIR || errno == ELOOP || errno == ENXIO || errno == EISDIR }
  package var isNotEmpty: Bool { errno == ENOTEMPTY }
  package var isDenied: Bool { errno == EACCES || errno == EPERM }
  /// Whether this file cannot be changed, although others may be.
  package var isHeldFast: Bool { isDenied || errno == EBUSY }
  package var isReadOnly: Bool { errno == EROFS }
  package var isUnreadable: Bool { errno == EIO || errno == EACCES || errno == EBADMSG || errno == EUCLEAN }
  package var isDiskFailure: Bool { errno == EIO }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  /// The file system does not support files of this size.
  package var isFileTooLarge: Bool { errno == EFBIG }
  package var isBrokenPipe: Bool { errno == EPIPE }
  package var isChanging: Bool { call == "reread" }

  /// The C library's text for the number, for example `No space left on device`.
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
