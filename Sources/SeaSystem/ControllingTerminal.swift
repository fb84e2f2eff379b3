import Glibc

@_silgen_name("signalfd")
private func linuxSignalFile(_ descriptor: Int32, _ mask: UnsafePointer<sigset_t>, _ flags: Int32) -> Int32

/// The controlling terminal of this process, regardless of its standard streams.
package final class ControllingTerminal {
  private let file: File

  /// Returns nil if this process has no terminal.
  package init?(_ path: String = "/dev/tty") {
    guard let file = try? File(path, [.read, .write]), isatty(file.descriptor) == 1 else { return nil }
    self.file = file
  }

  /// Shows the prompt and reads a line, without echo unless `shows` is true. Returns nil if the line exceeds `limit`
  /// bytes. The terminal state is restored on return and whenever a signal stops or ends the process.
  ///
  /// Call this before the process starts threads.
  /// - Parameter isOver: called after a signal that did not end the process. If it returns true, the result is nil;
  ///   otherwise the prompt appears again.
  package func ask(
    _ prompt: String, limit: Int, shows: Bool = false, isOver: () -> Bool = { false }
  ) throws(SystemError) -> [UInt8]? {
    while true {
      var before = termios()
      guard tcgetattr(file.descriptor, &before) == 0 else { throw SystemError("tcgetattr", file.path) }
      var signals = ControllingTerminal.stopping
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, &signals, &mask)
      let answer: Result<[UInt8]?, SystemError> = Result { () throws(SystemError) in
        var silent = before
        if !shows { silent.c_lflag &= ~tcflag_t(ECHO) }
        silent.c_lflag |= tcflag_t(ICANON)
        let arrived = linuxSignalFile(-1, &signals, Int32(O_CLOEXEC))
        guard arrived >= 0 else { throw SystemError("signalfd", file.path) }
        defer { _ = Glibc.close(arrived) }
        try set(silent)
        try file.write(prompt)
        return try SecretLine.read(file, limit: limit) { () throws(SystemError) in try wait(arrived) }
      }
      if !shows { try? file.write("\n") }
      try? set(before)
      // Pending signals are delivered here.
      pthread_sigmask(SIG_SETMASK, &mask, nil)
      switch answer {
      case .success(let line): return line
      case .failure(let error):
        guard error.errno == EINTR else { throw error }
        if isOver() { return nil }
      }
    }
  }

  private func set(_ state: termios) throws(SystemError) {
    var state = state
    guard retried({ Int(tcsetattr(file.descriptor, TCSADRAIN, &state)) }) == 0 else {
      throw SystemError("tcsetattr", file.path)
    }
  }

  /// Waits for input.
  /// - Throws: EINTR if a blocked signal arrives first.
  private func wait(_ arrived: Int32) throws(SystemError) {
    var both = [file.descriptor, arrived].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard retried({ Int(poll(&both, 2, -1)) }) >= 0 else { throw SystemError("poll", file.path) }
    if both[1].revents != 0 { throw SystemError(call: "read", errno: EINTR, path: file.path) }
  }

  private static var stopping: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM] { sigaddset(&set, signal) }
    return set
  }
}
