import CServer
import Glibc
import NIOCore
import NIOPosix

/// Runs `sea serve --stdio` for a container. Only that program knows the format of containers and what the rights mean.
struct Engine: Sendable {
  let program: String
  let folder: String

  struct Running: Sendable {
    let process: pid_t
    let input: CInt
    let output: CInt
  }

  /// Whether the folder for containers exists. If its drive is not mounted, no containers must be created there.
  var isThere: Bool {
    var status = stat()
    return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// - Parameter container: a valid name according to `Grant.isName`, so that the path cannot lead out of the folder.
  func start(_ container: String, _ right: Grant.Right) throws(Fault) -> Running {
    guard isThere else { throw Fault(.system, "\(folder): folder does not exist") }
    let path = try path(of: container)
    var words = [program, "serve", "--stdio"]
    if right != .everything { words.append("--\(right.rawValue)") }
    words.append(path)
    var toProgram: [CInt] = [-1, -1]
    var fromProgram: [CInt] = [-1, -1]
    guard pipe2(&toProgram, O_CLOEXEC) == 0 else { throw Fault.system("pipe") }
    guard pipe2(&fromProgram, O_CLOEXEC) == 0 else {
      for end in toProgram { close(end) }
      throw Fault.system("pipe")
    }
    // A larger pipe buffer causes fewer wakeups.
    _ = fcntl(toProgram[1], Int32(sea_set_pipe_size), 1 << 18)
    _ = fcntl(fromProgram[0], Int32(sea_set_pipe_size), 1 << 18)
    let process = Engine.spawn(words, toProgram[0], fromProgram[1])
    for end in [toProgram[0], fromProgram[1]] { close(end) }
    guard let process else {
      let fault = Fault.system(program)
      for end in [toProgram[1], fromProgram[0]] { close(end) }
      throw fault
    }
    return Running(process: process, input: toProgram[1], output: fromProgram[0])
  }

  /// Returns the path of a container, with symbolic links resolved. Links that are broken or lead elsewhere are
  /// refused.
  private func path(of container: String) throws(Fault) -> String {
    let path = "\(folder)/\(container)"
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
    guard let root = Engine.real(folder), let place = Engine.real(path),
      place.hasPrefix(root == "/" ? root : root + "/")
    else { throw Fault(.elsewhere, "\(path): link does not lead to a folder in '\(folder)'") }
    return place
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Starts a process in a new session, so that a signal from the terminal does not interrupt it.
  static func spawn(_ words: [String], _ input: CInt, _ output: CInt) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // The process must not inherit connections or listening sockets, which would stay open after the server ends.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let setsid: Int32 = 0x80
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | setsid))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    // The process must not see secrets in the server's environment.
    let kept = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ"]
    let variables = kept.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for word in arguments + environment { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &environment)
    errno = code
    return code == 0 ? process : nil
  }

  /// Opens the connection to a process as two channels, so that the input can be closed before the output. Once a write
  /// has completed, its data is in the pipe, so no data is lost when the channel is closed.
  static func line(
    _ running: Running
  ) async throws -> (input: any Channel, output: NIOAsyncChannel<ByteBuffer, Never>) {
    let group = MultiThreadedEventLoopGroup.singleton
    let output: NIOAsyncChannel<ByteBuffer, Never>
    do {
      output = try await NIOPipeBootstrap(group: group).takingOwnershipOfDescriptor(input: running.output) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
        }
      }
    } catch {
      close(running.input)
      throw error
    }
    let input = try await NIOPipeBootstrap(group: group).takingOwnershipOfDescriptor(output: running.input).get()
    return (input, output)
  }

  /// Waits for a process after its connection has been closed, and returns its exit status as a shell would.
  static func end(_ running: Running, patience: Duration = .seconds(30)) async -> Int32 {
    var ends = ContinuousClock.now + patience
    var signals = [SIGTERM, SIGKILL]
    var pause = Duration.milliseconds(1)
    while true {
      var status: Int32 = 0
      let found = waitpid(running.process, &status, WNOHANG)
      if found == running.process { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F) }
      if found < 0, errno != EINTR { return 127 }
      if ContinuousClock.now > ends, !signals.isEmpty {
        kill(running.process, signals.removeFirst())
        ends = ContinuousClock.now + .seconds(1)
      }
      // A separate task is not affected by cancellation, so the process is reaped even if the client has disconnected.
      let time = pause
      await Task { _ = try? await Task.sleep(for: time) }.value
      pause = min(pause * 2, .milliseconds(50))
    }
  }
}
