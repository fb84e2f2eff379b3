import Glibc

/// Signals that ask this process to stop, for work that does so by itself at the next good place. The second one ends it at once.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  // What the handler needs.
  nonisolated(unsafe) private static var came: Int32 = 0
  nonisolated(unsafe) private static var line: StaticString = ""

  /// From now on the first signal is noted and ends nothing. Signals that this process does not leave to the system are left alone.
  /// - Parameter says: what a person is told who has pressed the key; empty for nothing.
  package static func begin(says text: StaticString) {
    line = text
    for signal in signals {
      var before = sigaction()
      sigaction(signal, nil, &before)
      guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 0 else { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = note
      // SA_RESETHAND: the second one has its usual effect.
      action.sa_flags = CInt(bitPattern: 0x8000_0000) | CInt(SA_RESTART)
      sigaction(signal, &action, nil)
    }
  }

  /// The first that came; nil for none.
  package static var signal: Int32? {
    @inline(never) get { came == 0 ? nil : came }
  }

  /// Ends this process by a signal, as if it had not been caught: who has started it can tell.
  package static func die(of signal: Int32) -> Never {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(signal, &action, nil)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), signal)
    _exit(128 + signal)
  }

  // It runs at any time, between any two instructions: it may only call what needs no memory and no lock.
  private static let note: @convention(c) (Int32) -> Void = { signal in
    let kept = errno
    came = signal
    if signal == SIGINT, line.utf8CodeUnitCount > 0 { _ = write(2, line.utf8Start, line.utf8CodeUnitCount) }
    errno = kept
  }
}
