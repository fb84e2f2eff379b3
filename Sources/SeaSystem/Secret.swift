import Glibc

// Prctl takes a variable number of arguments, which Swift does not import; all of them are plain words.
@_silgen_name("prctl")
private func linuxControl(_ option: Int32, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) -> Int32

extension ThisProcess {
  /// From now on the memory of this process goes into no core file, and only root can look at it from outside. As far as
  /// the system offers that: a failure changes nothing.
  package static func disableCoreDumps() {
    let setDumpable: Int32 = 4
    _ = linuxControl(setDumpable, 0, 0, 0, 0)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// A line with a secret, read byte by byte: what stands behind it is left to others, and nothing of it stays in a buffer.
package struct SecretLine {
  private var bytes: [UInt8] = []

  private init() { bytes.reserveCapacity(4096) }

  private mutating func append(_ byte: UInt8) {
    if bytes.count == bytes.capacity {
      // An array that grows would leave a copy behind.
      var larger: [UInt8] = []
      larger.reserveCapacity(bytes.count * 2)
      larger.append(contentsOf: bytes)
      SecretLine.wipe(&bytes)
      bytes = larger
    }
    bytes.append(byte)
  }

  /// The bytes up to the end of the line, LF or CRLF, or to the end of the file; nil if they are more than `limit`.
  ///
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

  /// Zeroes the memory of a secret, where nobody else holds on to it.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
    bytes.removeAll()
  }
}

extension File {
  /// The open file that the caller of this program handed over under a number; nil if there is none.
  ///
  /// Files that this process has opened itself are marked to be closed in other programs, so they are not mistaken for
  /// it. The file is marked too, so that no program that is started from here can read it: ask once.
  package static func inherited(_ descriptor: Int32) -> File? {
    let flags = fcntl(descriptor, F_GETFD)
    guard flags >= 0, flags & FD_CLOEXEC == 0 else { return nil }
    if descriptor > 2 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    return File(descriptor: descriptor, path: "descriptor \(descriptor)", owned: false)
  }
}
