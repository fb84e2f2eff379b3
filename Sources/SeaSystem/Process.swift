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

  /// Becomes another program, with this environment but for the variables to hide. `arguments` begin with the program's
  /// name. Returns only to fail.
  package static func execute(
    _ path: String, _ arguments: [String], hiding isHidden: (String) -> Bool = { _ in false }
  ) -> SystemError {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    execve(path, pointers, environment(hiding: isHidden))
    let failure = SystemError("execve", path)
    for pointer in pointers { free(pointer) }
    return failure
  }

  /// Runs a program that has nothing to read, to its end: the first line of what it writes, nil if that is more than
  /// `limit` bytes, and its exit status.
  package static func answer(
    _ path: String, _ arguments: [String], hiding isHidden: (String) -> Bool, limit: Int
  ) throws(SystemError) -> (line: [UInt8]?, status: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe", path) }
    // Nothing else is started meanwhile that could inherit them.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = File(descriptor: ends[0], path: path)
    let input = File(descriptor: ends[1], path: path)
    let process = try spawn(path, arguments, hiding: isHidden, output: input.descriptor)
    try? input.close()
    let line: Result<[UInt8]?, SystemError> = Result { () throws(SystemError) in
      let line = try SecretLine.read(output, limit: limit)
      // A program that cannot write all it has to say may fail for that.
      var rest = [UInt8](repeating: 0, count: 4096)
      defer { SecretLine.wipe(&rest) }
      while try rest.withMutableBytes({ (buffer) throws(SystemError) in try output.readSome(into: buffer) }) > 0 {}
      return line
    }
    try? output.close()
    let status = try wait(for: process, path)
    return (try line.get(), status)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], hiding isHidden: (String) -> Bool, output: Int32? = nil
  ) throws(SystemError) -> pid_t {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    }
    var process: pid_t = 0
    let code = posix_spawnp(&process, path, &actions, nil, pointers, environment(hiding: isHidden))
    guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code, path: path) }
    return process
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

  private static func wait(for process: pid_t, _ path: String) throws(SystemError) -> Int32 {
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
