import Glibc

/// A temporary line on the terminal that standard error is connected to.
package enum TerminalLine {
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let all = ending + [SIGTSTP]

  /// Turns a guard on or off. While it is on, a signal that ends or stops this process first erases the line. Signals
  /// that have another handler are not changed.
  package static func guards(_ isOn: Bool) {
    for signal in all {
      var now = sigaction()
      sigaction(signal, nil, &now)
      let handler = unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
      let ours = unsafeBitCast(signal == SIGTSTP ? stop : end, to: Int.self)
      guard handler == (isOn ? 0 : ours) else { continue }
      var next = sigaction()
      if isOn {
        next.__sigaction_handler.sa_handler = signal == SIGTSTP ? stop : end
        next.sa_flags = Int32(bitPattern: UInt32(SA_RESTART)) | (signal == SIGTSTP ? 0 : Int32(bitPattern: resets))
      }
      sigaction(signal, &next, nil)
    }
  }

  /// The flag SA_RESETHAND, after which the next signal has its default effect.
  private static let resets: UInt32 = 0x8000_0000

  // These handlers can run between any two instructions, so they must not call functions that allocate memory or take
  // locks.

  private static let end: @convention(c) (Int32) -> Void = { signal in
    let wipe: StaticString = "\r\u{1B}[K"
    _ = write(2, wipe.utf8Start, 4)
    // The signal takes effect when the handler returns.
    raise(signal)
  }

  private static let stop: @convention(c) (Int32) -> Void = { _ in
    let before = errno
    let wipe: StaticString = "\r\u{1B}[K"
    _ = write(2, wipe.utf8Start, 4)
    kill(getpid(), SIGSTOP)
    errno = before
  }
}

extension ThisProcess {
  package static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }
}
