import Glibc

/// This process: what it runs as, and becoming another program.
package enum Process {
  /// Makes sure that 0, 1 and 2 are open, so that no file of ours gets such a number. A stream that was closed stays
  /// unusable: writing to the stand-in of standard output fails, reading from that of standard input too.
  package static func guardStandardStreams() {
    for (descriptor, flags) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] as [(Int32, Int32)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one, for those below it are open.
      _ = open("/dev/null", flags)
    }
  }

  /// The path of the running program, links followed; nil where /proc is not there.
  package static func executable() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      let count = readlink("/proc/self/exe", buffer.baseAddress!, 4095)
      guard count > 0 else { return nil }
      buffer[count] = 0
      return String(validatingCString: buffer.baseAddress!)
    }
  }

  /// Whether the path leads to a file that this user may run.
  package static func isExecutable(_ path: String) -> Bool {
    guard access(path, X_OK) == 0 else { return false }
    return (try? Path.statusFollowing(path))?.kind == .file
  }

  /// Becomes another program, with this environment. `arguments` begin with the program's name. Returns only to fail.
  package static func execute(_ path: String, _ arguments: [String]) -> SystemError {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    execv(path, pointers)
    let failure = SystemError("execv", path)
    for pointer in pointers { free(pointer) }
    return failure
  }

  /// Runs a program on this process's streams and waits: its exit status, or 128 and the signal that ended it.
  package static func run(_ path: String, _ arguments: [String]) throws(SystemError) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, path, nil, nil, pointers, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code, path: path) }
    var status: Int32 = 0
    let waited = retried { Int(waitpid(process, &status, 0)) }
    guard waited >= 0 else { throw SystemError("waitpid", path) }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// The width of the terminal behind a descriptor; nil if it is none or does not say.
  package static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The seconds that local time (TZ) is ahead of UTC at a Unix time.
  package static func localOffset(_ seconds: Int64) -> Int {
    var time = time_t(seconds)
    var local = tm()
    tzset()
    return localtime_r(&time, &local) == nil ? 0 : local.tm_gmtoff
  }
}
