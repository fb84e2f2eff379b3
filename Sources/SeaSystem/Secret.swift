import Glibc

// Swift does not import functions with variable arguments such as prctl. The arguments are machine words.
@_silgen_name("prctl")
private func linuxControl(_ option: Int32, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) -> Int32

extension ThisProcess {
  /// Excludes the memory of this process from core files and permits only root to inspect it, as far as the system
  /// supports that.
  package static func disableCoreDumps() {
    let setDumpable: Int32 = 4
    _ = linuxControl(setDumpable, 0, 0, 0, 0)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// Reads a line with a secret byte by byte, so that later bytes are not read and no buffer keeps the secret.
package struct SecretLine {
  private var bytes: [UInt8] = []

  private init() { bytes.reserveCapacity(4096) }

  private mutating func append(_ byte: UInt8) {
    if bytes.count == bytes.capacity {
      // If the array grew, its old memory would keep a copy of the secret.
      var larger: [UInt8] = []
      larger.reserveCapacity(bytes.count * 2)
      larger.append(contentsOf: bytes)
      SecretLine.wipe(&bytes)
      bytes = larger
    }
    bytes.append(byte)
  }

  /// Reads up to the end of the line (LF or CRLF) or of the file; returns nil if that exceeds `limit` bytes.
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

  /// Zeroes the memory of a secret that no other variable shares.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    bytes.removeAll()
  }
}

extension File {
  /// Returns the open file that the calling process passed as this descriptor, or nil. Call this once.
  ///
  /// All files opened by this process are marked close-on-exec, which distinguishes them from a passed file. The
  /// returned file is marked too, so that started programs cannot read it.
  package static func inherited(_ descriptor: Int32) -> File? {
    let flags = fcntl(descriptor, F_GETFD)
    guard flags >= 0, flags & FD_CLOEXEC == 0 else { return nil }
    if descriptor > 2 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    return File(descriptor: descriptor, path: "descriptor \(descriptor)", owned: false)
  }
}
