import Glibc

/// A program to run to its end.
package struct Launch {
  package enum Input: Equatable, Sendable {
    /// This process's standard input.
    case inherited
    case none
    /// A file with these bytes that has no name anywhere. Whether and how far it is read does not matter.
    case bytes([UInt8])
  }

  package var path: String
  /// With the program's name in front.
  package var arguments: [String]
  /// Set besides the variables of this process, which those are to hide do not include.
  package var variables: [(name: String, value: String)] = []
  package var isHidden: (String) -> Bool = { _ in false }
  /// Where it is started; a relative path to the program is seen from there.
  package var directory: String?
  package var input = Input.inherited
  /// Whether what it prints goes to standard error.
  package var printsToError = false
  /// How long it may take. With a limit it has no terminal and belongs to a group of its own, which is ended as a whole.
  package var seconds: Double?
  /// With a limit: the first signal that ends this process takes effect when the program has ended; only the second ends the program.
  package var isWaitedFor = false
  /// A descriptor that it has open, too.
  package var kept: Int32?

  package init(_ path: String, _ arguments: [String]) {
    self.path = path
    self.arguments = arguments
  }

  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut

    /// As a shell tells it; that of a program that took too long is that of one that was ended.
    package var status: Int32 {
      switch self {
      case .exited(let status): status
      case .signalled(let signal): 128 + signal
      case .timedOut: 128 + SIGTERM
      }
    }

    /// Whether the keys of the terminal ended it.
    package var isInterrupt: Bool { self == .signalled(SIGINT) || self == .signalled(SIGQUIT) }

    init(_ status: Int32) {
      self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }
  }

  /// Runs it and waits. A signal from the terminal is the program's business meanwhile, not this process's; other
  /// signals that end this process end a program with a time limit too.
  /// - Parameter hear: told what it writes to standard error, and to standard output if that goes there, as it comes and up
  ///   to its end. What programs write that it leaves behind has no reader then. Nil if it writes where this process does.
  package func run(hearing hear: ((UnsafeRawBufferPointer) -> Void)? = nil) throws(SystemError) -> Ending {
    let start = Trace.start()
    let ending = try runs(hearing: hear)
    note(ending.status, since: start)
    return ending
  }

  /// Tells how it ended. Of its arguments nothing is said: what stands there is for the program.
  func note(_ status: Int32?, since start: Int64?) {
    Trace.note(
      "program", since: start,
      [("name", .text(Path.name(path)))] + (status.map { [("status", .number(Int($0)))] } ?? []))
  }

  private func runs(hearing hear: ((UnsafeRawBufferPointer) -> Void)?) throws(SystemError) -> Ending {
    let watch =
      seconds == nil
      ? SignalWatch(taking: [], ignoring: [SIGINT, SIGQUIT])
      : SignalWatch(taking: [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP], ignoring: [])
    defer { watch.end() }
    let ear = try hear.map { hear throws(SystemError) in try Overhearing(path, hear) }
    let process = try spawn(watch, errors: ear?.input?.descriptor)
    ear?.begin()
    defer { ear?.end() }
    let ends = seconds.map { Clock.monotonic() + Int64($0 * 1e9) }
    var first: Int32?
    defer { if let first { watch.again(first) } }
    while true {
      let hears = ear?.isOpen ?? false
      if let ending = try wait(process, ends == nil && !hears ? 0 : WNOHANG) { return ending }
      // Another thread may have been told instead, or somebody else keeps the pipe open: look again now and then.
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
      return .signalled(signal)
    }
    try end(process, SIGTERM)
    return .timedOut
  }

  /// Runs it with nothing to read: the first line of what it writes, nil if that is more than `limit` bytes, and its exit
  /// status. A signal from the terminal is for this process too.
  package func answer(limit: Int) throws(SystemError) -> (line: [UInt8]?, status: Int32) {
    let start = Trace.start()
    let (output, input) = try Launch.pipe(path)
    var launch = self
    launch.input = .none
    let process = try launch.spawn(nil, output: input.descriptor)
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
    let ending = try wait(process, 0)!
    note(ending.status, since: start)
    return (try line.get(), ending.status)
  }

  /// - Parameters:
  ///   - watch: has taken signals away from this process, which the program is to have as they were.
  ///   - given: what it reads from, instead of `input`.
  ///   - output: what it prints into; nil for this process's standard output.
  ///   - errors: what it complains into; nil for this process's standard error.
  func spawn(
    _ watch: SignalWatch?, given: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
  ) throws(SystemError) -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // Who has no standard error of ours would tell us what is not for us.
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

  /// What a program reads without anybody having to write it while it runs.
  private static func file(_ bytes: [UInt8]) throws(SystemError) -> File {
    let closedInPrograms: UInt32 = 1
    let descriptor = linuxMemoryFile("input", closedInPrograms)
    guard descriptor >= 0 else { throw SystemError("memfd_create", "") }
    let file = File(descriptor: descriptor, path: "input of a program")
    try file.write(bytes)
    try file.seek(to: 0)
    return file
  }

  /// A pipe: what is read from, and what is written to.
  static func pipe(_ path: String) throws(SystemError) -> (output: File, input: File) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe", path) }
    // Nothing else is started meanwhile that could inherit them.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (File(descriptor: ends[0], path: path), File(descriptor: ends[1], path: path))
  }

  // MARK: Its end

  func wait(_ process: pid_t, _ options: Int32) throws(SystemError) -> Ending? {
    var status: Int32 = 0
    let found = retried { Int(waitpid(process, &status, options)) }
    guard found >= 0 else { throw SystemError("waitpid", path) }
    return found == 0 ? nil : Ending(status)
  }

  /// Ends the whole group: with a signal first, and after a second without mercy.
  private func end(_ process: pid_t, _ signal: Int32) throws(SystemError) {
    kill(-process, signal)
    let start = Clock.monotonic()
    var information = siginfo_t()
    while Clock.monotonic() - start < 1_000_000_000 {
      // Its number is not given to another group before it is waited for.
      information.si_signo = 0
      waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
      if information.si_signo != 0 { break }
      Clock.sleep(nanoseconds: 10_000_000)
    }
    kill(-process, SIGKILL)
    _ = try wait(process, 0)
  }
}
