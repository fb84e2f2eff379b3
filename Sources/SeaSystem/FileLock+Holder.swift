import Glibc

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
