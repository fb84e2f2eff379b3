import Glibc

package enum Clock {
  /// Milliseconds since 1970. Wrong clocks exist: for people, never for decisions.
  package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Nanoseconds since some instant; never goes back.
  package static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Nanoseconds of processor time that this process has used.
  package static func processor() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// A signal ends the sleep early.
  package static func sleep(nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

package enum Random {
  /// From the system's generator for keys.
  package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var start = 0
    while start < count {
      let piece = min(256, count - start)
      let result = bytes.withUnsafeMutableBytes { getentropy($0.baseAddress! + start, piece) }
      guard result == 0 else { throw SystemError("getentropy", "") }
      start += piece
    }
    return bytes
  }
}

/// What the process finds around it.
package enum Host {
  /// Nil if unset or not UTF-8.
  package static func environment(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }

  package static func setEnvironment(_ name: String, _ value: String?) {
    if let value { setenv(name, value, 1) } else { unsetenv(name) }
  }

  package static func currentDirectory() throws(SystemError) -> String {
    guard let path = getcwd(nil, 0) else { throw SystemError("getcwd", ".") }
    defer { free(path) }
    return String(cString: path)
  }

  package static func changeDirectory(_ path: String) throws(SystemError) {
    try checkName(path, "chdir", path)
    guard chdir(path) == 0 else { throw SystemError("chdir", path) }
  }

  /// Empty if the system has none that is UTF-8.
  package static func name() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard gethostname(buffer.baseAddress!, 255) == 0 else { return "" }
      buffer[255] = 0
      return String(validatingCString: buffer.baseAddress!) ?? ""
    }
  }

  /// What systemd and D-Bus tell machines apart by; nil if this one has none.
  package static func machineID() -> String? {
    guard let file = try? File("/etc/machine-id"), let bytes = try? file.readAll(limit: 64),
      bytes.last == 0x0A || bytes.count == 32
    else { return nil }
    let text = String(decoding: bytes.prefix(32), as: UTF8.self)
    let isID =
      text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isID ? text : nil
  }

  /// The effective user, whose rights count and who owns what is made.
  package static func userID() -> UInt32 { geteuid() }
  package static func processID() -> Int32 { getpid() }
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// From now on writing to a closed pipe is an error (EPIPE) and not the end of the process.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Permission bits that new files do not get; returns the old ones.
  @discardableResult
  package static func setFileCreationMask(_ mask: UInt32) -> UInt32 { umask(mask) }
}
