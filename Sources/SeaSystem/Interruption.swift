import Glibc

/// Catches stop signals, so that the program can stop at its next safe point. A second signal ends the process
/// immediately.
package enum Interruption {
  nonisolated(unsafe) private static var came: Int32 = 0
  nonisolated(unsafe) private static var line: StaticString = ""

  /// Records the first signal instead of ending the process. Does not change signals that have another handler.
  /// - Parameter says: the text to show when the user presses the interrupt key; empty for none.
  package static func begin(says text: StaticString) {
    line = text
    for signal in SignalHandler.stopping where SignalHandler.address(of: signal) == SignalHandler.standard {
      SignalHandler.set(handle, for: signal, restarts: true)
    }
  }

  package static var signal: Int32? {
    @inline(never) get { came == 0 ? nil : came }
  }

  /// Ends this process with a signal as if the signal had never been caught, so that the parent process sees it.
  package static func die(of signal: Int32) -> Never {
    SignalHandler.set(nil, for: signal)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), signal)
    _exit(128 + signal)
  }

  private static let handle: SignalHandler.Body = { signal in
    let kept = errno
    came = signal
    if signal == SIGINT, line.utf8CodeUnitCount > 0 { _ = write(2, line.utf8Start, line.utf8CodeUnitCount) }
    errno = kept
  }
}
