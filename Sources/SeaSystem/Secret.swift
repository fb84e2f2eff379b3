import Glibc

// Swift does not import functions with variable arguments such as prctl.
@_silgen_name("prctl")
private func linuxControl(_ option: Int32, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) -> Int32

extension ThisProcess {
  /// Keeps the memory of this process out of core dumps and lets only root inspect it, if the system supports this.
  package static func disableCoreDumps() {
    let setDumpable: Int32 = 4
    _ = linuxControl(setDumpable, 0, 0, 0, 0)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// Reads a line that contains a secret. Reads byte by byte, so that nothing after the line is read and no buffer keeps
/// the secret.
package struct SecretLine {
  private var bytes: [UInt8] = []

  private init() { bytes.reserveCapacity(4096) }

  private mutating func append(_ byte: UInt8) {
    if bytes.count == bytes.capacity {
      // If the array grew automatically, its old memory would still contain a copy of the secret.
      var larger: [UInt8] = []
      larger.reserveCapacity(bytes.count * 2)
      larger.append(contentsOf: bytes)
      SecretLine.wipe(&bytes)
      bytes = larger
    }
    bytes.append(byte)
  }

  /// Reads to the end of the line (LF or CRLF) or the file. Returns nil if there are more than `limit` bytes.
  /// - Parameter wait: called before each byte.
  package static func read(
    _ file: File, limit: Int, wait: () throws(SystemError) -> Void = { () throws(SystemError) in }
  ) throws(SystemError) -> [UInt8]? {
    var line = SecretLine()
    var one: [UInt8] = [0]
    defer { wipe(&one) }
    while true {
      try wait()
      let count = try one.withMutableBytes { (buffer) throws(SystemError) in try file.readSome(into: buffer) }
      if count == 0 || one[0] == 0x0A { break }
      guard line.bytes.count < limit else {
        wipe(&line.bytes)
        return nil
      }
      line.append(one[0])
    }
    if line.bytes.last == 0x0D { line.bytes.removeLast() }
    return line.bytes
  }

  /// Overwrites a secret with zeros. The array must not be shared with another variable.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    bytes.removeAll()
  }
}

extension File {
  /// Returns the open file that the parent process passed as this descriptor, or nil. Call this only once.
  ///
  /// All files opened by this process are marked close-on-exec, so a file without the mark comes from the parent
  /// process. The returned file is marked too, so that started programs cannot read it.
  package static func inherited(_ descriptor: Int32) -> File? {
    let flags = fcntl(descriptor, F_GETFD)
    guard flags >= 0, flags & FD_CLOEXEC == 0 else { return nil }
    if descriptor > 2 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    return File(descriptor: descriptor, path: "descriptor \(descriptor)", owned: false)
  }
}
