import Glibc

extension File {
  /// What came of asking for the sole right to a file.
  package enum Claim: Sendable {
    /// It is ours until the file is closed or the process ends.
    case ours
    /// Another one has it, who lives.
    case others
    /// The file system knows no such right.
    case unknown
  }

  /// Asks for the sole right to the file, without waiting.
  package func claim() throws(SystemError) -> Claim {
    if retried({ Int(flock(descriptor, LOCK_EX | LOCK_NB)) }) == 0 { return .ours }
    switch errno {
    case EWOULDBLOCK: return .others
    case ENOLCK, ENOTSUP, ENOSYS, EINVAL: return .unknown
    default: throw SystemError("flock", path)
    }
  }

  /// Writes all bytes at `offset`; the position stays.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = retried {
        pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
      }
      guard count >= 0 else { throw SystemError("write", path) }
      guard count > 0 else { throw SystemError(call: "write", errno: EIO, path: path) }
      done += count
    }
  }
}
