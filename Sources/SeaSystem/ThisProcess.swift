import Glibc

package enum ThisProcess {
  /// Opens descriptors 0, 1 and 2 if they are closed, so that no other file gets these numbers. The substitutes are
  /// unusable: writing to standard output or reading from standard input fails.
  package static func guardStandardStreams() {
    for (descriptor, flags) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] as [(Int32, Int32)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // `open` returns the lowest free number, which is this descriptor because all lower numbers are open.
      _ = open("/dev/null", flags)
    }
  }

  /// Returns an error if a file of this size would exceed the file size limit of this process, otherwise nil.
  package static func fileTooLarge(_ bytes: Int64, _ path: String) -> SystemError? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(bytes) else {
      return nil
    }
    return SystemError(call: "write", errno: EFBIG, path: path)
  }

  /// Returns the path of the running program with all links resolved; nil if /proc is not available.
  package static func executable() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      let count = readlink("/proc/self/exe", buffer.baseAddress!, 4095)
      guard count > 0 else { return nil }
      buffer[count] = 0
      return String(validatingCString: buffer.baseAddress!)
    }
  }

  /// Replaces this process with another program, which does not receive the hidden environment variables. The first
  /// argument is the program name. Returns only on failure.
  package static func execute(
    _ path: String, _ arguments: [String], hiding isHidden: (String) -> Bool = { _ in false }
  ) -> SystemError {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    Trace.record("program", [("name", .text(Path.name(path)))])
    let before = signal(SIGXFSZ, SIG_DFL)
    execve(path, pointers, environment(hiding: isHidden))
    let failure = SystemError("execve", path)
    _ = signal(SIGXFSZ, before)
    for pointer in pointers { free(pointer) }
    return failure
  }

  /// Returns the environment for a new program, without the hidden variables. The strings belong to this process.
  static func environment(hiding isHidden: (String) -> Bool) -> [UnsafeMutablePointer<CChar>?] {
    var result: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if !isHidden(String(name)) { result.append(variable) }
      next += 1
    }
    return result + [nil]
  }

  package static func environment(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }

  package static func setEnvironment(_ name: String, _ value: String?) {
    if let value { setenv(name, value, 1) } else { unsetenv(name) }
  }

  package static func currentDirectory() throws(SystemError) -> String {
    guard let path = getcwd(nil, 0) else { throw SystemError("getcwd", ".") }
    defer { free(path) }
    return try Path.text(path, "getcwd")
  }

  package static func changeDirectory(_ path: String) throws(SystemError) {
    try checkName(path, "chdir", path)
    guard chdir(path) == 0 else { throw SystemError("chdir", path) }
  }

  /// Makes writes beyond the file size limit (`ulimit -f`) fail instead of ending the process.
  package static func failsAtLargestFile() { signal(SIGXFSZ, SIG_IGN) }

  /// Returns the number of threads that can run at the same time, up to the limit set by `useThreads`.
  package static func cores() -> Int { min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), mostThreads.with { $0 }) }

  private static let mostThreads = Guarded(Int.max)

  package static func useThreads(most: Int) { mostThreads.with { $0 = max(1, most) } }

  package static func userID() -> UInt32 { geteuid() }
  package static func processID() -> Int32 { getpid() }
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  package static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  private static let zoneIsKnown: Void = tzset()

  /// Returns the offset of local time (TZ) from UTC at the given Unix time, in seconds.
  package static func localOffset(_ seconds: Int64) -> Int {
    var time = time_t(seconds)
    var local = tm()
    // `tzset` is called only once, because each call checks the time zone file.
    _ = zoneIsKnown
    return localtime_r(&time, &local) == nil ? 0 : local.tm_gmtoff
  }
}
