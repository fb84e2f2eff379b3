import Glibc

/// This process: what it runs as, what it finds around it, and becoming another program.
package enum ThisProcess {
  /// Makes sure that 0, 1 and 2 are open, so that no file of ours gets such a number. A stream that was closed stays
  /// unusable: writing to the stand-in of standard output fails, reading from that of standard input too.
  package static func guardStandardStreams() {
    for (descriptor, flags) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] as [(Int32, Int32)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one, for those below it are open.
      _ = open("/dev/null", flags)
    }
  }

  /// What speaks against so long a file, by the limit that this process has; nil if nothing does.
  package static func fileTooLarge(_ bytes: Int64, _ path: String) -> SystemError? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(bytes) else {
      return nil
    }
    return SystemError(call: "write", errno: EFBIG, path: path)
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

  /// Becomes another program, with this environment but for the variables to hide. `arguments` begin with the program's
  /// name. Returns only to fail.
  package static func execute(
    _ path: String, _ arguments: [String], hiding isHidden: (String) -> Bool = { _ in false }
  ) -> SystemError {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    Trace.note("program", [("name", .text(Path.name(path)))])
    let before = signal(SIGXFSZ, SIG_DFL)
    execve(path, pointers, environment(hiding: isHidden))
    let failure = SystemError("execve", path)
    _ = signal(SIGXFSZ, before)
    for pointer in pointers { free(pointer) }
    return failure
  }

  /// The environment without some variables, for a new program. Its texts stay with this process.
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
    return try Path.text(path, "getcwd")
  }

  package static func changeDirectory(_ path: String) throws(SystemError) {
    try checkName(path, "chdir", path)
    guard chdir(path) == 0 else { throw SystemError("chdir", path) }
  }

  /// What is written beyond the largest file that is allowed (`ulimit -f`) fails, and does not end the process.
  package static func failsAtLargestFile() { signal(SIGXFSZ, SIG_IGN) }

  /// How many threads can run at once, and may.
  package static func cores() -> Int { min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), mostThreads.with { $0 }) }

  private static let mostThreads = Guarded(Int.max)

  /// Has work that can be divided be done by so many threads at most.
  package static func useThreads(most: Int) { mostThreads.with { $0 = max(1, most) } }

  /// The effective user, whose rights count and who owns what is made.
  package static func userID() -> UInt32 { geteuid() }
  package static func processID() -> Int32 { getpid() }
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The width of the terminal behind a descriptor; nil if it is none or does not say.
  package static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  private static let zoneIsKnown: Void = tzset()

  /// The seconds that local time (TZ) is ahead of UTC at a Unix time.
  package static func localOffset(_ seconds: Int64) -> Int {
    var time = time_t(seconds)
    var local = tm()
    // Each call looks at the file of the zone.
    _ = zoneIsKnown
    return localtime_r(&time, &local) == nil ? 0 : local.tm_gmtoff
  }
}
