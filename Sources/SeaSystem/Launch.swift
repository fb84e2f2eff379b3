import Glibc

/// A program to run, with its arguments, environment and streams.
package struct Launch {
  package enum Input: Equatable, Sendable {
    case inherited
    case none
    /// An anonymous file with these bytes. The program does not have to read all of them.
    case bytes([UInt8])
  }

  package var path: String
  /// The arguments, including the program name as the first.
  package var arguments: [String]
  /// The environment variables to add to those of this process. `isHidden` selects variables of this process to leave
  /// out.
  package var variables: [(name: String, value: String)] = []
  package var isHidden: (String) -> Bool = { _ in false }
  /// The working directory. A relative program path is resolved in this directory.
  package var directory: String?
  package var input = Input.inherited
  package var printsToError = false
  /// The time limit. A program with a limit has no terminal, and its whole process group is killed when the time is up.
  package var seconds: Double?
  /// Used only with a time limit. If true, a signal to this process takes effect only after the program has ended, and
  /// a second signal kills the program.
  package var isWaitedFor = false
  package var kept: Int32?

  package init(_ path: String, _ arguments: [String]) {
    self.path = path
    self.arguments = arguments
  }

  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    case timedOut

    /// The exit status as a shell reports it. A timeout counts as SIGTERM.
    package var status: Int32 {
      switch self {
      case .exited(let status): status
      case .signaled(let signal): 128 + signal
      case .timedOut: 128 + SIGTERM
      }
    }

    package var isInterrupt: Bool { self == .signaled(SIGINT) || self == .signaled(SIGQUIT) }

    init(_ status: Int32) {
      self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signaled(status & 0x7F)
    }
  }

  /// Runs the program and waits until it ends. In the meantime, this process ignores signals from the terminal. With a
  /// time limit, any other signal that ends this process also ends the program.
  /// - Parameter hear: receives standard error, and redirected standard output, until the program ends. Output that its
  ///   child processes write later is lost. If nil, the program shares the streams of this process.
  package func run(hearing hear: ((UnsafeRawBufferPointer) -> Void)? = nil) throws(SystemError) -> Ending {
    let start = Trace.start()
    let ending = try runs(hearing: hear)
    trace(ending.status, since: start)
    return ending
  }

  /// Traces how the program ended. The arguments are not traced, because they may be private.
  func trace(_ status: Int32?, since start: Int64?) {
    Trace.record(
      "program", since: start,
      [("name", .text(Path.name(path)))] + (status.map { [("status", .number(Int($0)))] } ?? []))
  }

  private func runs(hearing hear: ((UnsafeRawBufferPointer) -> Void)?) throws(SystemError) -> Ending {
    let watch =
      seconds == nil
      ? SignalWatch(taking: [], ignoring: [SIGINT, SIGQUIT])
      : SignalWatch(taking: [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP], ignoring: [])
    defer { watch.end() }
    let ear = try hear.map { hear throws(SystemError) in try OutputReader(path, hear) }
    let process = try spawn(watch, errors: ear?.input?.descriptor)
    ear?.begin()
    defer { ear?.end() }
    let ends = seconds.map { Clock.monotonic() + Int64($0 * 1e9) }
    var first: Int32?
    defer { if let first { watch.again(first) } }
    while true {
      let hears = ear?.isOpen ?? false
      if let ending = try wait(process, ends == nil && !hears ? 0 : WNOHANG) { return ending }
      // Another thread may receive the signal, or another process may hold the pipe open, so check periodically.
      let pause = min(ends.map { $0 - Clock.monotonic() } ?? Int64.max, 100_000_000)
      guard pause > 0 else { break }
      ear?.listen(nanoseconds: pause)
      guard ends != nil, let signal = watch.next(nanoseconds: hears ? 0 : pause), signal != SIGCHLD else { continue }
      if isWaitedFor, first == nil {
        first = signal
        continue
      }
      try end(process, signal)
      watch.again(signal)
      return .signaled(signal)
    }
    try end(process, SIGTERM)
    return .timedOut
  }

  /// Runs the program without input. Returns its exit status and its first line of output; nil if the line exceeds
  /// `limit` bytes. Signals from the terminal reach this process, too.
  package func answer(limit: Int) throws(SystemError) -> (line: [UInt8]?, status: Int32) {
    let start = Trace.start()
    let (output, input) = try Launch.pipe(path)
    var launch = self
    launch.input = .none
    let process = try launch.spawn(nil, output: input.descriptor)
    try? input.close()
    let line: Result<[UInt8]?, SystemError> = Result { () throws(SystemError) in
      let line = try SecretLine.read(output, limit: limit)
      // Read the rest of the output, because a program that cannot write all its output may fail.
      var rest = [UInt8](repeating: 0, count: 4096)
      defer { SecretLine.wipe(&rest) }
      while try rest.withMutableBytes({ (buffer) throws(SystemError) in try output.readSome(into: buffer) }) > 0 {}
      return line
    }
    try? output.close()
    let ending = try wait(process, 0)!
    trace(ending.status, since: start)
    return (try line.get(), ending.status)
  }

  /// - Parameters:
  ///   - watch: the watch that catches signals for this process. The program starts with the original signal state.
  ///   - given: the input of the program, instead of `input`.
  ///   - output: the output of the program; nil for the standard output of this process.
  ///   - errors: the error output of the program; nil for the standard error of this process.
  func spawn(
    _ watch: SignalWatch?, given: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
  ) throws(SystemError) -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // If standard error is captured, the program must not write trace lines to it.
    let trace = Trace.handedOn(isHeard: errors != nil)
    let all = variables + trace.variables
    let added = all.map { strdup("\($0.name)=\($0.value)") }
    defer { for variable in added { free(variable) } }
    let names = Set(all.map(\.name))
    let environment = added + ThisProcess.environment { names.contains($0) || isHidden($0) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for kept in trace.files.map(\.descriptor) + (kept.map { [$0] } ?? []) {
      posix_spawn_file_actions_adddup2(&actions, kept, kept)
    }
    if let directory { linuxAddChangeDirectory(&actions, directory) }
    var held: File?
    switch input {
    case _ where given != nil: posix_spawn_file_actions_adddup2(&actions, given!, 0)
    case .inherited: break
    case .none: posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    case .bytes(let bytes):
      held = try Launch.file(bytes)
      posix_spawn_file_actions_adddup2(&actions, held!.descriptor, 0)
    }
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
    if let output = printsToError ? 2 : output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    watch?.restore(in: &attributes, newSession: seconds != nil)
    var process: pid_t = 0
    let code = posix_spawnp(&process, path, &actions, &attributes, &words, environment)
    withExtendedLifetime((held, trace)) {}
    guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code, path: path) }
    return process
  }

  private static func file(_ bytes: [UInt8]) throws(SystemError) -> File {
    let closedInPrograms: UInt32 = 1
    let descriptor = linuxMemoryFile("input", closedInPrograms)
    guard descriptor >= 0 else { throw SystemError("memfd_create", "") }
    let file = File(descriptor: descriptor, path: "input of a program")
    try file.write(bytes)
    try file.seek(to: 0)
    return file
  }

  static func pipe(_ path: String) throws(SystemError) -> (output: File, input: File) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe", path) }
    // No other program is started between these calls, so no program inherits these descriptors.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (File(descriptor: ends[0], path: path), File(descriptor: ends[1], path: path))
  }

  // MARK: End

  func wait(_ process: pid_t, _ options: Int32) throws(SystemError) -> Ending? {
    var status: Int32 = 0
    let found = retried { Int(waitpid(process, &status, options)) }
    guard found >= 0 else { throw SystemError("waitpid", path) }
    return found == 0 ? nil : Ending(status)
  }

  /// Sends a signal to the whole process group, and kills the group one second later.
  private func end(_ process: pid_t, _ signal: Int32) throws(SystemError) {
    kill(-process, signal)
    let start = Clock.monotonic()
    var information = siginfo_t()
    while Clock.monotonic() - start < 1_000_000_000 {
      // WNOWAIT keeps the process group number reserved until `waitpid` is called.
      information.si_signo = 0
      waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
      if information.si_signo != 0 { break }
      Clock.sleep(nanoseconds: 10_000_000)
    }
    kill(-process, SIGKILL)
    _ = try wait(process, 0)
  }
}
