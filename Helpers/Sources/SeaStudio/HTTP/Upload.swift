import Glibc

/// A file that a browser has sent. It has no name in the file system, and disappears with this object.
package final class Upload: Sendable {
  /// The name that the browser gave, which nothing depends on.
  package let name: String
  private let file: CInt

  package init(in folder: String, name: String) throws {
    self.name = name
    var path = Array("\(folder)/studio-XXXXXX".utf8CString)
    file = mkstemp(&path)
    guard file >= 0 else { throw Refusal(507, "cannot store the file: \(String(cString: strerror(errno)))") }
    unlink(path)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(file) }

  package var size: Int64 {
    var status = stat()
    return fstat(file, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// The first bytes.
  var beginning: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  /// A path through which this process can read the file.
  var path: String { "/proc/self/fd/\(file)" }

  func append(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Refusal(507, "cannot store the file: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }
}
