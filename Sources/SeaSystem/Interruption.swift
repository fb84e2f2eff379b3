import Glibc

/// Signals that ask this process to stop, for work that does so by itself at the next good place. The second one ends it at once.
package enum Interruption {
  // What the handler needs.
  nonisolated(unsafe) private static var came: Int32 = 0
  nonisolated(unsafe) private static var line: StaticString = ""

  /// From now on the first signal is noted and ends nothing. Signals that this process does not leave to the system are left alone.
  /// - Parameter says: what a person is told who has pressed the key; empty for nothing.
  package static func begin(says text: StaticString) {
    line = text
    for signal in SignalHandler.stopping where SignalHandler.address(of: signal) == SignalHandler.standard {
      SignalHandler.set(note, for: signal, restarts: true)
    }
  }

  /// The first that came; nil for none.
  package static var signal: Int32? {
    @inline(never) get { came == 0 ? nil : came }
  }

  /// Ends this process by a signal, as if it had not been caught: who has started it can tell.
  package static func die(of signal: Int32) -> Never {
    SignalHandler.set(nil, for: signal)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), signal)
    _exit(128 + signal)
  }

  private static let note: SignalHandler.Body = { signal in
    let kept = errno
    came = signal
    if signal == SIGINT, line.utf8CodeUnitCount > 0 { _ = write(2, line.utf8Start, line.utf8CodeUnitCount) }
    errno = kept
  }
}
